#!/bin/bash
# `strata noc` as users meet it: columns, seeds, pictures, messages. Usage: noc_cli_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"

# refuse TEXT ARGUMENTS...: exit code 1 and exactly one message, which holds TEXT.
refuse() {
  local text=$1
  shift
  local output
  output=$("$strata" noc "$@" 2>&1)
  local got=$?
  [ $got -eq 1 ] || complain "strata noc $*: exit code $got: $output"
  [ "$(wc -l <<<"$output")" -eq 1 ] || complain "strata noc $*: not one message: $output"
  grep -qF -- "$text" <<<"$output" || complain "strata noc $*: no '$text' in: $output"
}
run() { "$strata" noc --cycles 3000 --warmup 500 "$@" || complain "strata noc $*"; }

header=load,accepted,net_latency_mean,net_latency_p50,net_latency_p95,net_latency_p99,source_min,source_max,dest_min,dest_max,dest0,wait_mean

# The largest network that messages allow: 4096 sources.
"$strata" noc --topology fly:16x3 --cycles 100 --warmup 10 --load 0.1 | grep -q "^0.1,0.09" || complain "no network of 4096 sources"
"$strata" noc --help | grep -qF "strata noc --topology hxbar:8x10x8" || complain "no example in --help"
run --load 0.1:0.5:0.1 --packet-flits 5 --plot "$folder/p.svg" >"$folder/a.csv"
[ "$(head -1 "$folder/a.csv")" = $header ] || complain "columns: $(head -1 "$folder/a.csv")"
[ "$(wc -l <"$folder/a.csv")" -eq 6 ] || complain "5 loads give $(wc -l <"$folder/a.csv") lines"
[ "$(cut -d, -f1 "$folder/a.csv" | tail -n +2 | tr '\n' ' ')" = "0.1 0.2 0.3 0.4 0.5 " ] || complain "loads"
grep -q "</svg>" "$folder/p.svg" || complain "no picture"
# A queue of an endless source grows where the network takes less than it makes: the latency from there on has a knee, which the picture
# marks. Below it a packet hardly waits.
run --load 0.05:1:0.05 --packet-flits 5 --plot "$folder/knee.svg" >"$folder/knee.csv"
[ "$(awk -F, 'NR == 2 {print ($12 < 1)}' "$folder/knee.csv")$(awk -F, 'END {print ($12 > 100)}' "$folder/knee.csv")" = 11 ] ||
  complain "waits of sources: $(cut -d, -f1,3,12 "$folder/knee.csv")"
knee=$(grep -o "knee at 0\.[0-9]*" "$folder/knee.svg" | grep -o "0\.[0-9]*")
[ "$(awk -F, -v knee="${knee:-2}" 'NR == 2 {limit = 3 * ($3 + $12)} NR > 1 && $1 < knee && $3 + $12 >= limit {bad = 1}
  NR > 1 && $1 > knee + 0.01 && $3 + $12 < limit {bad = 1} END {print bad + 0}' "$folder/knee.csv")" = 0 ] ||
  complain "the knee at '$knee': $(cut -d, -f1,3,12 "$folder/knee.csv")"
grep -q "knee at" "$folder/p.svg" && [ "$(awk -F, 'NR == 2 {limit = 3 * ($3 + $12)} END {print ($3 + $12 < limit)}' "$folder/a.csv")" = 1 ] &&
  complain "a knee where there is none"
# A seed names a run; another seed is another one.
run --load 0.1:0.5:0.1 --packet-flits 5 >"$folder/b.csv"
cmp -s "$folder/a.csv" "$folder/b.csv" || complain "the same seed gives other figures"
run --load 0.1:0.5:0.1 --packet-flits 5 --seed 2 >"$folder/c.csv"
cmp -s "$folder/a.csv" "$folder/c.csv" && complain "another seed gives the same figures"
# One hop: 2 + 5 cycles; permutation traffic never waits with 4 VCs, whatever the load.
run --load 1 --vcs 4 --buffer 4 --traffic permutation >"$folder/d.csv"
[ "$(tail -1 "$folder/d.csv" | cut -d, -f2-6)" = "1.000000,7.0000,7,7,7" ] || complain "$(tail -1 "$folder/d.csv")"
# Two hops: 2 + 2 x 5 + 4.
for topology in fly:8x2 hxbar:8x10x8; do
  run --load 0.001 --packet-flits 5 --topology $topology >"$folder/e.csv"
  [ "$(tail -1 "$folder/e.csv" | cut -d, -f4)" = 16 ] || complain "$topology: $(tail -1 "$folder/e.csv")"
done
# One destination takes a flit a cycle at most: 8 sources get an eighth each.
run --load 1 --vcs 4 --traffic all-to-one >"$folder/f.csv"
[ "$(tail -1 "$folder/f.csv" | cut -d, -f10,11)" = "1.000000,1.000000" ] || complain "$(tail -1 "$folder/f.csv")"
[ "$(tail -1 "$folder/f.csv" | cut -d, -f9)" = "0.000000" ] || complain "others get something"
# Private slices: no two clusters meet behind the first stage, so that more passes than under uniform traffic.
for traffic in private-llc uniform hotspot:0.2; do
  run --load 0.5 --packet-flits 5 --topology hxbar:8x10x8 --traffic $traffic >"$folder/$traffic.csv"
done
accepted() { tail -1 "$folder/$1.csv" | cut -d, -f2; }
[ "$(awk -v a="$(accepted private-llc)" -v b="$(accepted uniform)" 'BEGIN {print (a > b)}')" = 1 ] ||
  complain "private-llc $(accepted private-llc), uniform $(accepted uniform)"
[ "$(awk -v a="$(accepted hotspot:0.2)" -v b="$(accepted uniform)" 'BEGIN {print (a < b)}')" = 1 ] ||
  complain "hotspot $(accepted hotspot:0.2), uniform $(accepted uniform)"
for option in --flit-exact --voq --hold-switch --lookahead "--speedup 2" "--iterations 3" "--pipeline 3" "--link 4"; do
  run --load 0.2 --vcs 2 $option >/dev/null
done

refuse "--vcs: 0 virtual channels of a port; allowed: 1 to 16" --vcs 0
refuse "--buffer: 0 flits of a virtual channel, which must hold one at least" --buffer 0
refuse "--load: 1.5 is outside (0, 1]" --load 1.5
refuse "--load: 0 is outside (0, 1]" --load 0
refuse "--load: 'x' is no number" --load 0.1,x
refuse "is no range" --load 0.5:0.1:0.1
refuse "'unifrom' is unknown (did you mean 'uniform'?)" --traffic unifrom
refuse "write hotspot:F" --traffic hotspot:2
refuse "'mesh' is unknown; allowed: xbar, fly:KxN, hxbar:CxAxM" --topology mesh
refuse "write fly:KxN" --topology fly:8
refuse "write hxbar:CxAxM" --topology hxbar:8x10
refuse "300 sources of a cluster; allowed: 1 to 256" --topology hxbar:2x300x8
refuse "--inputs: this topology has 64" --topology fly:8x2 --inputs 9
refuse "--packet-flits: 0 flits of a packet; allowed: 1 to 80" --packet-flits 0
refuse "--vcs: 'four' is not a whole number" --vcs four
refuse "--seed: '-1' is not a whole number" --seed -1
refuse "cannot write" --plot "$folder/none/p.svg"
refuse "no option '--bufer' (did you mean '--buffer'?)" --bufer 3
exit $failed
