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

# A list of four launches in two forms, .traceg and .tracez, with calls between them. (dictionary.tracez: 8 CTAs.)
list=$folder/mixed
mkdir "$list"
cp tb/data/fuzz/tracez/*.tracez "$list"
xz -dc traces/samples/vectoradd_160/kernel-1.traceg.xz >"$list/add.traceg"
cat >"$list/kernelslist.g" <<'END'
cudaMalloc,0x7f0000000000,4096
cudaMemcpyAsyncHtoD,0x7f0000000000,4096,7
plain.tracez
add.traceg
cudaDeviceSynchronize
dictionary.tracez
cudaMemset,0x7f0000000000,0,64
plain.tracez
END
"$strata" trace check "$list" >"$folder/checked" 2>"$folder/said" || complain "the mixed list is not sound: $(cat "$folder/said")"
# 1 + 160 + 8 + 1 CTAs; 2 + 16640 + 128 + 2 instructions.
grep -qF "$list: sound: 4 kernels, 170 CTAs, 16804 warp instructions" "$folder/checked" || complain "mixed list: $(cat "$folder/checked")"
grep -qF "kernelslist.g: lines passed over, which change nothing: 1 cudaMalloc" "$folder/checked" || complain "no word of cudaMalloc"
grep -qF "although they move data on the device: 1 cudaMemset" "$folder/checked" || complain "no word of cudaMemset"
grep -qF "read as one pass each (REPLAY_START): 16" "$folder/checked" || complain "no word of the loops"
"$strata" trace info --json "$list" >"$folder/mixed.json" 2>"$folder/said" || complain "info of the mixed list fails"
[ "$(grep -c "passed over" "$folder/said")" -eq 2 ] || complain "info does not say once what is passed over: $(cat "$folder/said")"
[ "$(figure copies "$folder/mixed.json")" = 1 ] || complain "mixed list: not 1 copy"

# Parts of it, by number and by name: the digests of a part and of a record of that part are equal.
[ "$("$strata" trace check --launches 1:2 "$list" | sed -n '1s/.*sound: //p')" = "2 kernels, 168 CTAs, 16800 warp instructions" ] ||
  complain "--launches 1:2 is not the launches 1 and 2"
[ "$("$strata" trace check --kernels '^vectoradd' "$list" | sed -n '1s/.*sound: //p')" = "1 kernels, 160 CTAs, 16640 warp instructions" ] ||
  complain "--kernels vectoradd is not the launch of vectoradd"
"$strata" trace convert --kernels '^vectoradd' "$list" "$folder/part.strata" >/dev/null 2>&1 || complain "convert of a part fails"
part=$("$strata" run tiny --trace "$list" --kernels '^vectoradd' --quiet --max-instructions 300000 --out "$folder/out" 2>/dev/null | tail -n 1)
[ "$part" = "$(run "$folder/part.strata")" ] || complain "a part and its record run differently"
for again in 1 2; do  # the second time from the cache
  digest=$("$strata" run tiny --trace "$list" --launches 0:0 --quiet --out "$folder/out" --cache "$folder/cache" 2>/dev/null | tail -n 1)
  [ "$digest" = "${first_digest:=$digest}" ] || complain "--launches 0:0 runs differently from the cache"
done
digest=$("$strata" run tiny --trace "$list" --launches 1:1 --quiet --max-instructions 300000 --out "$folder/out" --cache "$folder/cache" 2>/dev/null | tail -n 1)
[ "$digest" = "$part" ] || complain "--launches 1:1 is not the kernel vectoradd"

# Of kernels that are interpreted, a part is what it is in the record of all: what is left out is interpreted too.
"$strata" trace record 3mm@tiny --out "$folder/3mm.strata" >/dev/null 2>&1 || complain "3mm is not recorded"
for launches in 1:2 2:; do
  digest=$("$strata" run tiny --workload 3mm@tiny --launches "$launches" --no-cache --quiet --out "$folder/out" | tail -n 1)
  [ "$digest" = "$("$strata" run tiny --trace "$folder/3mm.strata" --launches "$launches" --no-cache --quiet --out "$folder/out" | tail -n 1)" ] ||
    complain "--launches $launches of a workload and of its record differ"
done

# wrong TEXT ARGUMENTS...: exit code 1, one line on stderr but for what is passed over, that holds TEXT.
wrong() {
  local text=$1 output
  shift
  output=$("$strata" "$@" 2>&1 >/dev/null)
  [ $? -eq 1 ] || complain "strata $*: not exit code 1: $output"
  output=$(grep -v "passed over" <<<"$output")
  grep -qF -- "$text" <<<"$output" || complain "strata $*: no '$text' in: $output"
  [ "$(wc -l <<<"$output")" -eq 1 ] || complain "strata $*: more than one line: $output"
}
wrong "--launches 2:4: there are 4 launches, numbers 0 to 3" trace check --launches 2:4 "$list"
wrong "--launches 4:: there are 4 launches" run tiny --trace "$list" --launches 4:
wrong "--launches: expected FIRST:LAST" trace info --launches 3,1 "$list"
wrong "--kernels 'sort' is in no name of a kernel; there are k, vectoradd" trace convert --kernels sort "$list" "$folder/no.strata"
wrong "is no regular expression" trace info --kernels '(' "$list"
wrong "--kernels 'sort' is in no name" multi isca19/shared --trace "$list" --trace "$list" --kernels sort

# Damaged files of Accel-Sim 2.0, one that ends behind its header and one that ends in its pages.
head -c "$(grep -abo $'immediate\n\n' "$list/plain.tracez" | head -n 1 | cut -d: -f1)" "$list/plain.tracez" >"$list/cut.tracez"
printf '\n\0' >>"$list/cut.tracez"
refused "cut.tracez: the file is truncated: expected the sizes of dictionary and page" trace info "$list/cut.tracez"
head -c 3000 "$list/dictionary.tracez" >"$list/cut.tracez"
refused "cut.tracez: expected the place of the index" trace check "$list/cut.tracez"
refused "cut.tracez" run tiny --trace "$list/cut.tracez"

# What is not modelled is named once by a check and by each run, with the same counts; from the record of the run before too.
mkdir "$folder/gaps"
cat >"$folder/gaps/kernel-1.traceg" <<'END'
-kernel name = k
-grid dim = (1,1,1)
-block dim = (32,1,1)
-binary version = 90
-accelsim tracer version = 5
#traces format
#BEGIN_TB
thread block = 0,0,0
warp = 0
insts = 9
0010 ffffffff 0 MEMBAR.SC.GPU 0 0
0020 ffffffff 0 ERRBAR 0 0
0030 ffffffff 1 R2 LDC 1 R4 0
0040 ffffffff 1 R2 TEX 1 R4 0
0050 ffffffff 0 NANOSLEEP 0 0
0060 ffffffff 0 CCTL.IVALL 0 0
0070 00000001 0 UTMALDG.2D 0 0
0080 ffffffff 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 0 0
0f00 ffffffff 0 EXIT 0 0
#END_TB
END
echo kernel-1.traceg >"$folder/gaps/kernelslist.g"
"$strata" trace check "$folder/gaps" | sed -n 's/.*: not in the figures of a run: //p' | sort >"$folder/checked"
[ "$(sed 's/[:,].*//' "$folder/checked")" = "1 bulk copies
1 fetches of textures
1 instructions of cache control
1 instructions that order warps by what the trace does not hold
1 loads of constants
1 pauses of a warp
2 fences" ] || complain "not modelled: a check says: $(cat "$folder/checked")"
for from in trace record; do
  "$strata" run qv100/qv100 --trace "$folder/gaps" --out "$folder/gaps/out" 2>&1 | sed -n 's/^not in these figures: \([0-9]\)/\1/p' | sort >"$folder/ran"
  cmp -s "$folder/checked" "$folder/ran" || complain "not modelled: a run from the $from says otherwise: $(diff "$folder/checked" "$folder/ran")"
done
grep -q '"read_from": "record' "$folder/gaps/out/stats.json" || complain "not modelled: the second run read no record"
grep -A 3 '"traffic_missing"' "$folder/gaps/out/stats.json" | tr -d ' \n' | grep -q '{"bulk_copies":1,"instructions":2}' || complain "not modelled: traffic_missing"

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
