#!/bin/bash
# The AXI4 subordinate under a bench, in every simulator that is there: no byte wrong, and replies in the same cycles.
# Usage: axi_test.sh LIBRARY. Exit code 77: there is no simulator.
set -u
library=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
axi=platforms/engine/c_api/axi
sources="$PWD/tb/cosim/axi_bench.sv $PWD/$axi/strata_axi4.sv"
link="$library -Wl,-rpath,$(dirname "$library")"
failed=0
complain() { echo "FAILED: $*"; failed=1; }

run_icarus() {
  local include
  include=$(dirname "$(find /usr/include /usr/local/include -name vpi_user.h 2>/dev/null | grep iverilog | head -n 1)")
  gcc -std=gnu99 -O1 -Wall -Wextra -Werror -shared -fPIC -I. -I"$include" -o "$folder/strata_axi.vpi" \
    $axi/strata_axi.c $axi/strata_axi_vpi.c $link &&
    iverilog -g2012 -s axi_bench "$@" -o "$folder/bench.vvp" $sources &&
    vvp -M "$folder" -m strata_axi "$folder/bench.vvp"
}
run_verilator() {  # a short bench: compiling it well would cost more than it saves
  gcc -std=gnu99 -O1 -Wall -Wextra -Werror -c -I. -o "$folder/strata_axi.o" $axi/strata_axi.c &&
    verilator --binary --timing -Wno-fatal -Wno-WIDTH --top-module axi_bench "$@" -Mdir "$folder/verilated" -o bench $sources \
      -MAKEFLAGS "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0" "$folder/strata_axi.o" -LDFLAGS "$link" >"$folder/verilator.log" 2>&1 || { tail -n 5 "$folder/verilator.log"; return 1; }
  "$folder/verilated/bench"
}

reports=()
for simulator in icarus verilator; do
  tool=${simulator/icarus/iverilog}
  if ! command -v "$tool" >/dev/null; then
    echo "left out: $tool is not installed"
    continue
  fi
  output=$(run_$simulator 2>&1)
  report=$(grep -o 'axi: .*' <<<"$output")
  [[ $report =~ ^axi:\ [0-9]+\ reads,\ [0-9]+\ writes,\ 0\ wrong, ]] || complain "$simulator: $output"
  echo "$simulator: $report"
  reports+=("$report")
done
[ ${#reports[@]} -gt 0 ] || exit 77
[ "${reports[0]}" = "${reports[-1]}" ] || complain "the simulators differ"
if command -v iverilog >/dev/null; then  # caches hold the bytes: the same replies in the same cycles
  report=$(run_icarus '-Paxi_bench.SET="run.data=carried"' 2>&1 | grep -o 'axi: .*')
  [ "$report" = "${reports[0]}" ] || complain "with run.data: carried: $report"
fi

# What AXI forbids, and what cannot be opened, ends the simulation with one message.
refused() {
  local text=$1 output
  shift
  output=$(run_icarus "$@" 2>&1) && complain "$*: goes on"
  [ "$(grep -cF -- "$text" <<<"$output")" -eq 1 ] || complain "$*: no '$text' in: $output"
}
if command -v iverilog >/dev/null; then
  refused "strata_axi: cannot read netlist 'none.yaml'" '-Paxi_bench.NETLIST="none.yaml"'
  refused "strata_axi: --set llc.ways=0: llc.ways: '0' is out of range" '-Paxi_bench.SET="llc.ways=0"'
  refused "allowed: INCR with whole beats of 32 bytes that crosses no multiple of 4096" -Paxi_bench.CROSS=1
fi
exit $failed
