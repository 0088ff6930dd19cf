#!/bin/bash
# Which program makes which miss, from the command line: tables that add up, programs placed on SMs, messages for bad input.
# Usage: interference_cli_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"
four="--workload vma --workload dadd --workload agg1 --workload agg2"

# refused TEXT ARGUMENTS...: exit code 1, one line, and nothing left behind.
refused() {
  local text=$1 output
  shift
  output=$("$strata" interference "$@" --out "$folder/bad" 2>&1)
  [ $? -eq 1 ] || complain "$*: not refused: $output"
  grep -qF -- "$text" <<<"$output" || complain "$*: no '$text' in: $output"
  [ "$(wc -l <<<"$output")" -eq 1 ] || complain "$*: more than one line: $output"
}
refused '--sm 0:1:1:3: programs 1 and 2 are both to run on SM 1; allowed: one program an SM' gdc/xavier $four --sm 0:1:1:3
refused '--sm 0:1:2:4: program 3 is to run on SM 4, but a cluster has 4; allowed: 0 to 3' gdc/xavier $four --sm 0:1:2:4
refused '--sm 0:1 names 2 SMs for 4 programs; allowed: one for each' gdc/xavier $four --sm 0:1
refused '5 applications, but a cluster has 4 SMs' gdc/xavier $four --workload mm
refused '--victim 4: there is no such program; allowed: 0 to 3' gdc/xavier $four --victim 4
refused '--without 7: there is no such program; allowed: 0 to 3' gdc/xavier $four --without 7
refused '--without names the victim itself' gdc/xavier $four --without 0
refused 'the contention tracker has counters for 2 SMs, but 4 run; allowed: kernels >= 4' gdc/xavier $four --set trk.kernels=2
refused 'interference needs two programs or more (--workload, --trace), but there is one' gdc/xavier --workload vma
refused "no option '--vitcim' (did you mean '--victim'?)" gdc/xavier $four --vitcim 1
refused '--sm and --share exclude each other' gdc/xavier $four --sm 0:1:2:3 --share 1:1:1:1
rmdir "$folder/bad" 2>/dev/null
[ -e "$folder/bad/interference.json" ] && complain "a refused run left results"

"$strata" interference gdc/xavier $four --out "$folder/four" >"$folder/text" || complain "four programs"
grep -q 'simulated without' "$folder/text" || complain "no runs without a contender: $(cat "$folder/text")"
for file in interference.csv interference.json interference.svg without-3/interference.json; do
  [ -s "$folder/four/$file" ] || complain "$file is not there"
done
# Columns 6 to 8 and 10: shares of each victim add up to 1, those of PLOB where others evict at all.
awk -F, 'NR > 1 { n[$1]++; for (c = 6; c <= 10; c++) s[$1, c] += $c }
  END { for (v in n) for (c = 6; c <= 10; c++) if (c != 9 && s[v, c] != 0 && (s[v, c] < 0.9999 || s[v, c] > 1.0001)) { print v, c, s[v, c]; bad = 1 }
        for (v in n) if (n[v] != 4 || s[v, 6] == 0) { print v; bad = 1 } exit bad }' "$folder/four/interference.csv" ||
  complain "shares do not add up to 1"

# The same programs on other SMs, given in another order, with idle SMs between: the order of the command line stays.
expect 0 'until mm has ended' interference gdc/xavier --workload mt --workload mm --sm 3:1 --victim 1 --no-rerun --out "$folder/two"
grep -q '^mt,mm,' "$folder/two/interference.csv" || complain "order of the programs"
expect 0 'misses of mm' interference gdc/xavier --workload mt --workload mm --sm 3:1 --victim 1 --without 0 --out "$folder/one"
awk -F, '$1 == "mt" && $3 != 0 { exit 1 }' "$folder/one/interference.csv" || complain "a program that does not run misses"

# A platform without a tracker gets one; a tracker changes no result.
expect 0 'misses of gemm' interference isca19/shared --workload gemm --workload nn --max-instructions 50000 --no-rerun --out "$folder/isca"
digest() { "$strata" run gdc/xavier $four --quiet --out "$folder/run" "$@" | sed -n 's/^digest: //p'; }
cycles() { sed -n 's/.*"cycles": \([0-9]*\),.*/\1/p' "$folder/run/stats.json" | head -1; }
digest >/dev/null
with=$(cycles)
sed '/trk/d' platforms/machines/gdc/xavier.yaml >"$folder/plain.yaml"
"$strata" run "$folder/plain.yaml" $four --quiet --out "$folder/run" >/dev/null || complain "without a tracker"
[ -n "$with" ] && [ "$with" = "$(cycles)" ] || complain "a tracker changes the time: $with, $(cycles)"
expect 0 'digest' run gdc/xavier --workload vma --trace idle --quiet --out "$folder/idle"
expect 0 '39 runs' reproduce gdc --list

# A study that breaks off keeps what has ended, and goes on there: a program that hands out known results in place of runs.
export calls="$folder/calls" results="$folder" breaks_at=4
cat >"$folder/program" <<'PROGRAM'
#!/bin/bash
echo "$2" >>"$calls"
[ "$(wc -l <"$calls")" -eq "$breaks_at" ] && { echo 'no more' >&2; exit 1; }
mkdir -p "${@: -1}" && cp "$results/$([ "$2" = isca19/multi ] && echo two || echo four)/interference.json" "${@: -1}"
PROGRAM
chmod +x "$folder/program"
study="reproduce gdc --quick --jobs 1 --program $folder/program --out $folder/study"
expect 1 'a run has failed: no more' $study
expect 0 'ctas-4, finished: strata interference' $study --list --resume
[ "$("$strata" $study --list --resume | grep -c ', finished: ')" -eq 3 ] || complain "three runs had ended"
expect 0 'page: ' $study --resume
[ "$(wc -l <"$calls")" -eq 40 ] || complain "$(wc -l <"$calls") runs in place of 3, 1 that fails and 36"
grep -q '^| GDC | 32 | ' "$folder/study/gdc.md" || complain "no errors over all workloads"
expect 0 'page: ' $study --resume
[ "$(wc -l <"$calls")" -eq 40 ] || complain "finished runs were made again"
expect 1 '--figure: gdc has one study' reproduce gdc --figure 3
exit $failed
