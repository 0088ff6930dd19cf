#!/bin/bash
# Every reference trace on platforms/machines/qv100 beside Accel-Sim's SM7_QV100: prints the tables of docs/validation/qv100.md.
# Usage: qv100_tables.sh PROGRAM [--update DOC | --check DOC | --speed]
# Exit code 1 when a figure misses its bar, or the page differs from what the program does.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/page_table.sh"
cd "$(dirname "$0")/../.."
strata=$1 action=${2:-} doc=${3:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
launch=5000  # cycles of kernel launch latency in each of Accel-Sim's runs
failed=0

# theirs TRACE COLUMN
theirs() {
  awk -F, -v t="$1" -v k="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == k) column = i }
    $1 == t && $2 == "kernelslist.g" && $3 == "QV100" { print $column }' tb/data/gpu/accelsim_runs.csv
}
ours() { sed -n "/\"summary\": {/,/}/s/^ *\"$2\": \([0-9.e+]*\),*$/\1/p" "$folder/$1/stats.json"; }
# cell TRACE FIGURE OURS THEIRS PERCENT: both and their difference, judged; one number where they are equal.
cell() {
  awk -v o="$3" -v t="$4" -v bar="$5" 'BEGIN {
    if (o == t) { print o; exit }
    d = t == 0 ? 100 : 100 * (o - t) / t
    inside = (d < 0 ? -d : d) <= bar
    printf "%s%d / %d (%+.1f %%)%s\n", inside ? "" : "**", o, t, d, inside ? "" : "**" }' >"$folder/cell"
  cell_text=$(cat "$folder/cell")
  if [[ $cell_text == \*\** ]]; then
    echo "$1: $2 misses its bar of $5 %: $cell_text" >&2
    failed=1
  fi
}

# row TRACE FOLDER CYCLES-BAR COUNTS-BAR
row() {
  local t=$1 line="| $1"
  "$strata" run qv100 --trace "$2/$t" --quiet --out "$folder/$t" >/dev/null
  cell $t instructions "$(ours $t thread_instructions)" "$(theirs $t trace_thread_insts)" 0; line+=" | $cell_text"
  cell $t l1 "$(ours $t l1_sectors)" "$(theirs $t l1d_accesses)" 0; line+=" | $cell_text"
  cell $t l1_missed "$(ours $t l1_missed_sectors)" "$(theirs $t l1d_misses)" "$4"; line+=" | $cell_text"
  cell $t llc "$(ours $t llc_sectors)" "$(theirs $t l2_accesses)" "$4"; line+=" | $cell_text"
  cell $t llc_missed "$(ours $t llc_missed_sectors)" "$(theirs $t l2_misses)" "$4"; line+=" | $cell_text"
  cell $t dram_reads "$(ours $t dram_read_bursts)" "$(theirs $t dram_reads)" "$4"; line+=" | $cell_text"
  # One line more or less of none is no percentage.
  local writes written; writes=$(ours $t dram_write_bursts) written=$(theirs $t dram_writes)
  [ "$written" -ge 100 ] || [ "$writes" -ge 100 ] && cell $t dram_writes "$writes" "$written" 10 || cell_text="$writes / $written"
  echo "$line | $cell_text |" >>"$folder/counts"
  local reference; reference=$(($(theirs $t cycles) - launch))
  cell $t cycles "$(ours $t cycles)" $reference "$3"
  echo "| $t | $cell_text | $3 % |" >>"$folder/cycles"
  echo "$(ours $t cycles) $reference $t" >>"$folder/errors"
}
samples=traces/samples own=tb/data/gpu/traces
gather=$folder/traces/random_gather
mkdir -p "$gather"
awk -f tb/validation/random_gather.awk >"$gather/kernel-1.traceg"
echo kernel-1.traceg >"$gather/kernelslist.g"
row chase_8K $samples 3 0
row vectoradd_160 $samples 7 0
row vectoradd_640 $samples 7 0
row stride128_32M $samples 7 0
row copy_stride2 $own 10 0
row transpose_1024 $own 10 0
row random_gather "$folder/traces" 10 2
row matmul_512 $samples 15 2
row hotline_l1 $samples 25 2
row hotline_l2 $samples 50 2

{
  echo "| trace | thread instructions | L1 accesses | L1 misses | LLC accesses | LLC misses | DRAM reads | DRAM writes |"
  echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
  cat "$folder/counts"
  echo
  echo "| trace | cycles: Strata / Accel-Sim | bar |"
  echo "| --- | --- | --- |"
  cat "$folder/cycles"
  awk '$3 !~ /^hotline/ { d = ($1 - $2) / $2; sum += d < 0 ? -d : d; ++n }
    END { printf "| mean without hotline | %.1f %% | 8 %% |\n", 100 * sum / n; exit 100 * sum / n > 8 }' "$folder/errors" || failed=1
} >"$folder/table"

case $action in
  --update) put_table "$doc" "qv100" "$folder/table" ;;
  --check) is_table "$doc" "qv100" "$folder/table" || failed=1 ;;
  --speed)
    echo "| trace | thread instructions per CPU-second: Strata | Accel-Sim | times |"
    echo "| --- | --- | --- | --- |"
    while read -r _ _ t; do
      rate=$(theirs $t thread_insts_per_cpu_s)
      [ -z "$rate" ] || awk -v t=$t -v n="$(ours $t thread_instructions)" -v s="$(ours $t cpu_seconds)" -v r="$rate" \
        'BEGIN { printf "| %s | %.0f k | %.1f k | %.0f |\n", t, n / s / 1000, r / 1000, n / s / r }'
    done <"$folder/errors" ;;
  *) cat "$folder/table" ;;
esac
exit $failed
