#!/bin/bash
# `strata run --by-source`: the run is the same, every line access is counted at one instruction, and instructions are named
# by the lines of their source. Usage: by_source_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"

# sum NAME: a counter of stats.json over all instances.
sum() { grep -oE "\"$1\": [0-9]+" "$folder/out/stats.json" | sed 's/.* //' | awk '{ all += $1 } END { print all + 0 }'; }
# column NAME: the sum over by_source.csv. Kernels are quoted and may have commas: their column is cut off.
column() {
  sed -E 's/^"[^"]*",/x,/' "$folder/out/by_source.csv" |
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) c = i; next } { all += $c } END { printf "%.0f\n", all }'
}
digest() { "$strata" run "$@" --quiet --out "$folder/out" 2>&1 | tail -n 1; }

# Each line access of the SMs, and each of its cycles, once.
for run in "tiny --workload bfs@tiny" "isca19/shared --workload gemm@tiny" "qv100 --workload spmv@tiny" \
  "hpca21/clustered_nodes --workload gemm@tiny" "tsc16/tsc --workload bfs@tiny"; do
  # shellcheck disable=SC2086 # words
  without=$(digest $run)
  [[ $without =~ ^digest:\ [0-9a-f]{16}$ ]] || complain "$run: no digest: $without"
  # shellcheck disable=SC2086
  [ "$without" = "$(digest $run --by-source)" ] || complain "$run: the run differs"
  [ "$(column line_cycles)" = "$(sum memory_latency)" ] ||
    complain "$run: $(column line_cycles) cycles of lines, not $(sum memory_latency)"
  lines=$(($(sum load_lines) + $(sum store_lines) + $(sum atomic_lines)))
  [ "$(column lines)" = $lines ] || complain "$run: $(column lines) lines, not $lines"
  stalls=$(sum load_stall_cycles)
  [ "$stalls" -gt 0 ] && [ "$(column stall_cycles)" = "$stalls" ] ||
    complain "$run: warps waited for loads for $stalls cycles, instructions have $(column stall_cycles)"
  column share_of_stalls | grep -qx 1 || complain "$run: shares of stalls do not add up"
done

# Two warps load a word a lane from a line each, then a word a lane from 32 lines each, and store to one line each.
cat > "$folder/two.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry two(.param .u64 p)
{
.reg .b64 %d<6>; .reg .b32 %r<4>;
.loc 1 2 0
ld.param.u64 %d1, [p];
mov.u32 %r1, %tid.x;
mul.wide.u32 %d2, %r1, 4;
add.s64 %d3, %d1, %d2;
ld.global.u32 %r2, [%d3];
.loc 1 3 0
mul.wide.u32 %d4, %r1, 128;
add.s64 %d5, %d1, %d4;
ld.global.u32 %r3, [%d5];
add.u32 %r2, %r2, %r3;
.loc 1 4 0
st.global.u32 [%d3], %r2;
ret;
}
PTX
echo ".file 1 \"$folder/two.cu\"" >> "$folder/two.ptx"
printf '__global__ void two(int* p) {\n  int a = p[threadIdx.x];\n  a += p[32 * threadIdx.x];\n  p[threadIdx.x] = a;\n}\n' > "$folder/two.cu"
cat > "$folder/two.yaml" <<'YAML'
workload: two loads
module: two.ptx
buffers: {data: {type: u32, count: 2048, fill: value(1)}}
launches: [{kernel: two, grid: 1, block: 64, arguments: [data]}]
YAML
rows() { sed -E 's/^("[^"]*"|kernel),//' "$folder/out/by_source.csv" | cut -d, -f 3,6-9 | sort; }
wanted='2,ld.global.u32,load,2,2
3,ld.global.u32,load,2,64
4,st.global.u32,store,2,2
line,instruction,class,warp_instructions,lines'
# The second time from a record.
for time in first second; do
  expect 0 "two.cu:3  a += p[32 * threadIdx.x];" run tiny --workload "$folder/two.yaml" --by-source --out "$folder/out"
  [ "$(rows)" = "$wanted" ] || complain "$time: $(rows)"
done
sed -i '/^.loc/d; /^.file/d' "$folder/two.ptx"
expect 0 "two.ptx:11  ld.global.u32" run tiny --workload "$folder/two.yaml" --by-source --out "$folder/out"

# One warp. Its first load is read by the next instruction, its second one by the third instruction behind it, and each
# instruction takes a cycle. A load that issues in cycle i is in flight from i to r, and its result is read in r + 1: a warp
# that can do nothing else waits from i + 1 to r, for as many cycles as the load is in flight, and with two instructions in
# between for two less. The third and the fourth load are read together: the wait is that of the fourth, which comes last.
cat > "$folder/stalls.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry stalls(.param .u64 p)
{
.reg .b64 %d<3>; .reg .b32 %r<9>;
ld.param.u64 %d1, [p];
ld.global.u32 %r1, [%d1];
add.u32 %r2, %r1, 1;
ld.global.u32 %r3, [%d1+4096];
add.u32 %r4, %r2, 1;
add.u32 %r5, %r2, 2;
add.u32 %r6, %r3, %r5;
ld.global.u32 %r7, [%d1+1024];
ld.global.u32 %r8, [%d1+3072];
add.u32 %r7, %r7, %r8;
add.u32 %r7, %r7, %r6;
add.u32 %r7, %r7, %r4;
st.global.u32 [%d1], %r7;
ret;
}
PTX
cat > "$folder/stalls.yaml" <<'YAML'
workload: four loads
module: stalls.ptx
buffers: {data: {type: u32, count: 2048, fill: value(1)}}
launches: [{kernel: stalls, grid: 1, block: 32, arguments: [data]}]
YAML
# With alu_latency=1 no instruction waits for any other but a load; loads stay in the order of the PTX.
expect 0 "of load" run tiny --workload "$folder/stalls.yaml" --loads-in-flight 0 --set sm.alu_latency=1 --by-source --out "$folder/out"
python3 - "$folder/out" <<'PY' || complain "stalls of one warp: $(cat "$folder/out/by_source.csv")"
import csv, json, sys
rows = {int(row["listing_line"]): row for row in csv.DictReader(open(sys.argv[1] + "/by_source.csv"))}
cycles, stalls = ({line: int(row[name]) for line, row in rows.items()} for name in ("cycles", "stall_cycles"))
assert stalls[8] == cycles[8], (stalls, cycles)
assert stalls[10] == cycles[10] - 2, (stalls, cycles)
assert (stalls[14], stalls[15]) == (0, cycles[15]), (stalls, cycles)
assert stalls[19] == 0
total = sum(stalls.values())
assert json.load(open(sys.argv[1] + "/stats.json"))["summary"]["load_stall_cycles"] == total
for line, row in rows.items():
    assert abs(float(row["share_of_stalls"]) - stalls[line] / total) < 1e-6, row
PY

# Accel-Sim traces with lines of the source: numbers, since they name no file.
mkdir "$folder/trace"
echo kernel-1.traceg > "$folder/trace/kernelslist.g"
cat > "$folder/trace/kernel-1.traceg" <<'TRACE'
-kernel name = numbered
-kernel id = 1
-grid dim = (1,1,1)
-block dim = (32,1,1)
-shmem = 0
-nregs = 16
-binary version = 70
-cuda stream id = 0
-shmem base_addr = 0x00007f2000000000
-local mem base_addr = 0x00007f2001000000
-nvbit version = 1.5
-accelsim tracer version = 4
-enable lineinfo = 1

#traces format = x

#BEGIN_TB

thread block = 0,0,0

warp = 0
insts = 3
17 0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4
18 0010 ffffffff 0 STG.E 2 R2 R4 4 1 0x7f0000001000 4
19 0020 ffffffff 0 EXIT 0 0

#END_TB
TRACE
for time in first second; do
  expect 0 "line 17  LDG.E" run tiny --trace "$folder/trace" --by-source --out "$folder/out"
  [ "$(column lines)" = 2 ] || complain "$time: $(column lines) lines of the trace"
done
sed -i 's/lineinfo = 1/lineinfo = 0/; s/^1[789] //' "$folder/trace/kernel-1.traceg"
expect 0 "PC 0x10" run tiny --trace "$folder/trace" --by-source --out "$folder/out"

for other in "--observe sharing" --what-if; do
  # shellcheck disable=SC2086
  expect 1 "--by-source and ${other% *} both watch the L1s, and an L1 takes one watch: run twice, once with each" \
    run tiny --workload gemm@tiny --by-source $other --out "$folder/o"
done
exit $failed
