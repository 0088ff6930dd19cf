#!/bin/bash
# The 17 workloads of the adaptive LLC at the scale of the paper on its machine, one after the other, each up to the
# paper's one billion thread instructions: prints the table of docs/notes/workloads.md. Runs that FOLDER already holds are not
# repeated, so that a stopped command goes on where it was. Fails when a run takes more than the bars below.
# Usage: workload_paper_runs.sh PROGRAM FOLDER [--update DOC]
set -eu
strata=$(realpath "$1") runs=$(realpath -m "$2") action=${3:-} doc=${4:-}
cd "$(dirname "$0")/../.."
workloads="lud sp 3dc bt gemm bp an rn sn nn mm bs dwt2d ms bino hg va"
platform=isca19/shared
limit=1000000000     # thread instructions: "We simulate one billion instructions", ISCA 2019, section 5
most_seconds=600     # a run, in processor time
most_memory=1000     # MB
mkdir -p "$runs"

# simulate NAME: results and their cost to $runs/NAME, which appears when all of it is there.
simulate() {
  local part=$runs/.$1 TIMEFORMAT=%U
  rm -rf "$part"
  { time "$strata" run $platform --workload "$1@paper" --max-instructions $limit --quiet --out "$part" >"$runs/log" 2>&1; } \
    2>"$runs/time" || { cat "$runs/log" >&2; exit 1; }
  tail -n 1 "$runs/time" >"$part/user_seconds"
  mv "$part" "$runs/$1"
}
# figure NAME KEY: from the summary of a run.
figure() { sed -n "/\"summary\": {/,/}/s/^ *\"$2\": \([0-9.]*\),*$/\1/p" "$runs/$1/stats.json"; }
row() {
  local whole="all"
  grep -q '^ "partial": true' "$runs/$1/stats.json" && whole="first 10^9"
  awk -v name="$1" -v t="$(figure "$1" thread_instructions)" -v whole="$whole" -v c="$(figure "$1" cycles)" \
    -v i="$(figure "$1" ipc)" -v r="$(figure "$1" llc_response_rate)" -v s="$(cat "$runs/$1/user_seconds")" \
    -v m="$(figure "$1" peak_rss_bytes)" -v most_s=$most_seconds -v most_m=$most_memory 'BEGIN {
      printf "| %s | %.1f | %s | %d | %.1f | %.2f | %.0f | %.0f |\n", name, t / 1e6, whole, c, i, r, s, m / 1e6
      exit !(s <= most_s && m / 1e6 <= most_m) }'
}

for name in $workloads; do
  [ -e "$runs/$name" ] || simulate "$name"
done
within=0
{
  echo "| workload | M thread instructions | simulated | cycles | IPC | LLC replies a cycle | user s | peak MB |"
  echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
  for name in $workloads; do row "$name" || { within=1; echo "$name is over the bars" >&2; }; done
} >"$runs/table"
if [ "$action" = --update ]; then
  awk -v file="$runs/table" '
    $0 == "<!-- paper runs: end -->" { inside = 0 }
    !inside { print }
    $0 == "<!-- paper runs: begin -->" { inside = 1; while ((getline line <file) > 0) print line }' "$doc" >"$runs/doc"
  cat "$runs/doc" >"$doc"
else
  cat "$runs/table"
fi
exit $within
