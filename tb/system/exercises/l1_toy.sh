# shellcheck shell=bash disable=SC2154
# A new L1: seen in the table of modules, run by one word, with figures, laws, a ledger and a drawing.
expect 0 "l1_toy " modules
expect 0 "valid sectors" modules l1_toy
expect 0 "fetched_sectors >= misses" modules l1_toy
expect 0 "32 B sectors that misses asked for" explain fetched_sectors
expect 1 "l1.lines: '0' is out of range" netlist tiny --set l1.module=l1_toy --set l1.lines=0
"$strata" netlist tiny --set l1.module=l1_toy --dot "$folder/tiny.dot" >"$folder/netlist.txt" || complain "no drawing"
grep -q l1_toy "$folder/tiny.dot" || complain "the drawing does not show it"
expect 0 "L1 (loads)" run tiny --set l1.module=l1_toy --check-protocol \
  --trace synthetic:random:loads=64,ctas=8,warps=4 --out "$folder/run"
counter() { grep -oE "\"$1\": *[0-9]+" "$folder/run/stats.json" | head -1 | tr -dc 0-9; }
[ "$(counter fetched_sectors)" -ge 2000 ] || complain "$(counter fetched_sectors) sectors were fetched"
grep -q "loads,l1,pipeline" "$folder/run/ledger.csv" || complain "no ledger"
# It goes through the list of every module.
relink tb/contract/strata_contract
"$folder/strata_contract" l1_toy --drawn 8 >"$folder/contract.txt" 2>&1 || complain "contract: $(cat "$folder/contract.txt")"
[ "$(grep -c '^l1_toy: [4-9][0-9] runs .* 0 findings$' "$folder/contract.txt")" -eq 1 ] || complain "$(cat "$folder/contract.txt")"
