#!/bin/bash
# The tags of a tag-split L1 in RTL (timing: rtl) against the model's. Usage: rtl_tags_test.sh PLUG-IN PROGRAM
# shellcheck source=tb/system/expect.sh
. tb/system/expect.sh "$2"
plugin=$1
# Loads of any chunks, 16 % stores and 4 % atomics of four ports, each byte of which is checked; plain sets, so that lines with the same own
# part of their tags meet.
run_l1s() {
  rm -rf "$folder/out"  # a run that fails takes the place of none that has ended
  "$strata" run tb/data/check.yaml --plugin "$plugin" --set l1.module=l1_tag_split --set l1.replacement=lru --set l1.set_index=plain \
    --set l1.size=16KiB --set l1.ways=4 --set l1.mshrs=32 --set gen.footprint=8MiB --set gen.load=1 --set gen.loads=0.8 --set gen.accesses=4000 \
    --out "$folder/out" "$@" 2>&1
}
counter() { sed -n '/"l1\[0\]": {/,/^ }/s/^ *"'"$1"'": \([0-9]*\),*$/\1/p' "$folder/out/stats.json" | head -n 1; }
hot="--set gen.pattern=hot --set gen.hot_lines=512"

# The RTL decides as the model does, in no time of its own: the same digest.
for pattern in "" "$hot"; do
  output=$(run_l1s $pattern --set l1.timing=at) || complain "the model: $output"
  model=$(grep digest <<<"$output")
  if [ -n "$pattern" ]; then
    for event in hits partial_misses merges retagged_chunks write_evictions dropped_fills; do
      [ "$(counter $event)" -gt 0 ] || complain "no $event"
    done
  fi
  for check in none model; do
    output=$(run_l1s $pattern --set l1.timing=rtl --set l1.check=$check) || complain "RTL, check: $check: $output"
    [ "$(grep digest <<<"$output")" = "$model" ] || complain "check: $check: another digest"
  done
done

# Each fault in the RTL is found, where it first shows.
for mutant in lru_stands shared_ignored rest_stays reserved_goes; do
  pattern=$hot
  [ $mutant = shared_ignored ] && pattern=""
  output=$(run_l1s $pattern --set l1.timing=rtl:$mutant --set l1.check=model) && complain "$mutant is not found"
  grep -qE 'l1\[[0-3]\]: the RTL differs from the model in cycle [0-9]+, line 0x[0-9a-f]+: the model: .*, the RTL: ' <<<"$output" || complain "$mutant: $output"
done

tags="netlist tiny --plugin $plugin --set l1.module=l1_tag_split --set l1.timing=rtl"
expect 1 "l1.replacement: is not what RTL knows: lru" $tags
expect 1 "l1.groups: gives 2 groups, and the RTL was made for 4" $tags --set l1.replacement=lru --set l1.groups=2
expect 1 "l1.size: gives 64 sets, and the RTL was made for 32" $tags --set l1.replacement=lru --set l1.size=32KiB
expect 1 "l1.mode: is not what RTL knows: fine" $tags --set l1.replacement=lru --set l1.mode=coarse
exit $failed
