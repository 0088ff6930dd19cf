#!/bin/bash
# LLC organizations from the command line: messages for bad ones, and the files that their decisions leave.
# Usage: llc_cli_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"

# refused TEXT SETTINGS...: one line that names the key and what is allowed.
refused() {
  local text=$1 output
  shift
  output=$("$strata" run isca19/adaptive --trace synthetic:random --out "$folder/bad" "${@/#/--set=}" 2>&1)
  [ $? -eq 1 ] || complain "$*: not refused: $output"
  grep -qF -- "$text" <<<"$output" || complain "$*: no '$text' in: $output"
  [ "$(wc -l <<<"$output")" -eq 1 ] || complain "$*: more than one line: $output"
}

refused 'ctl.epoch: is 50000 cycles, but profiling alone takes 50000; it must be longer' ctl.epoch=50000
refused 'ctl.degree: is 3, which does not divide the 8 clusters; the next smaller that does is 2' \
  ctl.organization=static ctl.degree=3
refused 'ctl.degree is 8, which does not divide the 4 slices of a memory controller' \
  ctl.organization=static ctl.degree=8 llc.count=32
refused 'a router that is bypassed connects input i to output i' sm.count=4
refused 'ctl.clusters is 4, but there are 8 SM clusters' ctl.clusters=4
refused 'l1.prefetcher is stride, but the organization of the LLC changes while kernels run' l1.prefetcher=stride
refused 'ctl.gates: is 8, but a private LLC never changes' ctl.organization=private

# Every decision is written down; so is what each epoch was like.
"$strata" run isca19/adaptive --trace synthetic:random:ctas=80,loads=128,in_flight=2,footprint=64KiB --quiet \
  --out "$folder/run" --epoch 500 --set ctl.profile=500 --set ctl.epoch=5000 --set ctl.margin=100 >/dev/null || complain "adaptive run"
head -n 1 "$folder/run/llc_choices.csv" | grep -qx 'cycle,why,mode,degree,compared_degree,miss_rate,lsp,bytes_per_cycle,instructions_per_cycle' ||
  complain "llc_choices.csv: $(cat "$folder/run/llc_choices.csv")"
grep -q '^500,rule 1,private,8,1,' "$folder/run/llc_choices.csv" || complain "no decision in cycle 500"
column=$(head -n 1 "$folder/run/epochs.csv" | tr , '\n' | grep -nx llc_private_cycles | cut -d: -f1)
[ -n "$column" ] || complain "epochs.csv lacks llc_private_cycles"
tail -n +2 "$folder/run/epochs.csv" | cut -d, -f"$column" | grep -qx 500 || complain "no epoch was wholly private"
# Of each epoch: what the slices served together is what the LLC did.
column=$(head -n 1 "$folder/run/epochs.csv" | tr , '\n' | grep -nx llc_accesses | cut -d: -f1)
cut -d, -f1,2,"$column" "$folder/run/epochs.csv" | tail -n +2 >"$folder/all"
awk -F, 'NR > 1 { sum = 0; for (i = 3; i <= NF; ++i) sum += $i; print $1 "," $2 "," sum }' "$folder/run/slices.csv" |
  cmp -s - "$folder/all" || complain "slices.csv does not add up to epochs.csv"
head -n 1 "$folder/run/slices.csv" | grep -qF 'end_cycle,cycles,llc[0],llc[1],' || complain "slices.csv: no names"
head -n 1 "$folder/run/epochs.csv" | grep -q ',llc_parallelism$' || complain "epochs.csv lacks the slice parallelism"
"$strata" run tiny --trace synthetic:random:loads=8 --quiet --out "$folder/plain" >/dev/null
head -n 1 "$folder/plain/epochs.csv" | grep -q llc_private && complain "epochs.csv speaks of a control that is not there"
[ -e "$folder/plain/llc_choices.csv" ] && complain "a shared LLC decides nothing"

# Copies of read-only lines spread the load over slices at the price of misses.
for degree in 1 8; do
  "$strata" run isca19/private --trace synthetic:random:ctas=80,loads=64,footprint=1MiB,read_only=true --quiet \
    --set ctl.organization=static --set ctl.degree=$degree --set mcr.bypass=false --set llc.write=back \
    --out "$folder/copies$degree" >/dev/null || complain "static, degree $degree"
done
reads() { grep -o '"dram_reads": [0-9]*' "$1/stats.json" | head -n 1 | grep -o '[0-9]*$'; }
[ "$(reads "$folder/copies8")" -gt "$(reads "$folder/copies1")" ] || complain "copies cost no fetches"
exit $failed
