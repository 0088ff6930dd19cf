# shellcheck shell=bash disable=SC2154
# A new timing set, one YAML file: found by name, checked, and faster than the set that it is made from.
sets=$copy/platforms/machines/timing_sets
mkdir "$folder/machine" && cp platforms/machines/tiny/tiny.yaml "$folder/machine" && cp -r "$sets" "$folder/machine"
cycles() { grep -oE '"cycles": *[0-9]+' "$folder/$1/stats.json" | head -1 | tr -dc 0-9; }
for row in gddr6:1750 gddr6_16:2000; do
  set=${row%:*}
  expect 0 '' run "$folder/machine/tiny.yaml" --set mc.timing_set="$set" --set ch.timing_set="$set" \
    --set clocks.dram="${row#*:} MHz" --check-protocol --quiet --out "$folder/$set" \
    --trace synthetic:random:loads=64,ctas=16,footprint=64MiB
done
[ "$(cycles gddr6_16)" -lt "$(cycles gddr6)" ] || complain "$(cycles gddr6_16) cycles, and $(cycles gddr6) with gddr6"
