#!/bin/bash
# Measures every workload at the scale of the papers, and writes the tables of docs/methods/workload-figures.md: minutes of
# processor time. Fails when the shared data of one of the 17 workloads of the adaptive LLC is not what the paper states
# (docs/methods/workload-figures.md says how that is judged).
# Usage: workload_figures.sh PROGRAM [--update DOC]
set -eu
strata=$(realpath "$1") action=${2:-} doc=${3:-}
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$strata" trace workloads --sources >"$folder/sources"
"$strata" trace workloads --measure --scale paper >"$folder/both"
awk -v folder="$folder" '/^$/ { second = 1; next } { print >(folder (second ? "/l1" : "/all")) }' "$folder/both"
# The order of the paper's table 2 for its 17, that of the names for the others.
adaptive="lud sp 3dc bt gemm bp an rn sn nn mm bs dwt2d ms bino hg va"
{
  head -n 2 "$folder/all"
  for name in $adaptive; do grep "^| $name@" "$folder/all"; done
} >"$folder/adaptive"
awk -v names="$adaptive" 'BEGIN { n = split(names, list, " "); for (i = 1; i <= n; ++i) skip[list[i]] = 1 }
  { name = $2; sub(/@.*/, "", name) } !(name in skip)' "$folder/all" >"$folder/others"

if [ "$action" = --update ]; then
  awk -v folder="$folder" '
    /^<!-- [a-z]+: end -->$/ { inside = 0 }
    !inside { print }
    /^<!-- [a-z]+: begin -->$/ { inside = 1; sub(":", "", $2); while ((getline line <(folder "/" $2)) > 0) print line }' \
    "$doc" >"$folder/doc"
  cat "$folder/doc" >"$doc"
else
  cat "$folder/adaptive" "$folder/others" "$folder/l1"
fi

# Columns: shared MB of the first 10^9 instructions and of the paper. The page explains what AN, RN and SN have.
awk -F' *[|] *' 'NR > 2 && $2 !~ /^[ars]n@/ {
    near = $9 >= 0.8 * $10 && $9 <= 1.2 * $10 || $9 < 0.02 && $10 < 0.02
    if (!near) { print $2 ": " $9 " MB of shared data, the paper has " $10; far = 1 } }
  END { exit far }' "$folder/adaptive" >&2
