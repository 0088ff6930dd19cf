#!/bin/bash
# Prefetchers of L1s and of LLC slices in whole runs. Usage: prefetch_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. tb/system/expect.sh "$1"

# run NAME SETTINGS...: four warps go through memory, each waiting for one load after the other.
run() {
  local name=$1
  shift
  "$strata" run tiny --trace synthetic:streaming:ctas=2,warps=2,loads=200,in_flight=1 --quiet --out "$folder/$name" "${@/#/--set=}" >"$folder/log" 2>&1 ||
    complain "$name: $(tail -n 3 "$folder/log")"
}
# sum COUNTER MODULE NAME: over the instances of a module.
sum() {
  python3 - "$folder/$3/stats.json" "$1" "$2" <<'PY'
import json, sys
stats = json.load(open(sys.argv[1]))
print(sum(i["counters"].get(sys.argv[2], 0) for i in stats["instances"].values() if i["module"] == sys.argv[3]))
PY
}
run none
run default l1.prefetcher=none llc.prefetcher=none
cmp <(grep '"digest"' "$folder/none/stats.json") <(grep '"digest"' "$folder/default/stats.json") || complain "none is not the default"
grep -q '"prefetches"' "$folder/none/stats.json" && complain "a run without prefetchers reports them"
for prefetcher in next_line stride stream; do
  run "$prefetcher" l1.prefetcher=$prefetcher llc.prefetcher=$prefetcher
  [ "$(sum prefetches l1_private $prefetcher)" -gt 0 ] || complain "$prefetcher: L1s prefetched nothing"
  # SMs see no prefetch, and LLC slices read each.
  [ "$(sum line_accesses sm_cluster $prefetcher)" = "$(sum line_accesses sm_cluster none)" ] || complain "$prefetcher: SMs count prefetches"
  [ "$(sum accesses l1_private $prefetcher)" = "$(sum accesses l1_private none)" ] || complain "$prefetcher: L1s count prefetches as loads"
  [ "$(sum prefetch_reads llc_slice $prefetcher)" = "$(sum prefetches l1_private $prefetcher)" ] ||
    complain "$prefetcher: LLC slices did not read each prefetch"
  run $prefetcher.again l1.prefetcher=$prefetcher llc.prefetcher=$prefetcher
  cmp <(grep '"digest"' "$folder/$prefetcher/stats.json") <(grep '"digest"' "$folder/$prefetcher.again/stats.json") ||
    complain "$prefetcher: two runs differ"
done
# Far enough ahead lines are there when they are asked for, and the run is shorter.
run ahead l1.prefetcher=stride l1.prefetch_distance=8 l1.prefetch_mshrs=16
[ "$(sum prefetch_useful l1_private ahead)" -gt 100 ] || complain "few prefetched lines were used in time"
cycles() { sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' "$folder/$1/stats.json"; }
[ "$(($(cycles ahead) * 2))" -lt "$(cycles none)" ] || complain "$(cycles ahead) cycles with prefetches, $(cycles none) without"

expect 1 "llc.prefetcher is stream, but the organization of the LLC keeps replicas of lines" run selrep20/selrep --set llc.prefetcher=stream --trace synthetic:random
expect 1 "llc.prefetcher is stream, but the organization of the LLC changes while kernels run" run isca19/adaptive --set llc.prefetcher=stream --trace synthetic:random
expect 1 "l1.prefetcher: 'strid' is no choice; allowed: none, next_line, stride, stream (did you mean 'stride'?)" run tiny --set l1.prefetcher=strid --trace synthetic:random
exit $failed
