#!/bin/bash
# The program as users meet it: exit codes, messages, results. Usage: cli_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"
digest() { "$strata" run tiny --trace synthetic:random:loads=8 --quiet "$@" 2>&1 | tail -n 1; }

first=$(digest --out "$folder/one")
[[ $first =~ ^digest:\ [0-9a-f]{16}$ ]] || complain "no digest: $first"
[ "$first" = "$(digest --out "$folder/two")" ] || complain "two equal runs differ"
[ "$first" = "$(digest --out "$folder/three" --epoch 77)" ] || complain "the epoch length changes the digest"

# Checkers on every binding see many transactions and nothing wrong, and change nothing.
[ "$first" = "$(digest --out "$folder/checked" --check-protocol)" ] || complain "checking the protocol changes the digest"
grep -q '"protocol_violations": 0' "$folder/checked/stats.json" || complain "the protocol is violated"
grep -qE '"protocol_transactions": [1-9][0-9]{3}' "$folder/checked/stats.json" || complain "no transaction was checked"
grep -q '"protocol_violations"' "$folder/one/stats.json" && complain "violations are claimed although nothing was checked"
for platform in isca19/shared isca19/private; do
  plain=$("$strata" run "$platform" --trace traces/samples/vectoradd_160 --quiet --out "$folder/plain")
  checked=$("$strata" run "$platform" --trace traces/samples/vectoradd_160 --quiet --check-protocol --out "$folder/plain")
  [ "$plain" = "$checked" ] || complain "$platform: checking the protocol changes the digest: $checked"
  grep -q '"protocol_violations": 0' "$folder/plain/stats.json" || complain "$platform violates the protocol"
done

# Without the fast path nothing changes but the time of a run.
for platform in tiny isca19/shared qv100 tsc16/baseline; do
  with=$("$strata" run "$platform" --workload gemm@tiny --quiet --out "$folder/fast")
  without=$("$strata" run "$platform" --workload gemm@tiny --quiet --set run.fast_path=off --out "$folder/slow")
  [ "$with" = "$without" ] || complain "$platform: run.fast_path changes the digest: $with, off: $without"
done
grep -q 'fast_path: off' "$folder/slow/config.yaml" || complain "config.yaml does not say that the fast path is off"
expect 1 "run.fast_path: 'no' is no switch; allowed: on or off" run tiny --set run.fast_path=no --out "$folder/bad"

for file in config.yaml stats.json epochs.csv ledger.csv; do
  [ -s "$folder/one/$file" ] || complain "no $file"
done
[ "$first" = "$("$strata" run "$folder/one/config.yaml" --trace synthetic:random:loads=8 --quiet --out "$folder/again")" ] ||
  complain "the effective configuration does not give the same run"

# The seed reaches the trace and the configuration: config.yaml with the same trace is the same run.
seeded=$(digest --out "$folder/seeded" --seed 7 --max-instructions 100000)
[ "$first" != "$(digest --out "$folder/seed8" --seed 8)" ] || complain "--seed does nothing to a synthetic stream"
[ "$first" = "$(digest --out "$folder/seed1" --seed 1)" ] || complain "a seed of 1 is not the default"
grep -q '^  seed: 7$' "$folder/seeded/config.yaml" || complain "config.yaml does not hold the seed"
[ "$seeded" = "$("$strata" run "$folder/seeded/config.yaml" --trace synthetic:random:loads=8 --quiet --out "$folder/again")" ] ||
  complain "config.yaml with the same trace does not give the same digest"
[ "$("$strata" run tiny --trace synthetic:random:loads=8,seed=3 --quiet --out "$folder/again")" = \
  "$("$strata" run tiny --trace synthetic:random:loads=8,seed=3 --seed 9 --quiet --out "$folder/again")" ] ||
  complain "--seed changes a stream whose spec gives a seed"

expect 0 "l1_hit_rate" compare "$folder/one" "$folder/two"
expect 0 '"relative_change"' compare --json "$folder/one" "$folder/two"
expect 0 "PARTIAL   max-instructions" run tiny --trace synthetic:random --max-instructions 1000 --out "$folder/max"
grep -q '"partial": true' "$folder/max/stats.json" || complain "a limited run is not marked partial"
expect 0 "is partial" compare "$folder/one" "$folder/max"

expect 1 "did you mean 'run'" rnu
expect 1 "did you mean '--seed'" run tiny --trace synthetic:random --sead 3
expect 1 "did you mean 'tiny'" run tinny --trace synthetic:random
expect 1 "did you mean 'ways'" run tiny --trace synthetic:random --set llc.wayz=8
expect 1 "did you mean 'llc_hit_rate'" explain llc_hit_rat
expect 1 "no such directory" compare "$folder/none"
# lt is accepted, says what it runs, and runs that.
expect 0 "timing: lt runs the at blocks" run tiny --trace synthetic:random:ctas=2 --timing lt --out "$folder/lt"
expect 0 "digest" run tiny --trace synthetic:random:ctas=2 --out "$folder/at"
cmp -s <(grep '"digest"' "$folder/lt/stats.json") <(grep '"digest"' "$folder/at/stats.json") || complain "lt has another digest than at"
expect 0 "line accesses per cycle" run isca19/traffic_shared --set gen.accesses=20 --out "$folder/traffic"
expect 1 "need none" run isca19/traffic_shared --trace synthetic:random
expect 1 "max-instructions has no meaning" run isca19/traffic_shared --max-instructions 5 --out "$folder/limited"
expect 1 "which results" compare
expect 1 "--trace is missing" run tiny
expect 2 "no such file" run tiny --trace "$folder/none.traceg"
expect 1 "it is a file" run tiny --trace synthetic:random --out "$folder/one/stats.json"
expect 0 "figure summary.ipc" explain ipc
expect 0 "shared tag of a group" explain l1_tag_split
expect 0 "llc_slice" modules
expect 0 "usage: strata run" run --help
# What Strata comes with, and how large it is: 80 SMs, 64 slices of 96 KiB with links of 32 B at 1400 MHz, 8 channels of 128 B at 924 MHz;
# and a sentence, the first of the netlist.
"$strata" platforms isca19/shared >"$folder/platforms" || complain "platforms"
grep -Eq "^isca19/shared +80 +3.75 MiB +6 MiB +2 867 +946$" "$folder/platforms" || complain "platforms: $(cat "$folder/platforms")"
grep -qx "  Shared LLC behind the hierarchical crossbar (H-Xbar): 8 SM-routers of 10 SMs, 8 MC-routers of 8" "$folder/platforms" ||
  complain "no sentence: $(cat "$folder/platforms")"
[ "$(wc -L <"$folder/platforms")" -le 100 ] || complain "platforms: wider than 100 columns"
expect 0 '"llc_bytes": 98304' platforms tiny --json
expect 0 "isca19/variants/hynix" platforms --variants
expect 1 "no platform has 'nowhere' in its name" platforms nowhere
expect 0 "strata platforms isca19" platforms --help
[ "$("$strata" platforms | grep -c "^[a-z]")" -gt 20 ] || complain "platforms are missing: $("$strata" platforms)"
"$strata" workloads gemm >"$folder/workloads" || complain "workloads"
grep -Eq "^gemm +1 +1 +3.84 +0.034  matrix product" "$folder/workloads" || complain "workloads: $(cat "$folder/workloads")"
[ "$("$strata" workloads | wc -l)" = $(($("$strata" trace workloads | wc -l) + 1)) ] || complain "workloads are missing"
expect 0 "strata workloads bfs gemm --scale quick" workloads --help
expect 1 "no workload has 'nothing' in its name" workloads nothing
# Quiet is quiet: the digest, and nothing of what else was asked for, which is in the results.
quiet=$("$strata" run tiny --trace synthetic:random:loads=8,ctas=2 --quiet --what-if --energy --out "$folder/quiet" 2>&1)
[[ $quiet =~ ^digest:\ [0-9a-f]{16}$ ]] && [ -s "$folder/quiet/what_if.json" ] || complain "--quiet says: $quiet"
expect 1 "--what-if: goes with --platform, which simulates" app --what-if -- ls
expect 1 "--live: draws on a terminal" app --platform tiny --live -- ls
expect 1 "--by-source and --what-if both watch the L1s" app --platform tiny --by-source --what-if -- ls

# The disk fills up while results are written: a clear message, the old results stay as they were.
before=$(md5sum "$folder/one/stats.json")
output=$(ulimit -f 4; "$strata" run tiny --trace synthetic:random:loads=8 --quiet --out "$folder/one" 2>&1)
[ $? -eq 1 ] || complain "disk full: wrong exit code: $output"
grep -q "cannot write" <<<"$output" || complain "disk full: no clear message: $output"
[ "$before" = "$(md5sum "$folder/one/stats.json")" ] || complain "disk full: the old results were touched"
[ -z "$(find "$folder" -maxdepth 1 -name '.*.new.*')" ] || complain "drafts were left behind"

# An interrupt keeps what was simulated.
"$strata" run tiny --trace synthetic:random:footprint=64MiB,loads=2000 --quiet --out "$folder/int" >/dev/null 2>&1 &
pid=$!
sleep 1
# By then it has asked for large pages, where there are any; sanitizers have an allocator of their own.
if [ -e /sys/kernel/mm/transparent_hugepage/enabled ] && (ulimit -v 4000000; "$strata" --version >/dev/null 2>&1); then
  awk '/^[0-9a-f]+-/ { heap = /\[heap\]/ } heap && /^VmFlags:.* hg/ { large = 1 } END { exit !large }' /proc/$pid/smaps ||
    complain "the heap is not to lie in large pages"
fi
kill -TERM $pid
wait $pid
[ $? -eq 130 ] || complain "interrupt: wrong exit code"
grep -q '"reason": "interrupted"' "$folder/int/stats.json" || complain "interrupt: not marked"
exit $failed
