#!/bin/bash
# Bad input as users give it: each ends with its documented exit code and one clear message.
# Usage: bad_input_test.sh PROGRAM
set -u
strata=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
complain() { echo "FAILED: $*"; failed=1; }

# refused CODE TEXT ARGUMENTS...: exit code, and one line on stderr (or $lines) that holds TEXT.
refused() {
  local code=$1 text=$2 output got
  shift 2
  output=$(timeout 60 "$strata" "$@" 2>&1 >/dev/null)
  got=$?
  [ $got -eq "$code" ] || complain "strata $*: exit code $got, not $code: $output"
  grep -qF -- "$text" <<<"$output" || complain "strata $*: no '$text' in: $output"
  [ "$(wc -l <<<"$output")" -eq "${lines:-1}" ] || complain "strata $*: not ${lines:-1} line: $output"
}
# platform EXPRESSION: the tiny platform changed by sed, as $folder/p.yaml; it must have changed.
platform() {
  sed "$1" platforms/machines/tiny/tiny.yaml >"$folder/p.yaml"
  cmp -s platforms/machines/tiny/tiny.yaml "$folder/p.yaml" && complain "sed '$1' changes nothing"
}
netlist() { lines=${2:-1} refused 1 "$1" run "$folder/p.yaml" --trace synthetic:random --quiet --out "$folder/out"; }

platform 's/{module: llc_slice}/{module: llc_slice, wayz: 8}/'
netlist "p.yaml:12:"
netlist "did you mean 'ways'"
platform 's/{module: llc_slice}/{module: llc_slice, size: 8 cycles}/'
netlist "wrong unit; allowed: 32 B to 64 MiB"
platform '/mc\[m\].channel/d'
netlist "p.yaml:13:3: unbound socket: mc[0].channel[0] is bound to nothing" 2  # every open end, on one line each
platform 's/  - mc\[m\].channel  -> ch\[m\].controller/&\n&/'
netlist "p.yaml:22:5: bind 'mc[m].channel  -> ch[m].controller': double binding"
platform 's/ l1\[c \* sm.sms + s\].sm/ l1[c * sm.sms + s].core/'
netlist "l1 (l1_private) has no socket 'core'; it is called 'sm' now" 1
platform 's/ch\[m\].controller/ch[m].bus/'
netlist "ch (dram_channel) has no socket 'bus'; it is called 'controller' now" 1
platform 's/{module: llc_slice}/{module: llc_slice, count: 2}/'
netlist "count mismatch: there are 2 llc_slice instances, but address_map.channels * address_map.slices_per_channel = 1"
# The second row of the matrix repeats the first.
awk '/^[01]/ { if (++n == 1) row = $0; if (n == 2) $0 = row } { print }' platforms/machines/address_maps/pae_64_targets.txt \
  >"$folder/map.txt"
platform "s/kind: bits,/kind: pae, matrix: map.txt,/"
netlist "invertible"
platform 's/llc_slice}/llc_slise}/'
netlist "did you mean 'llc_slice'"
platform 's/^bind:/  - [/'
netlist "p.yaml:15:"
refused 1 "no such file" run "$folder/none.yaml" --trace synthetic:random
refused 1 "did you mean 'tiny'" run tinny --trace synthetic:random
refused 1 "the name of the trace is empty" run tiny --trace ""
refused 1 "did you mean 'run'" rnu
refused 1 "did you mean '--seed'" run tiny --trace synthetic:random --sead 3
refused 1 "did you mean 'check'" trace chek x
refused 1 "did you mean 'footprint'" trace info synthetic:random:fotprint=4MiB
refused 1 "allowed are 1048576" trace info synthetic:random:loads=100000

# Traces: the fault is named with its file and line, also when it lies in the first block.
xz -dc traces/samples/vectoradd_160/kernel-1.traceg.xz >"$folder/good.traceg"
trace() {
  refused 2 "$1" run tiny --trace "$folder/$2" --quiet --out "$folder/out"
  refused 2 "$1" trace check "$folder/$2"
}
edited() { sed "$1" "$folder/good.traceg" >"$folder/bad.traceg"; }
edited '0,/insts = 13/s//insts = 12/'
trace "bad.traceg:35: expected EXIT for every thread of warp 0 in its 12 instructions (insts at line 23)" bad.traceg
edited '0,/insts = 13/s//insts = 14/'
trace "expected instruction 14 of 14 of warp 0 (insts at line 23)" bad.traceg
edited '0,/insts = 13/s//insts = 99999999999/'
trace "bad.traceg:23: expected at most 67108864 instructions" bad.traceg
edited '0,/ EXIT 0 0/s// NOP 0 0/'
trace "expected EXIT for every thread of warp 0" bad.traceg
edited 's/tracer version = 5/tracer version = 9/'
trace "bad.traceg:12: -accelsim tracer version: expected a trace version from 1 to 6, found '9'" bad.traceg
edited '0,/LDG/s//LDGG/'
trace "did you mean 'LDG'" bad.traceg
head -n 2000 "$folder/good.traceg" >"$folder/bad.traceg"
trace "bad.traceg:2000: expected" bad.traceg
head -c 2000 traces/samples/matmul_512/kernel-1.traceg.xz >"$folder/cut.traceg.xz"
trace "the .xz file is truncated" cut.traceg.xz
echo kernel-7.traceg >"$folder/list.g"
trace "list.g:1: " list.g
trace "no such file or directory" none.traceg
trace "not a trace that Strata knows" map.txt

# What never ends, or never begins, in the place of any input: refused by name, at once.
mkfifo "$folder/pipe" "$folder/pipe.traceg" "$folder/pipe.g" "$folder/pipe.csv" "$folder/pipe.ptx" "$folder/pipe.yaml"
for file in /dev/zero "$folder/pipe"; do
  kind=device
  [ -p "$file" ] && kind=pipe
  refused 1 "is a $kind, not a regular file" run "$file" --trace synthetic:random
  refused 1 "is a $kind, not a regular file" run tiny --with "$file" --trace synthetic:random
  refused 2 "is a $kind, not a regular file" run tiny --trace "$file" --quiet --out "$folder/out"
  refused 2 "is a $kind, not a regular file" trace check "$file"
  refused 2 "is a $kind, not a regular file" trace convert "$file" "$folder/x.strata"
  refused 1 "is a $kind, not a regular file" trace record "$file" --verify
  refused 2 "is a $kind, not a regular file" ptx analyse "$file"
  refused 2 "is a $kind, not a regular file" dram "$file" --timing-set hbm2
  refused 1 "is a $kind, not a regular file" dram tb/data/dram/requests/b10_random_rd.csv --timing-set "$file"
  refused 1 "is a $kind, not a regular file" reproduce "$file" --list
  rm -rf "$folder/results" && mkdir "$folder/results" && ln -s "$file" "$folder/results/stats.json"
  refused 1 "is a $kind, not a regular file" compare "$folder/results"
  platform "s@kind: bits,@kind: pae, matrix: $file,@"
  netlist "is a $kind, not a regular file"
  printf 'module: %s\nbuffers: {a: {count: 1}}\nlaunches: [{kernel: k, grid: 1, block: 1, arguments: []}]\n' "$file" >"$folder/w.yaml"
  refused 2 "is a $kind, not a regular file" trace record "$folder/w.yaml" --verify
  ln -sf "$file" "$folder/linked.traceg"
  echo linked.traceg >"$folder/list.g"
  trace "list.g:1: " list.g
done
for ending in traceg g; do refused 2 "is a pipe, not a regular file" trace check "$folder/pipe.$ending"; done
# A few kilobytes of .xz that unfold to blank lines without end.
head -c 200000000 /dev/zero | tr '\0' '\n' | xz -0 >"$folder/blank.traceg.xz"
refused 2 "blank.traceg.xz:1000001: more than 1000000 blank lines in a row" trace check "$folder/blank.traceg.xz"
head -c 200000000 /dev/zero | xz -0 >"$folder/zero.traceg.xz"
refused 2 "zero.traceg.xz:1: expected a line of at most 65536 characters" trace check "$folder/zero.traceg.xz"

# A fault behind the first blocks of a trace: what was simulated until then is kept, marked partial.
# kept TRACE TEXT
kept() {
  rm -rf "$folder/out"
  refused 2 "$2" run tiny --trace "$1" --quiet --out "$folder/out"
  grep -q '"partial": true' "$folder/out/stats.json" || complain "$1: results are not marked partial"
  grep -q '"reason": "trace error"' "$folder/out/stats.json" || complain "$1: no reason in the results"
  grep -qE '"ctas_done": [1-9]' "$folder/out/stats.json" || complain "$1: nothing was simulated before the fault"
}
head -n 12000 "$folder/good.traceg" >"$folder/bad.traceg"
kept "$folder/bad.traceg" "bad.traceg:12000: expected"
# The line behind the last one that can be unpacked is named.
head -c 30000 traces/samples/matmul_512/kernel-1.traceg.xz >"$folder/cut.traceg.xz"
whole=$(xz -dc "$folder/cut.traceg.xz" 2>/dev/null | wc -l)
kept "$folder/cut.traceg.xz" "cut.traceg.xz:$((whole + 1)): the .xz file is truncated"
refused 2 "fits no SM: it needs 8192 bytes of shared memory" run tiny --trace traces/samples/matmul_512 \
  --set "sm.shared_memory=1 KiB" --quiet --out "$folder/out"

# Results: a directory that cannot be made (below a file: also root cannot) is refused before the run.
refused 1 "cannot write results to" run tiny --trace synthetic:random --quiet --out "$folder/map.txt/x"
refused 1 "cannot write" trace convert synthetic:random "$folder/map.txt/x"
refused 1 "it is not a regular file" trace convert synthetic:random:loads=1 /dev/full
[ -c /dev/full ] || complain "a device was replaced by a record"
refused 1 "cannot write" netlist tiny --svg /dev/full
refused 1 "cannot write" netlist tiny --dot /dev/full
# Output that is lost is not a success.
for verb in "modules" "trace info synthetic:random:loads=1" "run tiny --trace synthetic:random:loads=1 --out $folder/out"; do
  output=$("$strata" $verb 2>&1 >/dev/full)
  [ $? -eq 1 ] || complain "$verb: a full standard output goes unnoticed"
  [[ $output == "strata: cannot write to the standard output"* ]] || complain "$verb: no clear message: $output"
done
exit $failed
