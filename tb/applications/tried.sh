#!/bin/bash
# What was tried: runs the applications of tb/applications/tried.tsv (name, repository, folder there, arguments) with
# `strata app` and prints the table of docs/applications.md. It fetches and compiles nothing: FOLDER must hold an executable
# of each name (or NAME.shared), compiled as docs/applications.md says, and FOLDER/data what the arguments name. Results are
# kept in FOLDER/tried, so that a stopped command goes on where it was.
# Usage: tried.sh PROGRAM FOLDER [--update DOC]
set -u
strata=$(realpath "$1") folder=$(realpath "$2") action=${3:-} doc=${4:-}
cd "$(dirname "$0")/../.."
list=tb/applications/tried.tsv
limit=${STRATA_TRIED_SECONDS:-60}
[ -d "$folder" ] || { echo "$2: expected a folder with the executables of $list" >&2; exit 1; }

# try NAME ARGUMENTS...: what it says, and a last line with its exit code, to $folder/tried/NAME.
try() {
  local name=$1 program=$folder/$1
  [ -x "$program" ] || program=$folder/$1.shared
  [ -x "$program" ] || return
  local work
  work=$(mktemp -d)
  [ -d "$folder/work/$name" ] && cp -r "$folder/work/$name/." "$work"
  (cd "$work" && timeout "$limit" "$strata" app -- "$program" ${@:2} >"$work.log" 2>&1 </dev/null; echo "#code $?" >>"$work.log")
  mkdir -p "$folder/tried"
  tail -c 100000 "$work.log" >"$folder/tried/$name"
  rm -rf "$work" "$work.log"
}
# verdict NAME: in words.
verdict() {
  local out=$folder/tried/$1 code
  [ -e "$out" ] || { echo "not tried: no executable"; return; }
  code=$(sed -n 's/^#code //p' "$out" | tail -1)
  if [ "$code" = 124 ]; then echo "longer than $limit s"
  elif grep -qE '\bFAILED\b|Test failed' "$out"; then echo "says that it failed"
  elif [ "$code" != 0 ]; then
    local why
    why=$(grep -m1 '^strata: ' "$out" | sed 's/^strata: //; s/|/\\|/g' | cut -c1-110)
    echo "${why:-exit code $code}"
  elif grep -qE 'PASSED|Test passed|[Ss]uccess|Non-Matching.*: 0$' "$out"; then echo "runs, and says that it is right"
  else echo "runs"; fi
}

while IFS=$'\t' read -r name _ _ words; do
  [ -e "$folder/tried/$name" ] || try "$name" ${words//DATA/$folder\/data} </dev/null
done <"$list"

table=$(mktemp)
trap 'rm -f "$table"' EXIT
{
  echo "| application | source repository | result | launches | M thread instructions |"
  echo "| --- | --- | --- | --- | --- |"
  while IFS=$'\t' read -r name repository where _; do
    counts=$(sed -n 's/^\([0-9]*\) launches, \([0-9.]*\) M thread instructions.*/\1 | \2/p' "$folder/tried/$name" 2>/dev/null | tail -1)
    echo "| $name | $repository, $where | $(verdict "$name") | ${counts:- | } |"
  done <"$list"
} >"$table"
if [ "$action" = --update ]; then
  sed -i -e "/<!-- tried: begin -->/,/<!-- tried: end -->/{/<!-- tried: begin -->/{p;r $table
}; /<!-- tried: end -->/p; d}" "$doc"
else
  cat "$table"
fi
grep -c '| runs' "$table" | sed "s/\$/ of $(wc -l <"$list") run/"
