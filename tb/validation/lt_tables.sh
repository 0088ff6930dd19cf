#!/bin/bash
# How far lt is from at, and how much faster: tables and plots of docs/lt-accuracy.md.
# Usage: lt_tables.sh PROGRAM [--update DOC] [OPTION OF strata compare...]
#   --update DOC: put the tables between the marks of DOC, and the plots into images/ beside it; without it they are printed.
set -eu
cd "$(dirname "$0")/../.."
strata=$1 doc=
shift
if [ "${1:-}" = --update ]; then
  doc=$2
  shift 2
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$strata" compare --lt-bars --quantum-sweep --out "$folder" "$@" >"$folder/console"
if [ -z "$doc" ]; then
  cat "$folder/console"
  exit 0
fi
for table in verdicts tables quantum; do
  grep -q "<!-- lt $table: begin -->" "$doc" || { echo "$doc has no mark for $table"; exit 1; }
  awk -v begin="<!-- lt $table: begin -->" -v end="<!-- lt $table: end -->" -v file="$folder/$table.md" '
    $0 == end { inside = 0 }
    !inside { print }
    $0 == begin { inside = 1; while ((getline line <file) > 0) print line }' "$doc" >"$folder/doc"
  cat "$folder/doc" >"$doc"
done
mkdir -p "$(dirname "$doc")/images"
cp "$folder/loads.svg" "$(dirname "$doc")/images/lt-loads.svg"
cp "$folder/quantum.svg" "$(dirname "$doc")/images/lt-quantum.svg"
