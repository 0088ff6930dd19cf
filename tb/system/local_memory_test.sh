#!/bin/bash
# A warp that spills words to local memory and reloads them, with l1.local: write_back and without. An L1 of one set of
# 64 lines with LRU; each word is a line of its own, since those of the 32 lanes lie side by side.
# Usage: local_memory_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"

# kernel NUMBER STREAM WORDS WORK [FIRST]: words from address FIRST on are stored one after the other and, after some instructions, loaded from the
# last to the first, one load at a time.
kernel() {
  echo "kernel-$1.traceg" >>"$folder/trace/kernelslist.g"
  awk -v id="$1" -v stream="$2" -v words="$3" -v work="$4" -v first="${5:-1024}" 'BEGIN {
    print "-kernel name = spills\n-kernel id = " id "\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 16"
    print "-binary version = 80\n-cuda stream id = " stream "\n-shmem base_addr = 0x00007f2000000000"
    print "-local mem base_addr = 0x00007f2001000000\n-nvbit version = none\n-accelsim tracer version = 5"
    print "-enable lineinfo = 0\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = " 2 * words + work + 1
    for (w = 0; w < words; ++w) printf "%04x ffffffff 0 STL 2 R1 R10 4 1 0x%x 0\n", pc++ * 16, first + 4 * w
    while (work-- > 0) printf "%04x ffffffff 1 R11 FFMA 1 R11 0\n", pc++ * 16
    while (w-- > 0) printf "%04x ffffffff 1 R10 LDL 1 R10 4 1 0x%x 0\n", pc++ * 16, first + 4 * w
    printf "%04x ffffffff 0 EXIT 0 0 0\n\n#END_TB\n", pc * 16
  }' >"$folder/trace/kernel-$1.traceg"
}
trace() { rm -rf "$folder/trace" && mkdir "$folder/trace"; }
spills() { trace && kernel 1 0 "$1" 0; }
# counts WHAT INSTANCE COUNTER EXPECTED: of the last run.
counts() {
  local got
  got=$(awk -v instance="\"$2\":" -v counter="\"$3\":" \
    '$1 == instance {on = 1} on && $1 == counter {sub(",", "", $2); print $2; exit}' "$folder/run/stats.json")
  [ "$got" = "$4" ] || complain "$1: $2 has $3 = $got, not $4"
}
run() {
  "$strata" run tiny --trace "$folder/trace" --no-cache --quiet --check-protocol --set l1.size=8KiB --set l1.ways=64 \
    --out "$folder/run" "$@" >/dev/null || complain "run tiny $*"
}

for module in l1_private 'l1_sectored --set l1.allocation=on_miss' l1_prioritized; do
  what="$module"
  kind=(--set "l1.module=${module%% *}")
  [ "$module" = "${module% *}" ] || kind+=(--set "${module##* }")
  # 64 lines fit: nothing goes to the LLC, and what is dirty ends with the kernel.
  spills 64
  run "${kind[@]}" --set l1.local=write_back
  counts "64 words, $what" 'l1[0]' local_stores 64
  counts "64 words, $what" 'l1[0]' hits 64
  counts "64 words, $what" 'l1[0]' requests_to_llc 0
  counts "64 words, $what" 'l1[0]' local_dropped_sectors 256
  counts "64 words, $what" 'llc[0]' accesses 0
  [ "$module" = l1_prioritized ] || counts "64 words, $what" 'sm[0]' local_hits 64  # its hits are not answered at once
  # Of 96 the first 32 make room for the last: 32 write-backs. The last 64 are loaded from here, the first 32 come
  # from the LLC, which has them from there, and take the ways of 32 that are dirty: 32 more. The kernel ends with 32
  # dirty lines.
  spills 96
  run "${kind[@]}" --set l1.local=write_back
  counts "96 words, $what" 'l1[0]' local_allocations 96
  counts "96 words, $what" 'l1[0]' local_write_backs 64
  counts "96 words, $what" 'l1[0]' local_dirtied_sectors 384
  counts "96 words, $what" 'l1[0]' local_written_sectors 256
  counts "96 words, $what" 'l1[0]' local_dropped_sectors 128
  counts "96 words, $what" 'l1[0]' hits 64
  counts "96 words, $what" 'l1[0]' misses 32
  counts "96 words, $what" 'llc[0]' writes 64
  counts "96 words, $what" 'llc[0]' read_hits 32
  counts "96 words, $what" 'ch[0]' read_bursts 0
  # Kept lines, too, are there at the end where nothing is flushed.
  run "${kind[@]}" --set l1.local=write_back --set cta.flush_l1=false
  counts "96 words, no flush, $what" 'l1[0]' local_dropped_sectors 0
  counts "96 words, no flush, $what" 'l1[0]' local_written_sectors 256
  # As global memory: every store goes through, and every load misses.
  run "${kind[@]}"
  counts "96 words, as_global, $what" 'l1[0]' stores 96
  counts "96 words, as_global, $what" 'l1[0]' misses 96
  counts "96 words, as_global, $what" 'llc[0]' writes 96
done

# The second kernel runs on while the first one ends and the third begins, which flushes the L1 for it. The second one's
# eight lines are written first, and its loads find them in the LLC.
trace && kernel 1 5 1 10 4096 && kernel 2 7 8 600 && kernel 3 5 1 10 4096
run --set l1.local=write_back
counts "streams" 'l1[0]' local_stores 10
counts "streams" 'l1[0]' local_written_sectors 36  # with the line of the first kernel
counts "streams" 'l1[0]' local_dropped_sectors 4   # of the third
counts "streams" 'l1[0]' hits 2
counts "streams" 'l1[0]' misses 8
counts "streams" 'llc[0]' read_hits 8

expect 1 "l1.local: 'dirty' is no choice; allowed: as_global, write_back" run tiny --set l1.local=dirty
for module in l1_tag_split l1_decoupled_sectored; do
  expect 1 'l1.local: is write_back, but this L1 keeps no stores (l1_private, l1_sectored and l1_prioritized do); allowed: as_global' \
    run tiny --set l1.module=$module --set l1.local=write_back
done
expect 1 'local: is write_back, but a node keeps no stores of its SMs; allowed: as_global' \
  run hpca21/shared_nodes --set node.local=write_back --trace "$folder/trace"
expect 1 'gen.local: local memory is accessed with check: true only' run isca19/traffic_shared --set gen.local=0.5
exit $failed
