#!/bin/bash
# What atomics of 163 840 lanes on one word cost on qv100 with 16 lanes a transaction: 5120 warps, each a request of a
# sector, are 10 240 transactions, one a cycle of the one slice that has the word. A Quadro V100 counts as many L2 atomics.
# Usage: atomics_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"

# write NAME INSTRUCTION SUM: a kernel that executes it once a thread, on word 0 and what follows; its result, where it has
# one, in %r2. SUM: the four bytes that word 0 has at the end.
write() {
  cat >"$folder/$1.ptx" <<END
.version 8.1
.target sm_90
.address_size 64
.visible .entry add(.param .u64 sum) {
  .reg .b32 %r<3>;
  .reg .f32 %f<3>;
  .reg .b64 %d<2>;
  .reg .pred %p<2>;
  ld.param.u64 %d1, [sum];
  mov.u32 %r1, 1;
  mov.u32 %r2, 0;
  mov.f32 %f1, 0f3F800000;
  mov.f32 %f2, 0f00000000;
  $2
  setp.eq.u32 %p1, %r2, 4000000000;
  @%p1 st.global.u32 [%d1+4], %r2;
  ret;
}
END
  printf "$3"'\0\0\0\0\0\0\0\0\0\0\0\0' >"$folder/$1.bin"
  cat >"$folder/$1.yaml" <<END
workload: atomics on one word
scales: {tiny: {}}
module: $1.ptx
buffers: {sum: {type: u32, count: 4, fill: zero}}
launches: [{kernel: add, grid: 160, block: 1024, arguments: [sum]}]
outputs: {sum: {file: $1.bin}}
END
  expect 0 "" trace record "$folder/$1.yaml" --verify
}
# counts NAME OPTION...: of a run, into `cycles`, `accesses`, `reductions`, `transactions` and `conflicts`.
counts() {
  local name=$1 all
  shift
  rm -rf "$folder/run"
  "$strata" run qv100 --workload "$folder/$name.yaml" --quiet --out "$folder/run" "$@" >/dev/null || complain "$name $*"
  all() { grep -o "\"$1\": [0-9]*" "$folder/run/stats.json" | awk '{ sum += $2 } END { print sum + 0 }'; }
  first() { grep -o "\"$1\": [0-9]*" "$folder/run/stats.json" | head -1 | grep -o '[0-9]*$'; }
  cycles=$(first cycles) accesses=$(first llc_accesses)
  reductions=$(all reductions) transactions=$(all atomic_transactions) conflicts=$(all atomic_conflict_cycles)
}
# is WHAT GOT WANTED
is() { [ "$2" = "$3" ] || complain "$1: $2, not $3"; }
# takes WHAT CYCLES: those of the slice, and at most 3 % and 1000 more: the first request fetches the sector.
takes() {
  [ "$cycles" -ge "$2" ] && [ $((100 * cycles)) -le $((103 * $2 + 100000)) ] || complain "$1: $cycles cycles, not about $2"
}

write red 'red.global.add.u32 [%d1], %r1;' '\0\x80\2\0' # 163840
write atom 'atom.global.add.u32 %r2, [%d1], %r1;' '\0\x80\2\0'
write halves 'red.global.add.noftz.bf16x2 [%d1], %r2;' '\0\0\0\0'
write vectors 'red.global.add.v4.f32 [%d1], {%f1, %f2, %f2, %f2};' '\0\0\x20\x48' # 163840.0
for name in red atom; do
  counts $name --with qv100/variants/atomics
  is "$name: requests" "$accesses" 5120
  is "$name: transactions" "$transactions" 10240
  is "$name: conflicts" "$conflicts" 0
  is "$name: reductions" "$reductions" $([ $name = red ] && echo 5120 || echo 0)
  takes $name 10240
done
# Two halves of a word are a lane, four words are four: 8 transactions a warp.
counts halves --with qv100/variants/atomics
is "halves: transactions" "$transactions" 10240
counts vectors --with qv100/variants/atomics
is "vectors: requests" "$accesses" 5120
is "vectors: transactions" "$transactions" 40960
takes vectors 40960
# A lane after the other where results are wanted: 32 cycles a warp in place of 2. Reductions are added up first.
counts atom --with qv100/variants/atomics --set llc.atomic_same_address=1
is "one address a cycle: transactions" "$transactions" 10240
is "one address a cycle: conflicts" "$conflicts" $((5120 * 30))
takes "one address a cycle" 163840
counts red --with qv100/variants/atomics --set llc.atomic_same_address=1
is "one address a cycle, red: conflicts" "$conflicts" 0
takes "one address a cycle, red" 10240
# Without the variant a request takes a cycle, as a load does, and nothing of it is counted.
counts red
is "off: requests" "$accesses" 5120
is "off: transactions" "$transactions" 0
takes off 5120
exit $failed
