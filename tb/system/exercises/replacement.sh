# shellcheck shell=bash disable=SC2154
# A policy that sees the PC, in one file that the program loads: known by name, shown in the parameter's sentence, run, unlike LRU.
plugin plugins/lip_by_pc.cpp
so=$folder/lip_by_pc.so
expect 1 "did you mean 'lip_by_pc'?" run tiny --trace synthetic:random --plugin "$so" --set llc.replacement=lip_by_p
expect 0 'new lines of streaming loads first (lip_by_pc)' modules llc_slice --plugin "$so"
for policy in lru lip_by_pc; do
  expect 0 '' run tiny --plugin "$so" --trace synthetic:random:ctas=4,loads=400,alu=0,footprint=40KiB,hits=0.5 --quiet \
    --set l1.size=1536 --set llc.size=16KiB --set l1.replacement=$policy --set llc.replacement=$policy --out "$folder/$policy"
  grep -o '"digest": "[^"]*"' "$folder/$policy/stats.json" >>"$folder/digests"
done
[ "$(sort -u "$folder/digests" | wc -l)" -eq 2 ] || complain "two policies did the same: $(cat "$folder/digests")"
