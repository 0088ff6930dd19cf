# shellcheck shell=bash disable=SC2154
# One load of one line: from its first step on, every function of the path is called first in the order of the page.
load=synthetic:chase:footprint=8MiB,ctas=1,warps=1,loads=1
"$strata" run isca19/shared --trace $load --quiet --out "$folder/results" >"$folder/said" 2>&1 || complain "$(cat "$folder/said")"
sed -n 's/^load_path //p' "$folder/said" | sed -n '/^1$/,$p' | awk '!seen[$1]++' >"$folder/order"
steps=$(grep -cE '^[0-9]+\. \[`\w+::\w+`\]\(\.\./' docs/contributing.md)
[ "$(seq "$steps")" = "$(cat "$folder/order")" ] || complain "the functions of the path are called in this order: $(tr '\n' ' ' <"$folder/order")"
