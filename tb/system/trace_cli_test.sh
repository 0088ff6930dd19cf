#!/bin/bash
# Traces through the program: counts of all samples, conversion, checks, runs. Usage: trace_cli_test.sh PROGRAM
set -u
strata=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
complain() { echo "FAILED: $*"; failed=1; }

# figure NAME FILE: the number behind "NAME": in a JSON file.
figure() { sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$2"; }
# Names in `trace info --json` and in meta.json.
counts="ctas ctas
warps warps
warp_instructions warp_insts
thread_instructions thread_insts
global_load_lines gld_lines
global_store_lines gst_lines
global_load_sectors gld_sectors
global_store_sectors gst_sectors
unique_lines unique_lines_128B
unique_sectors unique_sectors_32B"

# The counts of every sample are those that its generator wrote into meta.json, and a record keeps them.
for sample in traces/samples/*/; do
  [ -e "${sample}kernelslist.g" ] || continue  # a workload, not a trace
  name=$(basename "$sample")
  "$strata" trace info --json "$sample" >"$folder/$name.json" || complain "$name: info fails"
  while read -r ours theirs; do
    counted=$(figure "$ours" "$folder/$name.json")
    [[ $counted =~ ^[0-9]+$ ]] || complain "$name: no $ours"
    [ "$counted" = "$(figure "$theirs" "$sample/meta.json")" ] || complain "$name: $ours is $counted, not that of meta.json"
  done <<<"$counts"
  "$strata" trace convert "$sample" "$folder/$name.strata" >/dev/null || complain "$name: convert fails"
  "$strata" trace info --json "$folder/$name.strata" >"$folder/record.json" || complain "$name: info of the record fails"
  diff <(grep -v '"source"' "$folder/$name.json") <(grep -v '"source"' "$folder/record.json") ||
    complain "$name: the record counts differently"
  for trace in "$sample" "$folder/$name.strata"; do
    "$strata" trace check "$trace" | grep -q "sound" || complain "$trace: not sound"
  done
done

# A record gives the run that its original gives, and the same file each time.
run() { "$strata" run tiny --trace "$1" --quiet --max-instructions 300000 --out "$folder/out" | tail -n 1; }
original=$(run traces/samples/vectoradd_160)
[[ $original =~ ^digest:\ [0-9a-f]{16}$ ]] || complain "no digest: $original"
[ "$original" = "$(run "$folder/vectoradd_160.strata")" ] || complain "the record runs differently"
"$strata" trace convert traces/samples/vectoradd_160 "$folder/again.strata" >/dev/null
cmp -s "$folder/vectoradd_160.strata" "$folder/again.strata" || complain "two conversions differ"

# refused TEXT ARGUMENTS...: exit code 2, one line on stderr that holds TEXT.
refused() {
  local text=$1 output
  shift
  output=$("$strata" "$@" 2>&1 >/dev/null)
  [ $? -eq 2 ] || complain "strata $*: not exit code 2: $output"
  grep -qF -- "$text" <<<"$output" || complain "strata $*: no '$text' in: $output"
  [ "$(wc -l <<<"$output")" -eq 1 ] || complain "strata $*: more than one line: $output"
}
head -c 300 "$folder/vectoradd_160.strata" >"$folder/cut.strata"
refused "truncated" trace check "$folder/cut.strata"
refused "truncated" trace info "$folder/cut.strata"
cp "$folder/vectoradd_160.strata" "$folder/bad.strata"
printf '\377\377\377\377' | dd of="$folder/bad.strata" bs=1 seek=160 conv=notrunc 2>/dev/null
refused "frame of kernel 0, thread block" trace check "$folder/bad.strata"

# The disk fills up while a record is written: the older file stays, no part is left.
cp "$folder/vectoradd_160.strata" "$folder/kept.strata"
output=$(ulimit -f 4; "$strata" trace convert traces/samples/matmul_512 "$folder/kept.strata" 2>&1)
[ $? -eq 1 ] || complain "disk full: wrong exit code: $output"
grep -q "kept.strata: cannot write: File too large" <<<"$output" || complain "disk full: no clear message: $output"
cmp -s "$folder/vectoradd_160.strata" "$folder/kept.strata" || complain "disk full: the older record was touched"
[ -z "$(find "$folder" -name '.*.new.*')" ] || complain "a part of a record was left behind"
# An interrupt leaves no part of a record either. 20000 CTAs of 64 loads a warp take seconds.
"$strata" trace convert synthetic:random:ctas=20000 "$folder/slow.strata" 2>"$folder/said" &
pid=$!
for _ in $(seq 100); do
  [ -n "$(find "$folder" -name '.slow.strata.new.*')" ] && break
  sleep 0.1
done
kill -TERM $pid
wait $pid
[ $? -eq 130 ] || complain "interrupt: wrong exit code"
grep -q "interrupted; .*slow.strata was not written" "$folder/said" || complain "interrupt: no message"
[ -z "$(find "$folder" -name '*slow.strata*')" ] || complain "interrupt: a part of a record was left behind"
exit $failed
