#!/bin/bash
# What is asked for is all that moves, from the SM to DRAM, with the chunk mask of a gather: sectors, flits and bursts.
# Usage: sectors_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"

# counted INSTANCE COUNTER: of the last run.
counted() {
  awk -v instance="\"$1\":" -v counter="\"$2\":" \
    '$1 == instance {on = 1} on && $1 == counter {sub(",", "", $2); print $2; exit}' "$folder/run/stats.json"
}
# counts WHAT INSTANCE COUNTER EXPECTED
counts() {
  local got
  got=$(counted "$2" "$3")
  [ "$got" = "$4" ] || complain "$1: $2 has $3 = $got, not $4"
}

# 16 loads of a warp whose lanes lie 128 B apart: 512 lines of which 32 B each are touched. HBM2 moves 32 B a command.
gather=(tiny --trace synthetic:strided:ctas=1,warps=1,loads=16,alu=0,stores=0,stride=128 --quiet --out "$folder/run"
  --set mc.timing_set=hbm2 --set ch.timing_set=hbm2 --set mc.rescale_timing=true)
"$strata" run "${gather[@]}" >/dev/null || complain "whole lines"
counts "whole lines" 'ch[0]' read_bursts 2048
counts "whole lines" 'l1[0]' misses 512
whole=$(counted 'rtr[0]' reply_flits_out)
"$strata" run "${gather[@]}" --set l1.module=l1_sectored --set llc.sector=32 >/dev/null ||
  complain "sectors"
counts "sectors" 'l1[0]' fetched_sectors 512
counts "sectors" 'llc[0]' fetched_sectors 512
counts "sectors" 'ch[0]' read_bursts 512
# Three flits of 32 B less for each reply.
counts "sectors" 'rtr[0]' reply_flits_out $((whole - 3 * 512))
# Sectors in the LLC alone: the L1 asks for whole lines.
"$strata" run "${gather[@]}" --set llc.sector=32 >/dev/null || complain "sectors of the LLC"
counts "sectors of the LLC" 'ch[0]' read_bursts 2048
# Chunks of 8 B: the same is read, and a reply is 8 B behind a header of 8 B, one flit in place of five.
fine=(--set l1.module=l1_tag_split --set l1.chunk=8 --set sm.asks=parts --set llc.sector=32)
"$strata" run "${gather[@]}" "${fine[@]}" >/dev/null || complain "chunks of 8 B"
counts "chunks of 8 B" 'l1[0]' fetched_chunks 512
counts "chunks of 8 B" 'llc[0]' fetched_sectors 512
counts "chunks of 8 B" 'ch[0]' read_bursts 512
counts "chunks of 8 B" 'rtr[0]' reply_flits_out $((whole - 4 * 512))
# Lines of 32 B in the L1 ask for the same as sectors.
"$strata" run "${gather[@]}" --set sm.line=32 --set l1.line=32 --set llc.sector=32 >/dev/null ||
  complain "short lines"
counts "short lines" 'ch[0]' read_bursts 512
counts "short lines" 'rtr[0]' reply_flits_out $((whole - 3 * 512))

expect 1 'llc.sector: is 256 B, more than a line; allowed: 0 (the whole line), or 32 B to llc.line = 128 B' \
  run tiny --set llc.sector=256
expect 1 "llc.sector: '48' is not a power of two; allowed: 0 B, or 32 B to 256 B, a power of two" run tiny --set llc.sector=48
expect 1 "llc.sector: '16' is out of range; allowed: 0 B, or 32 B to 256 B, a power of two" run tiny --set llc.sector=16
expect 1 "llc.allocation: 'on_hit' is no choice; allowed: on_fill, on_miss" run tiny --set llc.allocation=on_hit
expect 1 'l1.line is 64 B, but sm.line is 128 B; allowed: one line size in an L1 and in what it serves' run tiny --set l1.line=64
expect 1 'loads of the texture path are lines of 128 B for sm, but of 256 B for l1; allowed: one texture_line in both' \
  run tiny --set l1.texture_sets=4 --set l1.texture_line=256
expect 1 'l1.texture_line: is 64 B, but l1.line=128 B; allowed: 0 B, or no less than that' run tiny --set l1.texture_line=64
expect 1 'sm.segments: is elements, but sm.replies=words counts the words of a line; allowed: lines' \
  run tiny --set sm.segments=elements --set sm.replies=words
expect 1 'l1.chunk is 8 B, but sm.asks is sectors, of 32 B; allowed: 32 B or more, or sm.asks: parts' \
  run tiny --set l1.module=l1_tag_split --set l1.chunk=8
expect 1 "l1.chunk: '4' is out of range; allowed: 8 B to 256 B, a power of two" \
  run tiny --set l1.module=l1_tag_split --set l1.chunk=4 --set sm.asks=parts
expect 1 "l1.chunk: '16' is out of range; allowed: 32 B to 256 B, a power of two" \
  run tiny --set l1.module=l1_decoupled_sectored --set l1.chunk=16
expect 1 'l1.chunk: is 16 B, but parts of less than 32 B have names in lines of up to 128 B, and l1.line=256 B; allowed: 32 B to the line' \
  run tiny --set l1.module=l1_tag_split --set l1.chunk=16 --set l1.line=256 --set sm.line=256
expect 1 'sm.asks: is parts, but sm.replies=words has its counts in their place; allowed: sectors' \
  run tiny --set sm.asks=parts --set sm.replies=words
expect 1 'sm.asks: is parts, but sm.line=256 B; allowed: sectors, or parts of lines of 32 B to 128 B' \
  run tiny --set sm.asks=parts --set sm.line=256 --set l1.line=256
expect 1 "sm.asks: 'words' is no choice; allowed: sectors, parts" run tiny --set sm.asks=words
expect 1 'llc.line is 64 B, but address_map.line is 128 B; allowed: one line size from the LLC to DRAM' \
  run tiny --set llc.line=64
expect 1 "mc.field_order: is 'RBX': 'X' is no field; allowed: R (row), G (bank group), B (bank)" \
  run tiny --set mc.field_order=RBX
# Copies from the host leave what a kernel loads: 2 x 1280 lines of vectoradd_160, which then reads no memory.
for copies in cold warm; do
  "$strata" run qv100 --trace traces/samples/vectoradd_160/kernelslist_memcpy.g --set cta.copies=$copies --quiet \
    --out "$folder/run" >/dev/null || complain "copies, $copies"
  read=$(sed -n 's/^ *"dram_read_bursts": \([0-9]*\),*$/\1/p' "$folder/run/stats.json" | head -1)
  [ "$read" = $([ $copies = cold ] && echo 10240 || echo 0) ] || complain "copies=$copies: $read bursts are read"
done
expect 1 "allowed: cold, warm" run qv100 --trace traces/samples/vectoradd_160 --set cta.copies=hot
exit $failed
