#!/bin/bash
# strata reproduce on the smallest platform: claims, page, charts, resuming, a run that fails, misuse.
. tb/system/expect.sh
table=tb/data/reproduce/tiny.yaml
out=$folder/out

expect 0 "--resume" reproduce --help
expect 1 "no paper 'isca1' (did you mean 'isca19'?); there are dcl1_combined, energy, hpca21, isca19" reproduce isca1
expect 1 "no figure '22' of isca19 (did you mean '2'?); there are 2, 3, 7, 11, 12" reproduce isca19 --figure 22 --out "$out"
expect 1 "--jobs: 'none' is not a whole number of at least 1" reproduce "$table" --jobs none
expect 1 "no option '--figur' (did you mean '--figure'?)" reproduce "$table" --figur 2
[ -e "$out" ] && complain "a refused reproduction has left results"

# Three configurations and workloads: two runs each of figure 1 and one that figure 3 shares.
expect 0 "[4/4]" reproduce "$table" --quick --jobs 2 --out "$out"
page=$out/tiny.md
for text in "sign holds" "| 1 | the same, an odd claim | +500.0 % |" "nobody has built it" "within tolerance" "Ledger: mean load" "## What it costs" \
    "![IPC](tiny/ipc.svg)"; do
  grep -qF -- "$text" "$page" || complain "no '$text' in the page: $(cat "$page")"
done
grep -Eq '^\| slow \| plain \| sharing \| -[0-9.]+ % \| \+[0-9.]+ % \| -[0-9.]+ % \| \+[0-9.]+ % \|' "$page" || complain "no costs beside IPC: $(cat "$page")"
grep -q "| VA | .* |" "$page" || complain "no table of the chart"
[ -s "$out/tiny/ipc.svg" ] || complain "no drawing"
[ "$(ls -d "$out"/runs/*/ | wc -l)" -eq 4 ] || complain "not four runs: $(ls "$out/runs")"

expect 0 "slow va seed 1, finished: strata run tiny --workload va@tiny" reproduce "$table" --quick --list --resume --out "$out"
expect 0 "4 runs" reproduce "$table" --quick --list
expect 0 "30 runs" reproduce docs/designs/designs.yaml --quick --list  # docs/guide/designs.md
grep -q "^Cost on the machine that made this page: processor time of the 4 runs: " "$page" || complain "no processor time in the page"

# Finished runs are kept; other seeds or sizes are other runs; the page does not change.
cp "$page" "$folder/first.md"
expect 0 "not run: something that cannot run: nobody has built it" reproduce "$table" --quick --resume --out "$out"
"$strata" reproduce "$table" --quick --resume --out "$out" 2>&1 | grep -q "^\[" && complain "a finished run ran again"
sed 's/ --resume//' "$page" | cmp -s - "$folder/first.md" || complain "the page changed by resuming"
rm -r "$(ls -d "$out"/runs/slow-mm*/)"
expect 0 "[1/1] slow mm seed 1" reproduce "$table" --quick --resume --out "$out"

# Results with a changed counter or figure do not count as finished: they are kept aside.
for name in l1_hits cycles; do
  results=$(ls -d "$out"/runs/slow-mm*/)
  sed -i "0,/\"$name\": [0-9]*/s//\"$name\": 1/" "$results/stats.json"
  expect 0 "[1/1] slow mm seed 1" reproduce "$table" --quick --resume --out "$out"
  grep -q "\"$name\": 1\b" "${results%/}.changed/stats.json" || complain "changed results were not kept"
  grep -q "\"$name\": 1\b" "$results/stats.json" && complain "changed results were believed"
  rm -r "${results%/}.changed"
done
expect 0 "page: $folder/docs/tiny.md" reproduce "$table" --quick --figure sensitivity --quiet --out "$out" --docs "$folder/docs"
grep -q "^## What matters" "$folder/docs/tiny.md" || complain "no sheet in the page"
grep -q "^| L1 of 96 KiB | [-+0-9.]* |" "$folder/docs/tiny.md" || complain "no line of the sheet: $(cat "$folder/docs/tiny.md")"
grep -q "^| the small L1 | L1 of 96 KiB | sharing | [-+0-9.]* | [-+0-9.]* | [-+0-9.]* |" "$folder/docs/tiny.md" || complain "no split by removal"
grep -q "^| VA, [-+0-9.]* % | [0-9]* | [0-9]* | [-+0-9]* " "$folder/docs/tiny.md" || complain "no split by the ledger"
grep -q "runs the sheet" "$page" || complain "the misses do not name the sheet"
expect 0 "page" reproduce "$table" --quick --sensitivity --resume --quiet --out "$out" --docs "$folder/both"
grep -q "Sheet, the machines that move it most: from [-+0-9.]* % to [-+0-9.]* (L1 of 96 KiB)" "$folder/both/tiny.md" ||
  complain "a miss is not explained by the sheet: $(cat "$folder/both/tiny.md")"

# A run that fails is named with its log, the others go on, and the exit code says so.
sed 's/llc.latency=400/sm.shared_memory=0/' "$table" >"$folder/fails.yaml"
expect 1 "FAILED: exit code 2: strata: " reproduce "$folder/fails.yaml" --quick --figure 1 --out "$folder/fails"
expect 1 "not run: a slow LLC against a plain one, IPC: no finished run of slow, mm, seed 1" \
  reproduce "$folder/fails.yaml" --quick --figure 1 --resume --out "$folder/fails"
grep -q "## Runs that failed" "$folder/fails/fails.md" || complain "the page does not name the failed run"

# Faults of the table, of a platform and of a workload come before any run.
sed 's/metric: reads, of: plain/metric: red, of: plain/' "$table" >"$folder/typo.yaml"
expect 1 "typo.yaml:22:11: no metric 'red' (did you mean 'reads'?)" reproduce "$folder/typo.yaml"
sed 's/llc.latency=400/llc.latencies=400/' "$table" >"$folder/typo.yaml"
expect 1 "no such key (did you mean 'latency'?) (needed for slow, " reproduce "$folder/typo.yaml" --out "$folder/typo"
sed 's/va@tiny/vaa@tiny/g' "$table" >"$folder/typo.yaml"
expect 1 "no workload 'vaa' (did you mean 'va'?)" reproduce "$folder/typo.yaml" --out "$folder/typo"
[ -e "$folder/typo" ] && complain "results of a table with faults"

# No place for results.
expect 1 "cannot write to '/proc/none/runs'" reproduce "$table" --quick --out /proc/none

# Ctrl-C keeps what is finished and writes a page of it.
"$strata" reproduce isca19 --figure 12 --jobs 1 --out "$folder/stopped" >"$folder/stopped.txt" 2>&1 &
child=$!
for _ in $(seq 600); do  # until the first run has begun
  [ -n "$(ls "$folder"/stopped/runs/*.log 2>/dev/null)" ] && break
  sleep 0.1
done
kill -TERM $child  # SIGINT is ignored in the background of a script
wait $child
code=$?
[ $code -eq 130 ] || complain "interrupted: exit code $code, not 130: $(cat "$folder/stopped.txt")"
grep -q "Interrupted" "$folder/stopped/isca19.md" || complain "no page after an interruption"
exit $failed
