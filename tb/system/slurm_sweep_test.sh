#!/bin/bash
# strata sweep --on slurm on a real Slurm: controller, two nodes and munge on the loopback. A node dies in the middle, and so does
# a process; the table equals that of a sweep without Slurm. It takes a minute, in which Slurm finds out that the node is dead: run
# it with STRATA_SLURM_TEST=1. Skipped, with the reason, without that and where Slurm is not installed.
source "$(dirname "$0")/expect.sh"
source "$(dirname "$0")/slurm.sh"
source "$(dirname "$0")/sweep_dump.sh"
lacks=$(slurm_lacks)
[ -n "${STRATA_SLURM_TEST-}" ] || lacks="STRATA_SLURM_TEST is not set"
[ -n "$lacks" ] && { echo "skipped: $lacks"; exit 77; }
trap 'slurm_stop; chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
chmod 711 "$folder"
slurm_start "$folder/slurm" || { echo "FAILED: no Slurm comes up: $(tail -n 3 "$folder"/slurm/*.log "$folder"/slurm/*.out)"; exit 1; }

cat >"$folder/s.yaml" <<'YAML'
platforms: [tiny]
set: {l1.size: [12 KiB, 48 KiB], llc.latency: [100, 200, 300]}
traces: ["synthetic:random:ctas=64,loads=60"]
seeds: 1..4
YAML
# Every process of a job on a node, and its daemon.
kill_node() {
  local pid
  kill -9 "$2"
  for pid in $(grep -lz "^SLURMD_NODENAME=$1$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3) $(pgrep -P "$2"); do
    kill -9 "$pid" 2>/dev/null
  done
}
finished() { ls -d "$folder"/s/runs/*/ 2>/dev/null | wc -l; }

expect 1 "--on slurm makes its own shards" sweep "$folder/s.yaml" --on slurm --shard 1/2
expect 1 "sbatch has refused the job" sweep "$folder/s.yaml" --on slurm --sbatch=--partition=none --out "$folder/r"

"$strata" sweep "$folder/s.yaml" --on slurm --block 4 --out "$folder/s" >"$folder/said" 2>&1 &
sweep=$!
for _ in $(seq 600); do [ "$(finished)" -ge 4 ] && break; sleep 0.05; done
kill_node n2 "$slurm_n2"
sleep 0.3
victim=$(grep -lz '^SLURMD_NODENAME=n1$' /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | while read -r pid; do
  grep -qz '^run$' "/proc/$pid/cmdline" 2>/dev/null || { grep -qz '^--shard$' "/proc/$pid/cmdline" 2>/dev/null && echo "$pid"; }
done | head -1)
[ -n "$victim" ] && kill -9 "$victim"
[ "$(finished)" -lt 24 ] || complain "the sweep was over before anything died"
wait $sweep
code=$?
[ $code -eq 0 ] || complain "exit code $code: $(tail -n 20 "$folder/said")"
grep -q "24 of 24 points are done" "$folder/said" || complain "not all points: $(tail -n 20 "$folder/said")"
expect 0 "24 of 24 points are done, 24 of them simulated now" sweep "$folder/s.yaml" --out "$folder/here"
dump "$folder/s/sweep.sqlite" >"$folder/slurm.txt"
dump "$folder/here/sweep.sqlite" | cmp -s - "$folder/slurm.txt" || complain "Slurm's table is another one"

# The process that follows is killed: the next one follows the same job.
"$strata" sweep "$folder/s.yaml" --on slurm --block 12 --out "$folder/f" >"$folder/said" 2>&1 &
sweep=$!
for _ in $(seq 200); do grep -q "blocks run" "$folder/said" && break; sleep 0.05; done
kill -9 $sweep
wait $sweep 2>/dev/null
expect 0 "is still there: it is followed" sweep "$folder/s.yaml" --on slurm --block 12 --out "$folder/f"
dump "$folder/f/sweep.sqlite" | cmp -s - "$folder/slurm.txt" || complain "after kill -9 of the one that follows: another table"
exit $failed
