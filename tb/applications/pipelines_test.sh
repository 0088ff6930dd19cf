#!/bin/bash
# pipelines_test.sh STRATA DRIVER_HOST: a matrix product that copies to shared memory while it multiplies, with cp.async
# and with bulk copies of tensors (pipelined_gemm.cu), takes the time that its instructions take. With one stage, where
# nothing is copied beside the products, it takes longer by the time of a copy.
#
# qv100, one thread block of four warps on an SM, so that each of its four schedulers has one warp. A stage is 8 rows of
# A and B: 8 * (128 + 64) * 4 B = 6144 B, 192 sectors. All of k = 512 is 64 stages. In the caches of the LLC it is from the
# first launch on.
#   Copy. A sector that hits in the LLC comes 168 cycles after the issue: 1 to the L1, 1 past its banks, 160 in the slice,
#     3 on either way through the crossbar and to the warp. The SM's link takes a request of a sector each cycle.
#     So the last sector is there 168 + 192 = 360 cycles after the first copy has issued; with the copy engine
#     tma_latency, 104, later.
#   Products. 64 FFMA an element of k and warp, each two cycles of the FP32 unit (sp_interval 2): 8 * 64 * 2 = 1024 a
#     stage, three times the copy: a second stage hides all of it.
#   The rest. Integer instructions of the PTX outside the loop over k, with the first addresses in it: 40 (cp.async), 35
#     (tensors, of the thread that copies), each two cycles (int_interval 2). A barrier is before and behind them, so
#     that they have little beside them: of the last 32 FFMA, in one run with four others, the 64 - 36 = 28 cycles that
#     the unit still works when the warp arrives at the barrier.
#   Begin: 23 (cp.async), 11 (tensors) integer instructions, 2 cycles each, and a copy.
#   End: 10 integer instructions; 32 KiB of C, 1024 sectors, leave as fast as requests do; the last is answered 168 later.
#   One stage: the warps wait for a copy 64 times. What follows its first instruction runs beside it as it did before:
#     three copies of four warps, whose side in shared memory takes four passes each, 4 integer instructions and 4
#     others are 60 cycles (cp.async); 12 pieces of 512 B, 2 arrivals and 3 integer instructions are 20 (tensors).
#
# isca19/shared has two schedulers, each with two warps, and units that are never busy: instructions issue one a cycle.
#   Products. 64 FFMA, 4 loads of shared memory, 9 integer instructions and a branch an element of k and warp: 78.
#   The rest, of both warps. cp.async: 34 integer instructions, 5 branches, 6 halves of copies, 2 barriers, the end of a
#     group and the wait for one are 49 each. Tensors: 28 of each warp (23 integer instructions, 3 branches, the wait and
#     the barrier) and 21 more of the one that copies (6 integer instructions, 12 pieces, 3 arrivals).
#   Begin and end: a copy of 48 lines and 256 lines of C, of 5 flits (128 B and a header in 32 B) each. The latencies of both, some
#     200 cycles each, are left out: they are 0.5 % of the whole.
source tb/system/expect.sh
host=$2

stages=64 products=$((8 * 64 * 2)) copy=$((168 + 192)) engine=104 end=$((10 * 2 + 1024 + 168))
# near WHAT GOT WANTED: within 5 %.
near() {
  [ $((100 * $2)) -le $((105 * $3)) ] && [ $((100 * $2)) -ge $((95 * $3)) ] || complain "$1: $2 cycles, worked out by hand: $3"
}
# measure PLATFORM DEVICE PTX: the cycles of the launches with one, two and three stages.
measure() {
  expect 0 "pipelines: right" app --device "$2" --platform "$1" --quiet --out "$folder/run" -- "$host" pipelines "tb/applications/$3"
  [ "$(grep -c 'fma.rn.f32' "tb/applications/$3")" = 64 ] || complain "$3 has other products"
  read -r one two three < <(awk -F, '$1 ~ /^[123]$/ { printf "%d ", $6 - $5 }' "$folder/run/kernels.csv"; echo)
  rm -rf "$folder/run"
}

measure qv100 a100 pipelined_gemm_sm80.ptx
all=$((stages * (products + 40 * 2 - 28) + 23 * 2 + copy + end))
near "cp.async, two stages" "$two" $all
near "cp.async, three stages" "$three" $all
near "cp.async, what one stage costs" $((one - two)) $((stages * (copy - 60)))

measure qv100 h100 pipelined_gemm_sm90.ptx
all=$((stages * (products + 35 * 2 - 28) + 11 * 2 + engine + copy + end))
near "tensors, two stages" "$two" $all
near "tensors, three stages" "$three" $all
near "tensors, what one stage costs" $((one - two)) $((stages * (engine + copy - 20)))

flits=$(((48 + 256) * 5))
measure isca19/shared a100 pipelined_gemm_sm80.ptx
near "isca19/shared: cp.async, two stages" "$two" $((stages * 2 * (8 * 78 + 49) + flits))
near "isca19/shared: cp.async, three stages" "$three" $((stages * 2 * (8 * 78 + 49) + flits))
measure isca19/shared h100 pipelined_gemm_sm90.ptx
near "isca19/shared: tensors, two stages" "$two" $((stages * (2 * (8 * 78 + 28) + 21) + flits))
near "isca19/shared: tensors, three stages" "$three" $((stages * (2 * (8 * 78 + 28) + 21) + flits))
exit $failed
