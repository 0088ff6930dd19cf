#!/bin/bash
# `strata energy` and `strata area` as users meet them. Usage: energy_cli_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"

"$strata" run tiny --trace synthetic:random:footprint=64KiB --max-instructions 20000 --out "$folder/run" --quiet >/dev/null ||
  complain "the run"
before=$(cat "$folder/run"/* | cksum)
expect 0 "usage: strata energy" energy --help
expect 0 "total mJ" energy "$folder/run"
expect 0 "not counted: cta (cta_dispatcher): no figures" energy "$folder/run"
expect 0 '"watts"' energy "$folder/run" --json
"$strata" energy "$folder/run" "$folder/run" --csv "$folder/e.csv" --svg "$folder/e.svg" >/dev/null || complain "files"
grep -q "<svg" "$folder/e.svg" || complain "no SVG"
# The rows of one result add up to what JSON calls its joules.
sum=$(awk -F, 'NR > 1 { sum += $8 } END { printf "%.5g", sum / 2 }' "$folder/e.csv")
total=$("$strata" energy "$folder/run" --json | awk '/"joules"/ { getline; getline; sub(",", ""); printf "%.5g", $1 }')
[ "$sum" = "$total" ] || complain "rows add up to $sum, not $total"
[ "$(cat "$folder/run"/* | cksum)" = "$before" ] || complain "results were changed"

expect 0 "IPC/W" compare "$folder/run" "$folder/run" --energy
expect 0 "energy SMs" run tiny --trace synthetic:random:footprint=64KiB --max-instructions 2000 --out "$folder/other" --energy

# Outside of the range: the nearest value.
expect 1 "outside the valid range of the model, 300 to 360; the nearest is 360" energy "$folder/run" --kelvin 400
expect 1 "the nearest is 22" energy "$folder/run" --nanometres 7
expect 1 "the nearest is 0.5" energy "$folder/run" --volts none

# Bad input.
expect 1 "which results?" energy
expect 1 "no such directory" energy "$folder/none"
cp -r "$folder/run" "$folder/old"
sed -i 's/"schema_version": [0-9]*/"schema_version": 1/' "$folder/old/stats.json"
expect 1 "written by an older version of Strata" energy "$folder/old"
printf 'sm.thread: {value: 2, source: mine, obtained: measured}\n' >"$folder/c.yaml"
expect 1 "c.yaml:1" energy "$folder/run" --constants "$folder/c.yaml"
expect 1 "constant sm.thread has no unit" energy "$folder/run" --constants "$folder/c.yaml"
printf 'sm.thread: {value: 2, unit: pJ, obtained: measured}\n' >"$folder/c.yaml"
expect 1 "constant sm.thread has no source" energy "$folder/run" --constants "$folder/c.yaml"
printf 'module.cta_dispatcher.ctas_launched: {value: 1e9, unit: pJ, source: mine, obtained: chosen}\n' >"$folder/c.yaml"
expect 0 "other" energy "$folder/run" --constants "$folder/c.yaml"
printf "module.x.static: {value: 1, unit: pJ, source: a, obtained: b}\n" >"$folder/d.yaml"
expect 1 "is in pJ; the model takes it in mW" area tiny --constants "$folder/d.yaml"

expect 0 "12.3 mm" area isca19/shared
expect 0 "auxiliary tag directory" area isca19/adaptive
expect 0 "replication degree directory" area selrep20/selrep --json
expect 0 "as the netlist says" area hpca21/clustered_nodes
expect 1 "n1.link_mm: '0.01' is out of range" area hpca21/clustered_nodes --set n1.link_mm=0.01
expect 0 '"mm2"' area isca19/full_crossbar --json
expect 0 "the nearest inside is 40" area isca19/full_crossbar
expect 1 "did you mean 'isca19/shared'" area isca19/sharde
expect 0 "router area" energy --fit tb/data/power
expect 1 "dsent_routers_22nm.csv" energy --fit "$folder"
expect 1 "no results directory goes with it" energy --fit tb/data/power "$folder/run"
expect 0 "sram, between: area" energy --check tb/data/power
expect 1 "no results directory goes with it" energy --check tb/data/power "$folder/run"
exit $failed
