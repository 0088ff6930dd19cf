#!/bin/bash
# The record cache and the worker through the program. Usage: trace_cache_test.sh PROGRAM
. "$(dirname "$0")/expect.sh"
export STRATA_CACHE=$folder/cache
trace=$folder/vectoradd
cp -r traces/samples/vectoradd_160 "$trace"

# run ARGUMENTS...: prints the digest; results in $folder/out, complaints in $folder/said.
platform=tiny
run() {
  "$strata" run $platform "$@" --quiet --out "$folder/out" 2>"$folder/said" | tail -n 1
}
# from TEXT: what stats.json of the last run says it was read from.
from() { grep -q "\"read_from\": \"$1" "$folder/out/stats.json" || complain "read from $(grep read_from "$folder/out/stats.json"), not $1"; }
records() { find "$folder/cache" -name '*.strata' 2>/dev/null | wc -l; }
# same A B MESSAGE: two digests.
same() { [ "$1" = "$2" ] && [[ $1 =~ ^digest: ]] || complain "$3: $1, $2"; }
facts() { # results but for the host's figures and what the run was read from
  grep -v '"started"\|"command"\|"read_from"\|seconds"\|_second"\|_bytes"' "$folder/out/stats.json"
  cat "$folder/out/kernels.csv" "$folder/out/ledger.csv" "$folder/out/epochs.csv"
}

# The second run reads a record and is the first in everything.
for what in "--trace $trace" "--workload va@tiny"; do
  first=$(run $what)
  facts >"$folder/first"
  from $([[ $what == *trace* ]] && echo trace || echo PTX)
  same "$first" "$(run $what)" "$what: the second run differs"
  from "record "
  facts | cmp -s - "$folder/first" || complain "$what: results of the second run differ: $(facts | diff - "$folder/first" | head -n 5)"
  same "$first" "$(run $what --no-cache)" "$what: without the cache"
  from $([[ $what == *trace* ]] && echo trace || echo PTX)
  same "$first" "$(run $what --no-cache --no-worker)" "$what: without a worker"
  same "$first" "$(run $what --no-worker)" "$what: a record without a worker"
  [ -s "$folder/said" ] && complain "$what: something was said: $(cat "$folder/said")"
done
[ "$(records)" -eq 2 ] || complain "there are $(records) records, not 2"

# Several programs have a record each.
platform=isca19/shared
first=$(run --trace "$trace" --workload va@tiny --no-cache)
same "$first" "$(run --trace "$trace" --workload va@tiny)" "two programs"
from "record .* + record "
same "$first" "$(run --trace "$trace" --workload va@tiny --no-worker)" "two programs without a worker"
platform=tiny

# What changes the stream misses: options, values, contents. A copy elsewhere does not.
run --workload va@tiny --loads-in-flight 2 >/dev/null; from PTX
run --workload va@tiny --read-only none >/dev/null; from PTX
run --workload va@tiny --launch-instructions 123456789 >/dev/null; from PTX
run --workload va@tiny:n=2048 >/dev/null; from PTX
cp -r "$trace" "$folder/copy"
run --trace "$folder/copy" >/dev/null; from "record "
grep -q "Accel-Sim trace $folder/copy" "$folder/out/stats.json" || complain "the copy is not called by its name"
echo "MemcpyHtoD,0x7f0000000000,64" >>"$folder/copy/kernelslist.g"
run --trace "$folder/copy" >/dev/null; from trace

# A run that ends early leaves no record, or a whole one; limits hold with a record too.
"$strata" trace cache --clear >/dev/null || complain "trace cache --clear fails"
[ "$(records)" -eq 0 ] || complain "--clear leaves records"
first=$(run --trace traces/samples/matmul_512 --max-instructions 200000)
[ "$(records)" -eq 0 ] || complain "a record of a part"
run --trace "$trace" >/dev/null
full=$(run --trace "$trace" --max-instructions 20000 --no-cache)
same "$full" "$(run --trace "$trace" --max-instructions 20000)" "a limit with a record"
from "record "

# Damage is reported in one line, and mended.
record=$(find "$folder/cache" -name '*.strata')
good=$(run --trace "$trace" --no-cache)
printf '\377' | dd of="$record" bs=1 seek=200 conv=notrunc 2>/dev/null
same "$good" "$(run --trace "$trace")" "a damaged record"
grep -q "damaged record, which is made anew: .*$record" "$folder/said" || complain "damage: not reported: $(cat "$folder/said")"
[ "$(wc -l <"$folder/said")" -eq 1 ] || complain "damage: more than a line: $(cat "$folder/said")"
from trace
same "$good" "$(run --trace "$trace")" "a mended record"
from "record "

# No place for records: said once, and the run goes on.
STRATA_CACHE=$trace/kernelslist.g/cache same "$good" "$(STRATA_CACHE=$trace/kernelslist.g/cache run --trace "$trace")" "no place"
grep -q "records are not kept: cannot write" "$folder/said" || complain "no place: not reported: $(cat "$folder/said")"
[ "$(wc -l <"$folder/said")" -eq 1 ] || complain "no place: more than a line: $(cat "$folder/said")"
same "$good" "$(STRATA_CACHE=off run --trace "$trace")" "STRATA_CACHE=off"
[ -s "$folder/said" ] && complain "off: something was said"
same "$good" "$(run --trace "$trace" --cache "$folder/other")" "--cache"
[ -n "$(find "$folder/other" -name '*.strata')" ] || complain "--cache: no record there"

# The disk is full: reported, no part of a record is left.
"$strata" trace convert traces/samples/hotline_l1 "$folder/sized.strata" >/dev/null
[ "$(stat -c %s "$folder/sized.strata")" -gt 2048 ] || complain "the sample's record is too small for this test"
output=$(ulimit -f 2; "$strata" trace info traces/samples/hotline_l1 --cache "$folder/full" 2>&1 >/dev/null)
grep -q "the record is not kept: .*File too large" <<<"$output" || complain "disk full: not reported: $output"
[ -z "$(find "$folder/full" -type f)" ] || complain "disk full: something is left: $(find "$folder/full" -type f)"

# kill -9 in the midst leaves a draft, which the next writer takes with it, and never a record.
for _ in 1 2 3 4 5; do
  "$strata" run isca19/shared --trace traces/samples/matmul_512 --quiet --cache "$folder/killed" --out "$folder/k" >/dev/null 2>&1 &
  pid=$!
  for _ in $(seq 100); do [ -n "$(find "$folder/killed" -name '.*.new.*' 2>/dev/null)" ] && break; sleep 0.01; done
  kill -9 $pid
  wait $pid 2>/dev/null
done
run --trace "$trace" --cache "$folder/killed" >/dev/null
[ -z "$(find "$folder/killed" -name '.*.new.*')" ] || complain "drafts of dead processes are left"
for record in "$folder/killed"/*.strata; do "$strata" trace check "$record" >/dev/null || complain "$record is half a record"; done

# Two writers at once: one whole record, equal digests.
for i in 1 2; do
  "$strata" run tiny --workload va@quick --max-instructions 4000000 --quiet --cache "$folder/both" --out "$folder/out$i" >"$folder/digest$i" 2>&1 &
done
wait
cmp -s "$folder/digest1" "$folder/digest2" || complain "two writers: $(cat "$folder/digest1" "$folder/digest2")"
for record in "$folder/both"/*.strata; do
  [ ! -e "$record" ] || "$strata" trace check "$record" >/dev/null || complain "two writers: $record is not sound"
done

# A limit: the longest unused go.
export STRATA_CACHE=$folder/limited
for sample in vectoradd_160 vectoradd_640 chase_8K; do "$strata" trace info traces/samples/$sample >/dev/null; done
expect 0 "3 records" trace cache
touch -d 2001-01-01 "$(grep -l . "$STRATA_CACHE"/*.strata | head -n 1)"
expect 0 "2 records" trace cache --limit 1100
expect 0 "of at most 1.1 kB" trace cache
expect 1 "'much' is no size" trace cache --limit much
expect 0 "0 records" trace cache --clear
expect 1 "exclude each other" run tiny --trace "$trace" --cache x --no-cache
STRATA_CACHE=off expect 1 "there is none" trace cache
expect 0 "trace cache" trace cache --help

# A fault in the midst: the same words, exit code and partial results with and without a worker and cache.
export STRATA_CACHE=$folder/faulty
mkdir "$folder/cut"
xzcat traces/samples/matmul_512/kernel-1.traceg.xz | head -c 25000000 >"$folder/cut/kernel-1.traceg"
echo kernel-1.traceg >"$folder/cut/kernelslist.g"
for way in "--no-cache --no-worker" "--no-cache" "--no-worker" ""; do
  "$strata" run isca19/shared --trace "$folder/cut" $way --quiet --out "$folder/fault$way" >"$folder/digest" 2>"$folder/said"
  [ $? -eq 2 ] || complain "cut file $way: not exit code 2"
  cat "$folder/said" >>"$folder/digest"
  [ -e "$folder/fault$way/stats.json" ] || complain "cut file $way: no partial results"
  [ -e "$folder/expected" ] || cp "$folder/digest" "$folder/expected"
  cmp -s "$folder/digest" "$folder/expected" || complain "cut file $way: $(cat "$folder/digest"), not $(cat "$folder/expected")"
done
expect 0 "0 records" trace cache

# An interrupt ends a run with its worker, and leaves no part.
"$strata" run isca19/shared --workload gemm@paper --quiet --out "$folder/stopped" >/dev/null 2>&1 &
pid=$!
sleep 2
kill -INT $pid
wait $pid
[ $? -eq 130 ] || complain "interrupt: not exit code 130"
[ -z "$(find "$STRATA_CACHE" -name '.*.new.*')" ] || complain "interrupt: a part of a record was left"
exit $failed
