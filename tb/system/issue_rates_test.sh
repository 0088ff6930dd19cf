#!/bin/bash
# SASS opcodes find the units that execute them: warp instructions a cycle of 16 warps on one SM with the units of
# Accel-Sim's QV100, four schedulers with an interval of 2 (FFMA, IADD3, HMMA), 4 (DFMA) and 8 (MUFU), and shared
# memory for one access of the SM a cycle, in which all lanes of a conflict come one after the other. Then an L1 with
# banks, which takes several lines a cycle.
# Usage: issue_rates_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"
count=500
units=(--set sm.schedulers=4 --set sm.int_interval=2 --set sm.sp_interval=2 --set sm.tensor_interval=2
  --set sm.dp_interval=4 --set sm.dp_latency=8 --set sm.branch_interval=4)

# write_trace LINE...: 16 warps that execute the lines again and again, each with its own register.
write_trace() {
  rm -rf "$folder/trace" && mkdir "$folder/trace"
  echo kernel-1.traceg >"$folder/trace/kernelslist.g"
  awk -v count=$count -v body="$(printf '%s\n' "$@")" 'BEGIN {
    lines = split(body, line, "\n")
    print "-kernel name = rate\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (512,1,1)\n-shmem = 0\n-nregs = 16"
    print "-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = 0x00007f2000000000"
    print "-local mem base_addr = 0x00007f2001000000\n-nvbit version = none\n-accelsim tracer version = 5"
    print "-enable lineinfo = 0\n\n#BEGIN_TB\n\nthread block = 0,0,0\n"
    for (w = 0; w < 16; ++w) {
      print "warp = " w "\ninsts = " count * lines + 1
      for (n = 0; n < count * lines; ++n) printf "%04x ffffffff 1 R%d %s 0\n", n * 16, 2 + n % 200, line[n % lines + 1]
      printf "%04x ffffffff 0 EXIT 0 0 0\n\n", n * 16
    }
    print "#END_TB"
  }' >"$folder/trace/kernel-1.traceg"
}
# rate OPTION...: warp instructions a cycle in which CTAs are resident, in thousandths.
rate() {
  "$strata" run tiny --trace "$folder/trace" --no-cache --quiet --out "$folder/run" "$@" >/dev/null || complain "run tiny $*"
  awk -F '[:,]' '/"warp_instructions": [0-9]/ && !i { i = $2 } /"active_cycles": [0-9]/ && !c { c = $2 } END { printf "%d", 1000 * i / c }' \
    "$folder/run/stats.json"
}
# expect_rate THOUSANDTHS LINE...: within 2 %, in both timings.
expect_rate() {
  local wanted=$1 timing got
  write_trace "${@:2}"
  got=$(rate "${units[@]}")
  [ $((got * 100)) -ge $((wanted * 98)) ] && [ $((got * 100)) -le $((wanted * 102)) ] ||
    complain "expected $wanted / 1000 instructions a cycle, got $got: ${*:2}"
}
three='3 R250 R251 R252 0'
expect_rate 2000 "FFMA $three"
expect_rate 4000 "FFMA $three" "IADD3 $three"
expect_rate 1000 "DFMA $three"
expect_rate 2000 "HMMA.884.F32.F32 $three"
expect_rate 500 'MUFU.RCP 1 R250 0'
expect_rate 1000 'LDS.U 1 R250 4 1 0x7f2000000000 4'
expect_rate 31 'LDS.U 1 R250 4 1 0x7f2000000000 128'

# 32 lines of 32 B a load, all of which hit once they are there. One a cycle; with four banks of 32 B four, or one
# again where the lanes lie 128 B apart, all in one bank.
l1=(--set sm.lines_per_cycle=4 --set l1.banks=4 --set l1.size=128KiB --set l1.ways=64 --set sm.lsu_depth=64)
write_trace 'LDG.E.SYS 1 R250 4 1 0x7f0000000000 160'
spread=$(rate "${l1[@]}")
single=$(rate "${l1[@]}" --set l1.banks=1 --set sm.lines_per_cycle=1)
write_trace 'LDG.E.SYS 1 R250 4 1 0x7f0000000000 128'
one_bank=$(rate "${l1[@]}")
[ "$spread" -ge 120 ] && [ "$spread" -le 125 ] || complain "$spread / 1000 loads of 32 lines a cycle, not 125"
[ "$single" -ge 30 ] && [ "$single" -le 31 ] || complain "$single / 1000 loads of 32 lines a cycle, not 31"
[ "$one_bank" -ge 30 ] && [ "$one_bank" -le 31 ] || complain "$one_bank / 1000 loads of one bank a cycle, not 31"

expect 1 "sm.dp_units: '0' is out of range; allowed: 1 to 4" run tiny --trace "$folder/trace" --set sm.dp_units=0
expect 1 "l1.banks: is 3, which does not divide l1.line=128 B a cycle into whole sectors of 32 B" run tiny --trace "$folder/trace" --set l1.banks=3
expect 1 "l1.carve_out: names 9, which does not leave whole ways of l1.size=48 KiB" run tiny --trace "$folder/trace" --set 'l1.carve_out=0 9'
exit $failed
