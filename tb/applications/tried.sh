#!/bin/bash
# What was tried: runs the applications of tb/applications/tried.tsv (name, repository, folder there, arguments) with
# `strata app` and prints the table of docs/notes/applications.md. It fetches and compiles nothing: FOLDER must hold an executable
# of each name (or NAME.shared), compiled as docs/guide/applications.md says, FOLDER/data what the arguments name, FOLDER/work/NAME
# what a program looks for where it is started, and, to compare with, FOLDER/gold/NAME what it printed on a GPU (an H100).
# Results are kept in FOLDER/tried, so that a stopped command goes on where it was.
# Usage: tried.sh PROGRAM FOLDER [--update DOC]
set -u
strata=$(realpath "$1") folder=$(realpath "$2") action=${3:-} doc=${4:-}
cd "$(dirname "$0")/../.."
list=tb/applications/tried.tsv
limit=${STRATA_TRIED_SECONDS:-60}
[ -d "$folder" ] || { echo "$2: expected a folder with the executables of $list" >&2; exit 1; }

# try NAME ARGUMENTS...: what it prints to $folder/tried/NAME, what Strata says and a last line with its exit code to NAME.log.
try() {
  local name=$1 program=$folder/$1 out=$folder/tried/$1
  [ -x "$program" ] || program=$folder/$1.shared
  [ -x "$program" ] || return
  local work
  work=$(mktemp -d)
  [ -d "$folder/work/$name" ] && cp -rL "$folder/work/$name/." "$work"
  mkdir -p "$folder/tried"
  (cd "$work" && timeout "$limit" "$strata" app --device h100 -- "$program" ${@:2} >"$out.part" 2>"$out.said" </dev/null
    echo "#code $?" >>"$out.said")
  head -c 1000000 "$out.part" >"$out"
  tail -c 100000 "$out.said" >"$out.log"
  rm -rf "$work" "$out.part" "$out.said"
}
# differs A B: the first line of A that is not in B, word by word; numbers may differ by a thousandth. Lines that tell of time,
# speed, machines and places say nothing of results.
differs() {
  local what='^ *$|^ *-?[0-9.]+ *$|took|^ *(io|kernel|copy|compute|timer) *:|time|second|[0-9 ]m?s\b|/s\b|flops|bandwidth|throughput|latency|rate|speed|faster|clock|device|gpu|driver|cuda|0x|#|directory|/'
  awk -v ours=<(grep -aviE "$what" "$1") -v theirs=<(grep -aviE "$what" "$2") '
    function numeric(w) { return w ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/ }
    function size(x) { return x < 0 ? -x : x }
    BEGIN {
      while (1) {
        a = (getline la <ours) > 0; b = (getline lb <theirs) > 0
        if (!a && !b) exit
        if (!a || !b) { print a ? la : "(less)"; exit }
        n = split(la, x, /[][ \t,:;()=]+/); m = split(lb, y, /[][ \t,:;()=]+/)
        bad = n != m
        for (i = 1; i <= n && !bad; ++i)
          bad = x[i] != y[i] && !(numeric(x[i]) && numeric(y[i]) && size(x[i] - y[i]) <= 1e-6 + 1e-3 * size(y[i]))
        if (bad) { print la; exit }
      }
    }'
}
# verdict NAME: in words.
verdict() {
  local out=$folder/tried/$1 code other
  [ -e "$out.log" ] || { echo "not tried: no executable"; return; }
  code=$(sed -n 's/^#code //p' "$out.log" | tail -1)
  if [ "$code" = 124 ]; then echo "longer than $limit s"; return; fi
  if grep -aqE '\bFAILED\b|Test failed' "$out"; then echo "says that it failed"; return; fi
  if grep -aqi 'waiv' "$out"; then echo "says that the device lacks what it needs"; return; fi
  if [ "$code" != 0 ] && ! grep -qs "^#rc $code " "$folder/gold/$1"; then
    local why
    why=$(grep -am1 '^strata: ' "$out.log" | sed 's/^strata: //; s/|/\\|/g; s#/[^ ]*/##g' | cut -c1-110)
    echo "${why:-exit code $code}"
    return
  fi
  if [ -e "$folder/gold/$1" ]; then
    other=$(differs "$out" "$folder/gold/$1")
    [ -z "$other" ] && { echo "runs, prints what a GPU prints"; return; }
  fi
  if grep -aqE 'PASSED|Test passed|[Ss]uccess|Non-Matching.*: 0$' "$out"; then echo "runs, and says that it is right"
  elif [ -n "${other:-}" ]; then echo "runs, prints other than a GPU: $(tr -d '|' <<<"$other" | cut -c1-60)"
  else echo "runs"; fi
}

while IFS=$'\t' read -r name _ _ words; do
  [ -e "$folder/tried/$name.log" ] || try "$name" ${words//DATA/$folder\/data} </dev/null
done <"$list"

table=$(mktemp) rows=$(mktemp)
trap 'rm -f "$table" "$rows"' EXIT
while IFS=$'\t' read -r name repository where _; do
  counts=$(sed -n 's/^\([0-9]*\) launches, \([0-9.]*\) M thread instructions.*/\1 | \2/p' "$folder/tried/$name.log" 2>/dev/null | tail -1)
  echo "| $name | $repository, $where | $(verdict "$name") | ${counts:- | } |"
done <"$list" >"$rows"
{
  echo "$(grep -c '| runs' "$rows") of $(wc -l <"$rows") run to their end, $(grep -c 'what a GPU prints' "$rows") of them with what an H100 prints;" \
    "$(grep -c '| longer than' "$rows") were ended after $limit seconds, on a busy machine, without a fault until then."
  echo
  echo "| application | source repository | result | launches | M thread instructions |"
  echo "| --- | --- | --- | --- | --- |"
  cat "$rows"
} >"$table"
if [ "$action" = --update ]; then
  sed -i -e "/<!-- tried: begin -->/,/<!-- tried: end -->/{/<!-- tried: begin -->/{p;r $table
}; /<!-- tried: end -->/p; d}" "$doc"
else
  cat "$table"
fi
