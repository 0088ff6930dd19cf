#!/bin/bash
# strata explain understands what run, compare and report print: names in brackets, figures, ledger rows, counters, resources,
# scheduler states, columns of CSV files and the words of the console.
. tb/system/expect.sh

names=$folder/names
"$strata" run tiny --workload gemm@tiny --max-instructions 200000 --by-kernel --by-launch --l1-epochs --epoch 500 --out "$folder/tiny" >"$folder/text" 2>&1 || complain "run"
"$strata" run isca19/adaptive --workload spmv@tiny --what-if --out "$folder/adaptive" >>"$folder/text" 2>&1 || complain "run"
"$strata" run isca19/traffic_shared --out "$folder/traffic" >>"$folder/text" 2>&1 || complain "traffic"
"$strata" run hpca21/shared_nodes --workload nn@tiny --out "$folder/nodes" >>"$folder/text" 2>&1 || complain "nodes"
"$strata" compare "$folder/tiny" "$folder/adaptive" >>"$folder/text" || complain "compare"
"$strata" compare --pivot "$folder/tiny" "$folder/adaptive" >"$folder/pivot" || complain "pivot"
"$strata" report "$folder/tiny" "$folder/adaptive" --out "$folder/page.html" >/dev/null || complain "report"

python3 - "$folder" >"$names" <<'PY'
import csv, glob, json, os, re, sys
folder = sys.argv[1]
names = set()
for stats in glob.glob(folder + "/*/stats.json"):
    s = json.load(open(stats))
    names |= set(s["summary"]) | set(s["verdict"]["schedulers"]) | {s["verdict"]["limit"], s["verdict"]["rule"]}
    names |= {one["resource"] for one in s["verdict"]["ranking"]} | {one["kind"] for one in s["verdict"]["ranking"]}
    for group, of in s["ledger"].items():
        names |= {group} | set(of["cycles"])
    for instance, block in s["instances"].items():
        names |= {instance, block["module"]} | {re.sub(r"\[.*", "", instance) + "." + c for c in block.get("counters", {})}
for path in glob.glob(folder + "/*/*.csv"):
    names |= set(next(csv.reader(open(path))))
text = open(folder + "/text").read()
names |= set(re.findall(r"\[([a-z0-9_]+(?:\.[a-z0-9_]+)?)\]", text))
names |= {line.split()[0] for line in open(folder + "/pivot") if line.strip()} & set()
for word in re.findall(r"^([a-z]{3,})  ", text, re.M):
    names.add(word)
names |= {"L2", "bottleneck", "smr.replies_in", "llc.head", "verdict", "IPC", "Gini", "digest", "partial"}
header = open(folder + "/pivot").readline().split()
names |= set(header) - {"results"}
names |= {"l1", "llc", "noc", "dram", "accesses", "hits", "merges", "misses", "bypasses"}
print("\n".join(sorted(n for n in names if n)))
PY
[ "$(wc -l <"$names")" -gt 300 ] || complain "only $(wc -l <"$names") names were found"
xargs "$strata" explain <"$names" >/dev/null 2>&1 || while read -r name; do
  "$strata" explain "$name" >"$folder/answer" 2>&1 || complain "strata explain $name: $(cat "$folder/answer")"
done <"$names"
# Every term of the glossary, which is the program's own text.
sed -nE '/^\| (term|---)/d; s/^\| ([^|]+) \| .*$/\1/p' docs/guide/glossary.md | sed 's/, /\n/g' >"$folder/terms"
[ "$(wc -l <"$folder/terms")" -ge 50 ] || complain "the glossary has $(wc -l <"$folder/terms") terms"
while read -r term; do
  "$strata" explain "$term" 2>&1 | grep -qiF "$term: " || complain "strata explain $term"
done <"$folder/terms"
expect 0 "launch jitter: A random delay" explain "launch jitter"
expect 0 "row hit: A DRAM access" explain row_hit
expect 0 "the last-level cache" explain L2
expect 0 "resource router_stage.replies_in" explain smr.replies_in
expect 0 "twice as much by" explain llc.head
"$strata" explain llc.ways | head -1 | grep -q '^parameter llc_slice.ways: ' || complain "strata explain llc.ways does not begin with the parameter"

expect 0 "what limits a run" explain bottleneck
expect 0 "SMs wait for the load/store queue" explain lsu_full

# What the console prints fits 100 columns, but for names of files and sentences below a table.
python3 - "$folder/text" "$folder/pivot" <<'PY' || complain "lines that are too long"
import sys
long = [line for path in sys.argv[1:] for line in open(path).read().split("\n")
        if len(line) > 100 and not line.startswith(("warning", "trace ", "platform ", "results", "what if", "not in these figures")) and " against " not in line and "=" not in line]
print("\n".join(long))
sys.exit(bool(long))
PY
exit $failed
