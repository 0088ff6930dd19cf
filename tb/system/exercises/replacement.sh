# shellcheck shell=bash disable=SC2154
# A new replacement policy: known by name, drawn into the pages, run, and unlike the others.
expect 1 "lru, nru, nru_random, srrip, fifo, random (did you mean 'fifo'?)" run tiny --trace synthetic:random --set llc.replacement=fif
expect 0 'the one that came first (fifo)' modules llc_slice
for policy in lru nru srrip fifo random; do
  expect 0 '' run tiny --trace synthetic:random:ctas=4,loads=400,alu=0,footprint=40KiB,hits=0.5 --quiet \
    --set l1.size=1536 --set llc.size=16KiB --set l1.replacement=$policy --set llc.replacement=$policy --out "$folder/$policy"
  grep -o '"digest": "[^"]*"' "$folder/$policy/stats.json" >>"$folder/digests"
done
[ "$(sort -u "$folder/digests" | wc -l)" -eq 5 ] || complain "two policies did the same: $(cat "$folder/digests")"
