#!/bin/bash
# strata sweep: points, resuming after kill -9 of the sweep and of a run, shards, damaged and external files, misuse.
source "$(dirname "$0")/expect.sh"
source "$(dirname "$0")/sweep_dump.sh"
command -v python3 >/dev/null || { echo "skipped: no python3 to look into SQLite files with"; exit 77; }

cat >"$folder/s.yaml" <<'YAML'
platforms: [tiny]
set: {l1.size: [12 KiB, 48 KiB], llc.latency: [100, 200, 300]}
traces: ["synthetic:random:ctas=4,loads=4"]
YAML

sql() { python3 -c 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); [print(*row) for row in db.execute(sys.argv[2])]; db.commit()' "$@"; }
same() { dump "$1" | cmp -s - "$folder/undisturbed" || complain "$2: not the table of an undisturbed sweep: $(dump "$1" | diff - "$folder/undisturbed" | head -5)"; }

# The program, but that it kills itself with a certain run as long as there is a file `kill`.
cat >"$folder/program" <<SH
#!/bin/bash
[[ -e "$folder/kill" && "\$*" == *'48 KiB'*latency=200* ]] && kill -9 \$\$
exec "$(realpath "$strata")" "\$@"
SH
chmod +x "$folder/program"
program="--program $folder/program"

expect 0 "6 points" sweep "$folder/s.yaml" $program --list
expect 0 "6 of 6 points are done, 6 of them simulated now" sweep "$folder/s.yaml" $program --jobs 2 --out "$folder/a"
a=$folder/a/sweep.sqlite
dump "$a" >"$folder/undisturbed"
[ "$(sql "$a" "SELECT count(*) FROM points WHERE state = 'done' AND length(digest) = 16 AND cpu_seconds > 0 AND bytes > 1000")" = 6 ] ||
  complain "not six points with provenance"
# The figures are those of the results.
results=$folder/a/$(sql "$a" "SELECT results FROM points WHERE id = 3")
grep -q "\"cycles\": $(sql "$a" "SELECT CAST(value AS INTEGER) FROM figures WHERE point = 3 AND name = 'cycles'")," "$results/stats.json" ||
  complain "cycles of point 3 are not those of its results"
[ "$(sql "$a" "SELECT CAST(sum(cycles) AS INTEGER) FROM ledger WHERE point = 3 AND accesses = 'loads'")" = \
  "$(sql "$a" "SELECT CAST(value AS INTEGER) FROM figures WHERE point = 3 AND name = 'loads.latency'")" ] ||
  complain "the ledger of point 3 does not add up to its latency"
expect 0 "6 of 6 points are done, 0 of them simulated now" sweep "$folder/s.yaml" $program --jobs 2 --out "$folder/a"
same "$a" "a second run"

# Its runs, for all that reads results. Speed-ups over the first value, or one that is chosen; no names with hashes.
expect 0 "speed-up over l1.size 12 KiB, the first value" compare "$folder/a"
expect 0 "speed-up over llc.latency 200" compare "$folder/a" --baseline llc.latency=200
expect 0 '"key": "llc.latency"' compare "$folder/a" --baseline llc.latency=200 --json
expect 1 "did you mean 'llc.latency'?" compare "$folder/a" --baseline llc.latenci=200
expect 1 "allowed: 100, 200, 300" compare "$folder/a" --baseline llc.latency=250
expect 1 "is of one sweep" compare "$folder/a/runs/"* --baseline llc.latency=200
for how in "" --pivot --markdown; do
  "$strata" compare "$folder/a" $how | grep -E -- '-[0-9a-f]{8}( |$)' && complain "compare $how names runs by hashes"
done
# Workloads are never compared with each other.
printf 'platforms: [tiny]\nset: {l1.size: [12 KiB, 48 KiB]}\nworkloads: [va@tiny, gemm@tiny]\noptions: {max-instructions: 20000}\n' >"$folder/w.yaml"
expect 0 "4 of 4 points are done" sweep "$folder/w.yaml" --out "$folder/w"
expect 0 "geometric mean" compare "$folder/w"
"$strata" compare "$folder/w" | grep -E "va@tiny.*against.*gemm@tiny|gemm@tiny.*against.*va@tiny" && complain "a workload is compared with another"
expect 0 "l1.size" compare --pivot "$folder/a"
[ "$("$strata" compare --csv --pivot "$a" --figure cycles | wc -l)" = 7 ] || complain "compare shows not six points: $("$strata" compare --csv --pivot "$a" --figure cycles)"

# kill -9 of the sweep when two runs are finished; another one of a run; then the same table.
mkdir "$folder/k"
setsid "$strata" sweep "$folder/s.yaml" $program --jobs 1 --out "$folder/k" >"$folder/killed" 2>&1 &
child=$!
for _ in $(seq 600); do
  [ "$(ls -d "$folder"/k/runs/*/ 2>/dev/null | wc -l)" -ge 2 ] && break
  sleep 0.01
done
kill -9 $child
wait $child 2>/dev/null
done_then=$(ls -d "$folder"/k/runs/*/ | wc -l)
[ "$done_then" -lt 6 ] || complain "the sweep was over before it was killed"
expect 0 "6 of 6 points are done" sweep "$folder/s.yaml" $program --resume --jobs 2 --out "$folder/k"
same "$folder/k/sweep.sqlite" "after kill -9 of the sweep"
touch "$folder/kill"
expect 1 "ended by signal 9" sweep "$folder/s.yaml" $program --jobs 2 --out "$folder/d"
[ "$(sql "$folder/d/sweep.sqlite" "SELECT count(*), sum(state = 'failed'), max(message) FROM points")" = "6 1 ended by signal 9" ] ||
  complain "not one failed point: $(sql "$folder/d/sweep.sqlite" "SELECT name, state, message FROM points")"
rm "$folder/kill"
expect 0 "6 of 6 points are done, 1 of them simulated now" sweep "$folder/s.yaml" $program --resume --out "$folder/d"
same "$folder/d/sweep.sqlite" "after kill -9 of a run"

# Shards beside each other; the whole takes over what they have.
expect 0 "3 of 3 points are done" sweep "$folder/s.yaml" $program --shard 1/2 --jobs 2 --out "$folder/p"
rm -r "$folder/p/runs"  # figures are enough
expect 0 "3 of 3 points are done, 3 of them simulated now" sweep "$folder/s.yaml" $program --shard 2/2 --out "$folder/p"
expect 0 "6 of 6 points are done, 0 of them simulated now" sweep "$folder/s.yaml" $program --out "$folder/p"
same "$folder/p/sweep.sqlite" "two shards"
expect 0 "6 of 6 points are done, 0 of them simulated now" sweep "$folder/s.yaml" $program --out "$folder/m" --merge "$a"
same "$folder/m/sweep.sqlite" "figures of another sweep"

# Damaged: told, kept, made anew. Others' files are refused.
printf 'garbage' | dd of="$folder/k/sweep.sqlite" bs=1 seek=5000 conv=notrunc status=none
dd if=/dev/urandom of="$folder/k/sweep.sqlite" bs=4096 seek=1 count=3 conv=notrunc status=none
expect 0 "sweep.sqlite.damaged, and a new one is made from the results directories" sweep "$folder/s.yaml" $program --out "$folder/k"
same "$folder/k/sweep.sqlite" "after damage"
[ -s "$folder/k/sweep.sqlite.damaged" ] || complain "the damaged file was not kept"
sql "$folder/m/sweep.sqlite" "UPDATE meta SET value = '7' WHERE key = 'schema_version'"
expect 1 "schema_version: expected 1, found 7: written by another version of Strata" sweep "$folder/s.yaml" $program --out "$folder/m"
sql "$folder/m/sweep.sqlite" "UPDATE meta SET value = '1' WHERE key = 'schema_version'"
sql "$folder/m/sweep.sqlite" "UPDATE points SET program = 'x', key = 'y' WHERE id = 2"
cp "$folder/m/sweep.sqlite" "$folder/before"
expect 1 "1 points, '$(sql "$a" "SELECT name FROM points WHERE id = 2")' among them, hold figures of another build of strata" sweep "$folder/s.yaml" $program --out "$folder/m"
cmp -s "$folder/before" "$folder/m/sweep.sqlite" || complain "a refused sweep changed the file"
mkdir "$folder/f" && sql "$folder/f/sweep.sqlite" "CREATE TABLE mine(a)"
expect 1 "holds tables, but not those of a sweep" sweep "$folder/s.yaml" $program --out "$folder/f"

# Misuse, before anything runs.
expect 1 "--shard: '3/2' is no part of the points" sweep "$folder/s.yaml" $program --shard 3/2 --out "$folder/n"
expect 1 "--resume: there is no '$folder/n/sweep.sqlite' to go on with" sweep "$folder/s.yaml" $program --resume --out "$folder/n"
sed 's/l1.size/l1.siz/' "$folder/s.yaml" >"$folder/t.yaml"
expect 1 "no such key (did you mean 'size'?) (needed for point '" sweep "$folder/t.yaml" --out "$folder/n"
sed 's/traces:.*/seeds: 1..1000000000/' "$folder/s.yaml" >"$folder/t.yaml"
expect 1 "makes 1000000000 points or more" sweep "$folder/t.yaml" --out "$folder/n"
sed 's/12 KiB, 48 KiB/12 KiB, 12 KiB/' "$folder/s.yaml" >"$folder/t.yaml"
expect 1 "two points are named '" sweep "$folder/t.yaml" --out "$folder/n"
[ -e "$folder/n" ] && complain "a refused sweep has left something"
echo "figures: [ipcc]" | cat "$folder/s.yaml" - >"$folder/t.yaml"
expect 1 "figures: no run has a figure 'ipcc' (did you mean 'ipc'?)" sweep "$folder/t.yaml" $program --out "$folder/a"
expect 1 "cannot write to '/proc/none'" sweep "$folder/s.yaml" $program --out /proc/none
exit $failed
