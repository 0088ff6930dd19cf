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
page=docs/methods/workload-figures.md
while read -r name _; do
  [ "$(grep -c "^| $name@paper | [0-9]" $page)" = 1 ] || complain "$page: no figures of $name, or twice"
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

# A constant that the host sets, a kernel named without its mangling, and one beside it that is not interpreted.
cat > "$folder/scale.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.const .align 4 .b8 factor[4];
.visible .entry _Z5scalePf(.param .u64 p)
{
.reg .b64 %d<4>; .reg .b32 %r<3>; .reg .f32 %f<4>;
ld.param.u64 %d1, [p];
mov.u32 %r1, %tid.x;
mul.wide.u32 %d2, %r1, 4;
add.s64 %d3, %d1, %d2;
ld.const.f32 %f1, [factor];
ld.global.f32 %f2, [%d3];
mul.f32 %f3, %f1, %f2;
st.global.f32 [%d3], %f3;
ret;
}
.visible .entry queried(.param .u64 t)
{
.reg .b32 %r<2>; .reg .b64 %d<2>;
ld.param.u64 %d1, [t];
txq.num_samples.b32 %r1, [%d1];
ret;
}
PTX
cat > "$folder/scale.yaml" <<'YAML'
workload: scale by a constant
module: scale.ptx
buffers:
  factor: {type: f32, count: 1, fill: value(2.5), symbol: factor}
  data: {type: f32, count: 32, fill: value(4)}
launches:
  - {kernel: scale, grid: 1, block: 32, arguments: [data]}
outputs: {data: {file: expected.bin}}
YAML
for _ in $(seq 32); do printf '\000\000\040\101'; done > "$folder/expected.bin"  # 10.0
expect 0 "as the reference" trace record "$folder/scale.yaml" --verify
sed -i 's/symbol: factor/symbol: factr/' "$folder/scale.yaml"
expect 1 "scale.yaml:4:59: no variable 'factr' in the modules (did you mean 'factor'?)" trace record "$folder/scale.yaml" --verify
sed -i 's/symbol: factr/symbol: factor/; s/count: 1,/count: 2,/' "$folder/scale.yaml"
expect 1 "buffer 'factor' has 8 B, the variable 'factor' only 4" trace record "$folder/scale.yaml" --verify
sed -i 's/count: 2,/count: 1,/; s/kernel: scale/kernel: queried/' "$folder/scale.yaml"
expect 2 "kernel queried: unsupported instruction 'txq.num_samples.b32'" trace record "$folder/scale.yaml" --verify

# Buffers beyond the memory of the machine: said before the system kills the program.
sed 's/kernel: queried/kernel: scale/; s/count: 32/count: 137438953472/' "$folder/scale.yaml" > "$folder/huge.yaml"
expect 1 "huge.yaml:5:3: buffers up to 'data' take 549755813892 B; this machine has" run tiny --workload "$folder/huge.yaml" --out "$folder/o"

# Loops of 1024 threads that never end: limits, with the line of the PTX.
cat > "$folder/loop.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 p)
{
.reg .b32 %r<3>;
L:
add.u32 %r1, %r1, 1;
bra L;
}
.visible .entry load(.param .u64 p)
{
.reg .b32 %r<3>;
.reg .b64 %d<3>;
ld.param.u64 %d1, [p];
L:
ld.global.u32 %r1, [%d1];
bra L;
}
PTX
cat > "$folder/loop.yaml" <<'YAML'
module: loop.ptx
buffers: {a: {type: u32, count: 64, fill: zero}}
launches: [{kernel: spin, grid: 1, block: 1024, arguments: [a]}]
YAML
expect 2 "loop.ptx:8: kernel spin" trace record "$folder/loop.yaml" --out "$folder/loop" --launch-instructions 1000000
expect 2 "no end of the launch after 1" run tiny --workload "$folder/loop.yaml" --launch-instructions 1000000 --out "$folder/o"
expect 2 "no end of the launch after 1" trace workloads --measure "$folder/loop.yaml@" --launch-instructions 1000000
echo "limits: {instructions: 2000000}" >> "$folder/loop.yaml"
expect 2 "no end of the launch after 2" trace record "$folder/loop.yaml" --out "$folder/loop"
expect 2 "no end of the launch after 1" trace record "$folder/loop.yaml" --out "$folder/loop" --launch-instructions 1000000
sed -i 's/kernel: spin/kernel: load/' "$folder/loop.yaml"
expect 2 "records of this thread block take more than 2097152 B" trace record "$folder/loop.yaml" --out "$folder/loop" --launch-memory 2MiB
expect 2 "loop.ptx:17: kernel load" run tiny --workload "$folder/loop.yaml" --launch-memory 2MiB --out "$folder/o"
expect 1 "--launch-memory: 'much' is no size; allowed: such as 2 GiB" run tiny --workload gemm --launch-memory much
expect 1 "--launch-instructions: '0' is not a whole number of at least 1" run tiny --workload gemm --launch-instructions 0

expect 1 "no workload 'gem' (did you mean 'gemm'?)" run tiny --workload gem
expect 1 "did you mean 'quick'" run tiny --workload gemm@quik
expect 1 "2 applications, but a cluster has 1 SM" run tiny --workload gemm --trace synthetic:random
expect 1 "give --out" trace record gemm
expect 1 "did you mean 'analysis'" run tiny --workload gemm --read-only analysys
expect 1 "at most 64" run tiny --workload gemm --loads-in-flight 65
sed -i 's/kernel: saxpy/kernel: saxpi/' "$folder/saxpy.yaml"
expect 1 "saxpy.yaml:10:14: kernel 'saxpi' not found (did you mean 'saxpy'?)" trace record "$folder/saxpy.yaml" --verify
# The kernel reaches beyond a buffer that is too small: exit code 2, with the place.
sed -i 's/kernel: saxpi/kernel: saxpy/; s/x: {type: f32, count: n/x: {type: f32, count: n - 1/' "$folder/saxpy.yaml"
expect 2 "saxpy" trace record "$folder/saxpy.yaml" --verify
exit $failed
