#!/bin/bash
# Workloads as users meet them: listing, recording, verifying, simulating. Usage: workload_cli_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"
digest() { "$strata" run "$@" --quiet --out "$folder/run" 2>&1 | tail -n 1; }

# Streaming gives the digest of recording first.
for workload in gemm@tiny bfs@tiny:nodes=500 lud@tiny; do
  expect 0 "as the reference" trace record "$workload" --out "$folder/record" --verify
  streamed=$(digest tiny --workload "$workload")
  [[ $streamed =~ ^digest:\ [0-9a-f]{16}$ ]] || complain "$workload: no digest: $streamed"
  [ "$streamed" = "$(digest tiny --trace "workload:$workload")" ] || complain "$workload: --trace workload: differs"
  [ "$streamed" = "$(digest tiny --trace "$folder/record")" ] || complain "$workload: the record gives another digest"
done
[ "$(digest tiny --workload gemm@tiny)" != "$(digest tiny --workload gemm@tiny --loads-in-flight 0)" ] ||
  complain "the order of loads changes nothing"

expect 0 "gemm" trace workloads
expect 0 "lud_internal grid 3x3x1" trace workloads lud@tiny
expect 0 "| va@tiny |" trace workloads va --measure
expect 0 "as the reference" trace record traces/samples/saxpy/saxpy.yaml --verify
expect 0 "| va@quick |" trace workloads va@quick --measure --scale tiny
# The page of figures lists every workload, with what it is today.
page=docs/workload-figures.md
while read -r name _; do
  [ "$(grep -c "^| $name@paper |" $page)" = 1 ] || complain "$page: no figures of $name, or twice"
done < <("$strata" trace workloads)
while read -r line; do
  grep -qxF -- "$line" $page || complain "$page lacks: $line"
done < <("$strata" trace workloads --sources)
expect 0 "" trace workloads va@tiny --dump "$folder/dump"
for file in workload.txt 0.ptx 0.initial 0.expected; do
  [ -s "$folder/dump/$file" ] || complain "no $file in the dump"
done

# A result that differs is exit code 2.
cp traces/samples/saxpy/saxpy.* "$folder"
head -c 4000 /dev/zero > "$folder/y_expected.bin"
expect 2 "differ" trace record "$folder/saxpy.yaml" --verify

expect 1 "no workload 'gem' (did you mean 'gemm'?)" run tiny --workload gem
expect 1 "did you mean 'quick'" run tiny --workload gemm@quik
expect 1 "one of them, not both" run tiny --workload gemm --trace synthetic:random
expect 1 "give --out" trace record gemm
expect 1 "did you mean 'analysis'" run tiny --workload gemm --read-only analysys
expect 1 "at most 64" run tiny --workload gemm --loads-in-flight 65
sed -i 's/kernel: saxpy/kernel: saxpi/' "$folder/saxpy.yaml"
expect 1 "saxpy.yaml:10:14: kernel 'saxpi' not found (did you mean 'saxpy'?)" trace record "$folder/saxpy.yaml" --verify
# The kernel reaches beyond a buffer that is too small: exit code 2, with the place.
sed -i 's/kernel: saxpi/kernel: saxpy/; s/x: {type: f32, count: n/x: {type: f32, count: n - 1/' "$folder/saxpy.yaml"
expect 2 "saxpy" trace record "$folder/saxpy.yaml" --verify
exit $failed
