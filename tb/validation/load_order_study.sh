#!/bin/bash
# How much the order of loads matters: workloads from PTX on isca19/shared, in the order of the PTX and with loads moved
# ahead of their first reader, by how many of a warp may be ahead. Prints the tables of docs/methods/ptx-scheduling.md.
# Runs that FOLDER already holds are not repeated.
# Usage: load_order_study.sh PROGRAM FOLDER [--update DOC PLOT.svg]
set -eu
strata=$(realpath "$1") runs=$(realpath -m "$2") action=${3:-} doc=${4:-} plot=${5:-}
cd "$(dirname "$0")/../.."
workloads="2dconv gemm kmeans mm an nn stencil bp bt spmv bfs va"
bounds="0 1 2 4 8 16"  # 0: the order of the PTX
sms=80
mkdir -p "$runs"

for w in $workloads; do
  for b in $bounds; do
    [ -e "$runs/$w-$b" ] || "$strata" run isca19/shared --workload "$w@quick" --loads-in-flight "$b" --quiet \
      --out "$runs/$w-$b" >/dev/null
  done
done

# figure RUN KEY: from the summary of a run.
figure() { sed -n "/\"summary\": {/,/}/s/^ *\"$2\": \([0-9.]*\),*$/\1/p" "$runs/$1/stats.json"; }
# A line for each run: workload, bound, IPC, and by Little's law the line accesses of loads in flight in an SM.
for w in $workloads; do
  for b in $bounds; do
    echo "$w $b $(figure "$w-$b" ipc) $(figure "$w-$b" l1_accesses) $(figure "$w-$b" mean_load_latency)" \
      "$(figure "$w-$b" cycles)"
  done
done | awk -v sms=$sms '{ print $1, $2, $3, $4 * $5 / $6 / sms }' >"$runs/figures"

# table COLUMN FORMAT RELATIVE
table() {
  echo "| workload | PTX order | 1 | 2 | 4 | 8 | 16 |"
  echo "| --- | --- | --- | --- | --- | --- | --- |"
  awk -v column="$1" -v format="$2" -v relative="$3" '
    $2 == 0 { if (NR > 1) print line " |"; line = "| " $1 " | " sprintf(format, $column); first = $column; next }
    { line = line " | " (relative ? sprintf("%+.0f %%", 100 * ($column / first - 1)) : sprintf(format, $column)) }
    END { print line " |" }' "$runs/figures"
}
table 3 %.0f 1 >"$runs/ipc"
table 4 %.1f 0 >"$runs/loads"

if [ "$action" != --update ]; then
  cat "$runs/ipc" "$runs/loads"
  exit
fi
awk -v folder="$runs" '
  /^<!-- [a-z]+: end -->$/ { inside = 0 }
  !inside { print }
  /^<!-- [a-z]+: begin -->$/ { inside = 1; sub(":", "", $2); while ((getline line <(folder "/" $2)) > 0) print line }' \
  "$doc" >"$runs/doc"
cat "$runs/doc" >"$doc"
awk -f tb/validation/load_order_plot.awk "$runs/figures" >"$runs/plot"
cat "$runs/plot" >"$plot"
