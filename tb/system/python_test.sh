#!/bin/bash
# python3 -m strata: the scripts of the docs, tables of runs and sweeps, and what is said of things that are not there.
source "$(dirname "$0")/expect.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
export PYTHONPATH=$PWD/platforms/python PYTHONDONTWRITEBYTECODE=1 OUT=$folder
STRATA_PROGRAM=$(realpath "$strata")
export STRATA_PROGRAM

says() {  # says CODE TEXT COMMAND...
  local code=$1 text=$2 output
  shift 2
  output=$("$@" 2>&1)
  local got=$?
  [ $got -eq "$code" ] || complain "$*: exit code $got, not $code: $output"
  grep -qF -- "$text" <<<"$output" || complain "$*: no '$text' in: $output"
}
says 0 "cycles a load" python3 docs/python/bigger_l1.py
says 0 "with an IPC of" python3 docs/python/best_of_sweep.py
says 0 "dram_reads" python3 docs/python/over_time.py

# The figures are those of the files.
cycles=$(sed -n 's/^  "cycles": \([0-9]*\),/\1/p' "$folder/small/stats.json")
says 0 "cycles,$cycles" python3 -m strata "$folder/small" --figure cycles --csv
says 0 "name,platform,variant,workload,seed,l1.size,l1.ways,ipc,state" python3 -m strata "$folder/sweep" --figure ipc --csv
[ "$(python3 -m strata "$folder/sweep/sweep.sqlite" | wc -l)" = 13 ] || complain "not a line for each of 12 points"
says 0 "loads" python3 -c "import strata; print('loads', sum(r['cycles'] for r in strata.read('$folder/small').ledger()) == strata.read('$folder/small').stats['ledger']['loads']['latency'] or exit(1))"

"$strata" run tiny --workload bfs@tiny --by-kernel --quiet --out "$folder/kernels" >/dev/null || complain "--by-kernel"
cycles=$(sed -n 's/^  "cycles": \([0-9]*\),/\1/p' "$folder/kernels/stats.json")
for names in False:no_warp True:rtr.queues; do
  says 0 "bfs_visit ${names#*:} $cycles" python3 -c "
import strata
rows = strata.read('$folder/kernels').kernels(names=${names%:*})
print(rows[0]['name'], rows[0]['limit'], sum(row['cycles'] for row in rows))"
done
says 1 "there is no kernels.json in it; run with by_kernel=True" python3 -c "import strata; strata.read('$folder/small').kernels()"
says 1 "no figure 'ipcc'" python3 -m strata "$folder/small" --figure ipcc
says 1 "no results here" python3 -m strata "$folder/none"
echo '{' >"$folder/large/stats.json"
says 1 "stats.json: not valid JSON" python3 -m strata "$folder/large"
echo garbage >"$folder/bad.sqlite"
says 1 "bad.sqlite: no sweep: file is not a database" python3 -m strata "$folder/bad.sqlite"
says 1 "strata run: exit code 1: strata: --set l1.siz=4" python3 -c "import strata; strata.run('tiny', trace='idle', sets={'l1.siz': 4}, out='$folder/x')"
exit $failed
