#!/bin/bash
# strata probe: figures that can be worked out by hand, files, and what it refuses. Usage: probe_cli_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"

# figure NAME: of the last probes.
figure() {
  awk -v name="\"$1\":" '$1 == name {on = 1} on && $1 == "\"value\":" {sub(",", "", $2); print $2; exit}' "$folder/probes.json"
}
# close_to NAME EXPECTED: within 1 %.
close_to() {
  awk -v value="$(figure "$1")" -v expected="$2" 'BEGIN { d = (value - expected) / expected; exit !(d < 0.01 && d > -0.01) }' ||
    complain "$1 is $(figure "$1"), not $2"
}

expect 0 "latency.dram_closed" probe tiny --json "$folder/probes.json" --svg "$folder/probes.svg"
close_to latency.l1 30  # sm-cluster.md: leaves a cycle after its issue, l1.latency 28, its reader a cycle after the answer
# HBM2-like sums do not matter here: a closed bank costs tRCD = 12 cycles of 924 MHz more than an open row.
awk -v open="$(figure latency.dram_open)" -v closed="$(figure latency.dram_closed)" \
  'BEGIN { d = closed - open; exit !(d > 12 * 1400 / 924 - 1.5 && d < 12 * 1400 / 924 + 1.5) }' ||
  complain "a closed bank costs $(figure latency.dram_closed) - $(figure latency.dram_open)"
close_to issue.int 2                 # two schedulers
close_to issue.sfu 0.25              # sfu_interval 8
close_to issue.shared 1
close_to issue.shared_conflict 0.03125
grep -q '</svg>' "$folder/probes.svg" || complain "no picture"
expect 0 "" probe tiny --only issue --set sm.schedulers=4 --set sm.int_interval=2 --set sm.sp_interval=2 --set sm.dp_interval=4 \
  --json "$folder/probes.json"
close_to issue.int 2       # 4 schedulers, an instruction every 2 cycles each
close_to issue.sp_int 4    # their units take turns
close_to issue.dp 1
expect 0 "latency.l1" probe tiny --only latency --json "$folder/probes.json"
close_to latency.l1 30
# Half the port: half the bandwidth at most.
expect 0 "64.00" probe tiny --only bandwidth.l1 --set l1.port_cycles=2

expect 0 "strata probe qv100" probe --help
expect 1 "did you mean 'tiny'" probe tinny
expect 1 "there is no such probe; allowed: latency, bandwidth, issue, latency.l1" probe tiny --only latencies
expect 1 "did you mean 'latency'" probe tiny --only latencies
expect 1 "the platform has no SMs" probe isca19/traffic_shared
expect 1 "'0' is not a whole number of at least 1" probe tiny --jobs 0
expect 1 "" probe tiny --set l1.latency=0
expect 0 "issue.int" probe tiny --only issue.int --set sm.warps=2  # as many as an SM holds
expect 1 "nowhere/probes.json" probe tiny --only issue.int --json "$folder/nowhere/probes.json"
exit $failed
