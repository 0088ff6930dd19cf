#!/bin/bash
# `strata trace export` as users meet it: a workload and its trace run alike, and nothing is lost when it fails.
# Usage: trace_export_test.sh PROGRAM [WORKLOAD...]: these in place of the usual ones; `all`: every one that there is.
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"
shift
workloads=${*:-bfs gemm histo lud}
[ "$workloads" = all ] && workloads=$("$strata" trace workloads | sed 's/ .*//')

run() { "$strata" run "$@" --no-cache --quiet --out "$folder/out" 2>&1 | tail -n 1; }
for w in $workloads; do
  trace=$folder/$w
  "$strata" trace export "$w@tiny" --out "$trace" >/dev/null || complain "$w: not exported"
  "$strata" trace check "$trace" | grep -q sound || complain "$w: not sound"
  diff <("$strata" trace info --json --no-cache "workload:$w@tiny" | grep -v '"source"') \
    <("$strata" trace info --json --no-cache "$trace" | grep -v '"source"') || complain "$w: the trace counts differently"
  for p in isca19/shared qv100/qv100; do
    of_ptx=$(run $p --workload "$w@tiny")
    [[ $of_ptx =~ ^digest:\ [0-9a-f]{16}$ ]] || complain "$w on $p: no digest: $of_ptx"
    [ "$of_ptx" = "$(run $p --trace "$trace")" ] || complain "$w on $p: the trace runs differently"
  done
  rm -rf "$trace"
done

# A pipeline of bulk copies with barriers in shared memory: the trace counts the same and takes the same time, within 2 %.
pipeline=tb/data/ptx/bulk_pipeline.yaml@tiny
"$strata" trace export "$pipeline" --out "$folder/pipeline" >/dev/null || complain "the pipeline: not exported"
diff <("$strata" trace info --json --no-cache "workload:$pipeline" | grep -v '"source"') \
  <("$strata" trace info --json --no-cache "$folder/pipeline" | grep -v '"source"') || complain "the pipeline: the trace counts differently"
cycles() {
  "$strata" run qv100/qv100 "$@" --no-cache --quiet --out "$folder/out" >/dev/null 2>&1
  sed -n 's/^ *"cycles": \([0-9]*\).*/\1/p' "$folder/out/stats.json" | head -n 1
}
of_ptx=$(cycles --workload "$pipeline") of_trace=$(cycles --trace "$folder/pipeline")
[ $((100 * (of_ptx > of_trace ? of_ptx - of_trace : of_trace - of_ptx))) -le $((2 * of_ptx)) ] || complain "the pipeline: $of_ptx cycles, $of_trace of its trace"

# A trace of a trace is the same run; compressed too, and through a record.
"$strata" trace export traces/samples/vectoradd_160 --out "$folder/again" --xz >/dev/null || complain "no export of a trace"
[ -e "$folder/again/kernel-1.traceg.xz" ] && [ ! -e "$folder/again/kernel-1.traceg" ] || complain "not compressed"
[ "$(run tiny --trace traces/samples/vectoradd_160)" = "$(run tiny --trace "$folder/again")" ] || complain "its run differs"
"$strata" trace convert traces/samples/vectoradd_160 "$folder/r.strata" >/dev/null
"$strata" trace export "$folder/r.strata" --out "$folder/of/record" --xz >/dev/null || complain "no export of a record"
cmp "$folder/again/kernel-1.traceg.xz" "$folder/of/record/kernel-1.traceg.xz" || complain "a record is exported differently"

expect 0 "strata trace export gemm@tiny --out gemm-trace" trace export --help
expect 0 "1 kernels, 160 CTAs" trace export synthetic:random:loads=4 --out "$folder/synthetic"
expect 1 "expected a folder that is empty or not there, found one with files in it" trace export gemm@tiny --out "$folder/again"
[ -e "$folder/again/kernelslist.g" ] || complain "what was there is gone"
expect 1 "found a file" trace export gemm@tiny --out "$folder/r.strata"
expect 1 "'nvbit' is no format; allowed: accelsim" trace export gemm@tiny --format nvbit --out "$folder/x"
expect 1 "--out DIR is missing" trace export gemm@tiny
expect 1 "no workload 'gem'" trace export gem --out "$folder/x"
expect 1 "no program is given" trace export --out "$folder/x" --
expect 2 "no such file" trace export "$folder/none.traceg:" --out "$folder/x"
ln -s "$folder/nowhere" "$folder/dangling"
expect 1 "is a broken link" trace export gemm@tiny --out "$folder/dangling"
mkdir "$folder/empty" && ln -s "$folder/empty" "$folder/linked"
expect 0 "1 kernels, 15 CTAs" trace export gemm@tiny --out "$folder/linked/"
[ -e "$folder/empty/kernelslist.g" ] && [ -L "$folder/linked" ] || complain "not written behind the link"
"$strata" trace export rn@quick --out "$folder/ended" 2>"$folder/said" &
sleep 1
kill -INT $!
wait $!
[ $? -eq 130 ] || complain "an interrupt: not exit code 130"
grep -q "was not written" "$folder/said" && [ ! -e "$folder/ended" ] || complain "an interrupt leaves a trace"
[ ! -e "$folder/x" ] || complain "a folder was written"
mkdir "$folder/closed"
if [ "$(id -u)" -ne 0 ]; then
  chmod u-w "$folder/closed"
  expect 1 "cannot write" trace export gemm@tiny --out "$folder/closed/x"
fi
expect 1 "cannot write" trace export gemm@tiny --out /proc/none/x
[ -z "$(find "$folder" -maxdepth 1 -name '.*.new.*')" ] || complain "drafts are left"
exit $failed
