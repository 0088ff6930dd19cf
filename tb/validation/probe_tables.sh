#!/bin/bash
# Probes every platform that Strata comes with and that executes kernels: prints the tables of docs/guide/probe.md.
# Usage: probe_tables.sh PROGRAM [--update DOC]
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/page_table.sh"
cd "$(dirname "$0")/../.."
strata=$1 action=${2:-} doc=${3:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
platforms=$(ls platforms/*/*.yaml | grep -vE '/(timing_sets|routers|devices|energy|reproduce)/|/base\.yaml|/traffic_' |
  sed -E 's|platforms/(.*)\.yaml|\1|; s|^tiny/tiny$|tiny|; s|^qv100/qv100$|qv100|; s|^gv100/gv100$|gv100|')
for platform in $platforms; do
  "$strata" probe "$platform" --quiet --json "$folder/figures.json" >/dev/null
  python3 - "$platform" "$folder/figures.json" "$folder" <<'PYTHON'
import json, sys
platform, source, folder = sys.argv[1:]
probes = json.load(open(source))["probes"]
def cell(name):
    if name not in probes: return "-"
    probe = probes[name]
    text = "%.4g" % probe["value"]
    return text + (" (%.0f %%)" % (100 * probe["of_peak"]) if "of_peak" in probe else "")
groups = {"latency": ["l1", "llc", "dram_open", "dram_closed"],
          "bandwidth": ["l1", "llc", "dram_reads", "dram_copies", "dram_half_stores"],
          "issue": ["int", "sp", "dp", "tensor", "sfu", "branch", "sp_int", "shared", "shared_conflict"]}
for group, names in groups.items():
    with open(folder + "/" + group, "a") as table:
        table.write("| " + " | ".join(["`%s`" % platform] + [cell(group + "." + name) for name in names]) + " |\n")
with open(folder + "/low", "a") as low:
    for name, probe in probes.items():
        if probe.get("of_peak", 1) < 0.7:
            low.write("- `%s`, %s, %.0f %%: %s.\n" % (platform, name, 100 * probe["of_peak"], probe["why"]))
PYTHON
done
{
  echo "Load to use, core cycles:"; echo
  echo "| platform | L1 | LLC | DRAM, open row | DRAM, closed bank |"; echo "| --- | --- | --- | --- | --- |"; cat "$folder/latency"
  echo; echo "Bytes per core cycle, and share of the peak:"; echo
  echo "| platform | one L1 | LLC | DRAM reads | copies | half stores |"; echo "| --- | --- | --- | --- | --- | --- |"; cat "$folder/bandwidth"
  echo; echo "Warp instructions per core cycle of one SM, 16 warps, and share of the peak:"; echo
  echo "| platform | int | sp | dp | tensor | sfu | branch | sp and int | shared | shared, conflict |"
  echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"; cat "$folder/issue"
  echo; echo "Below 70 % of the peak:"; echo; cat "$folder/low"
} >"$folder/table"
[ "$action" = --update ] || { cat "$folder/table"; exit; }
put_table "$doc" probes "$folder/table"
