#!/bin/bash
# Sample traces on Strata beside Accel-Sim: prints the tables of docs/methods/validation.md.
# Usage: accelsim_tables.sh counts|cycles PROGRAM [--update DOC | --check DOC]
#   counts: figures that follow from the kernels; exit code 1 when one differs.
#   cycles: times, and L1 figures that depend on time; --check compares them with the page, and nothing judges them.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/page_table.sh"
cd "$(dirname "$0")/../.."
table=$1 strata=$2 action=${3:-} doc=${4:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
launch=5000  # cycles of kernel launch latency in each of Accel-Sim's runs
different=0

# run NAME PLATFORM TRACE OPTIONS...: results in $folder/NAME; only once.
run() {
  local name=$1
  shift
  [ -e "$folder/$name" ] || "$strata" run "$1" --trace "traces/samples/$2" --quiet --out "$folder/$name" "${@:3}" >/dev/null
}
# ours NAME FIGURE: from the summary of a run.
ours() { sed -n "/\"summary\": {/,/}/s/^ *\"$2\": \([0-9.]*\),*$/\1/p" "$folder/$1/stats.json"; }
# theirs TRACE CONFIGURATION COLUMN
theirs() {
  awk -F, -v t="$1" -v c="$2" -v k="$3" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == k) column = i }
    $1 == t && $2 == "kernelslist.g" && $3 == c { print $column }' tb/data/gpu/accelsim_runs.csv
}
# cell OURS THEIRS: one number when they agree.
cell() {
  if [ -z "$1" ] || [ "$1" != "$2" ]; then
    different=1
    cell_text="**$1, not $2**"
  else
    cell_text=$1
  fi
}

# counts_row TRACE CONFIGURATION L1DIV LLCDIV REUSE: what one line access counts there as, at the L1 and behind it;
# `reuse` when hits in the L1s, and with them the requests at the LLC, depend on time.
counts_row() {
  local t=$1 c=$2 row
  run "$t" isca19/full_crossbar "$t"
  cell "$(ours "$t" warp_instructions)" "$(theirs "$t" "$c" trace_warp_insts)"; row="| $t | $c | $cell_text"
  cell "$(ours "$t" thread_instructions)" "$(theirs "$t" "$c" trace_thread_insts)"; row+=" | $cell_text"
  cell "$(($(ours "$t" l1_accesses) - $(ours "$t" l1_bypasses) + $(ours "$t" l1_stores)))" "$(($(theirs "$t" "$c" l1d_accesses) / $3))"
  row+=" | $cell_text"
  cell_text="depends on time"
  [ "$5" = reuse ] || cell "$(ours "$t" llc_accesses)" "$(($(theirs "$t" "$c" l2_accesses) / $4))"
  row+=" | $cell_text"
  cell "$(ours "$t" llc_misses)" "$(($(theirs "$t" "$c" l2_misses) / $4))"; row+=" | $cell_text"
  cell "$(ours "$t" dram_reads)" "$(($(theirs "$t" "$c" dram_reads) / $4))"; row+=" | $cell_text"
  cell "$(ours "$t" dram_writes)" "$(theirs "$t" "$c" dram_writes)"; echo "$row | $cell_text |"
}

counts() {
  echo "| trace | reference | warp instructions | thread instructions | L1 lookups, lines | LLC requests, lines | LLC misses, lines | DRAM reads, lines | DRAM writes |"
  echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
  counts_row chase_8K QV100 1 1 cold
  counts_row vectoradd_160 QV100 4 4 cold
  counts_row vectoradd_640 ISCA19like 1 4 cold
  counts_row stride128_32M ISCA19like 1 4 cold
  counts_row hotline_l2 QV100 1 4 cold
  counts_row hotline_l1 ISCA19like 1 4 reuse
  counts_row matmul_512 ISCA19like 1 4 reuse
}

# against REFERENCE VALUE: the value and its relative difference.
against() { awk -v r="$1" -v v="$2" 'BEGIN { printf "%d (%+.0f %%)", v, 100 * (v - r) / r }'; }

cycles() {
  local t reference
  echo "| trace | Accel-Sim, ISCA19like | \`isca19/full_crossbar\` | \`isca19/shared\` | full, plain address map | full, 256 B channels |"
  echo "| --- | --- | --- | --- | --- | --- |"
  for t in vectoradd_640 stride128_32M hotline_l1 matmul_512; do
    reference=$(($(theirs $t ISCA19like cycles) - launch))
    run $t isca19/full_crossbar $t
    run $t-shared isca19/shared $t
    run $t-plain isca19/full_crossbar $t --set address_map.kind=bits
    run $t-wide isca19/full_crossbar $t --set xbar.channel_bytes=256
    echo "| $t | $reference | $(against $reference "$(ours $t cycles)") | $(against $reference "$(ours $t-shared cycles)") |" \
      "$(against $reference "$(ours $t-plain cycles)") | $(against $reference "$(ours $t-wide cycles)") |"
  done
  echo
  echo "| loads at the L1s | hits | merges | misses |"
  echo "| --- | --- | --- | --- |"
  for t in hotline_l1 matmul_512; do
    echo "| $t, Accel-Sim | $(theirs $t ISCA19like l1d_r_hit) | $(theirs $t ISCA19like l1d_r_hit_reserved) | $(theirs $t ISCA19like l1d_r_miss) |"
    for run in $t $t-plain $t-wide; do
      echo "| $t, Strata${run#"$t"} | $(ours $run l1_hits) | $(ours $run l1_merges) | $(ours $run l1_misses) |"
    done
  done | sed 's/Strata-plain/Strata, plain address map/; s/Strata-wide/Strata, 256 B channels/'
}

"$table" >"$folder/table"
case $action in
  --update) put_table "$doc" "accelsim $table" "$folder/table" ;;
  --check) is_table "$doc" "accelsim $table" "$folder/table" || different=1 ;;
  *) cat "$folder/table" ;;
esac
exit $different
