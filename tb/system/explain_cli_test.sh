#!/bin/bash
# strata explain understands what run, sweep, compare and report print: names in brackets, figures, ledger rows, counters,
# resources, scheduler states, columns of CSV files, words and table heads of the console, headings and table heads of pages.
. tb/system/expect.sh

names=$folder/names
"$strata" run tiny --workload gemm@tiny --max-instructions 200000 --by-kernel --by-launch --l1-epochs --epoch 500 --out "$folder/tiny" >"$folder/text" 2>&1 || complain "run"
"$strata" run isca19/adaptive --workload spmv@tiny --what-if --out "$folder/adaptive" >>"$folder/text" 2>&1 || complain "run"
"$strata" run isca19/traffic_shared --out "$folder/traffic" >>"$folder/text" 2>&1 || complain "traffic"
"$strata" run hpca21/shared_nodes --workload nn@tiny --out "$folder/nodes" >>"$folder/text" 2>&1 || complain "nodes"
"$strata" compare "$folder/tiny" "$folder/adaptive" >>"$folder/text" || complain "compare"
"$strata" compare --pivot "$folder/tiny" "$folder/adaptive" >"$folder/pivot" || complain "pivot"
"$strata" report "$folder/tiny" "$folder/adaptive" --out "$folder/page.html" >/dev/null || complain "report"

"$strata" run tiny --workload bfs@tiny --by-source --by-kernel --l1-epochs --epoch 2000 --out "$folder/source" >"$folder/source.text" 2>&1 || complain "run --by-source"
cat >"$folder/sizes.yaml" <<'YAML'
platforms: [tiny]
set: {l1.size: [48 KiB, 12 KiB], llc.latency: [100, 400]}
workloads: [bfs@tiny, gemm@tiny]
options: {max-instructions: 20000}
seeds: 1..2
figures: [ipc, mean_load_latency]
YAML
"$strata" sweep "$folder/sizes.yaml" --jobs 2 --out "$folder/sweep" >"$folder/sweep.text" 2>/dev/null || complain "sweep"
"$strata" compare "$folder/sweep" >"$folder/sweep.compared" || complain "compare SWEEP"
{ echo; "$strata" compare "$folder/sweep" --baseline llc.latency=400; } >>"$folder/sweep.compared" || complain "compare SWEEP --baseline"

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
names |= set(re.findall(r"\[([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)?)\]", text))
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
# explained FILE: every line of the file is a name or a term; words that are only mentioned somewhere are not explained.
explained() {
  tr '\n' '\0' <"$1" | xargs -0 "$strata" explain >"$folder/answers" 2>&1 && ! grep -q "^nothing is called" "$folder/answers" && return
  while read -r name; do
    "$strata" explain "$name" >"$folder/answer" 2>&1 && ! grep -q "^nothing is called" "$folder/answer" ||
      complain "strata explain '$name': $(head -1 "$folder/answer")"
  done <"$1"
}
explained "$names"

# Heads and first columns of the console's tables, without names of points and workloads, and values of keys.
python3 - "$folder" >"$folder/heads" <<'PY'
import re, sys
folder = sys.argv[1]
heads = set()
def cells(line): return re.split(r"  +", line.strip())
heads |= set(cells(open(folder + "/sweep.text").readline()))
lines = open(folder + "/source.text").read().split("\n")
at = next(i for i, line in enumerate(lines) if line.startswith("by source"))
words = [{m.end(): m.group() for m in re.finditer(r"\S+( \S+)*", line)} for line in lines[at + 1:at + 3]]
heads |= {(words[0].get(end, "") + " " + word).strip() for end, word in words[1].items()}
assert {"of stalls", "of load cycles", "L1 hit rate"} <= heads, heads
tables = 0
for block in open(folder + "/sweep.compared").read().split("\n\n"):
    rows = [cells(line) for line in block.split("\n") if line]
    if len(rows) < 2 or any(len(row) < 2 for row in rows[:2]) or " over " in rows[0][0]:
        heads |= {line.split(" of ")[0] for line in block.split("\n") if line.startswith("best of ")}
        continue
    tables += 1
    heads |= set(rows[0]) | {row[0] for row in rows}
assert tables == 4, (tables, heads)
print("\n".join(sorted(head for head in heads if not re.match(r"\d", head) and "@" not in head)))
PY
[ "$(wc -l <"$folder/heads")" -gt 20 ] || complain "only $(wc -l <"$folder/heads") heads were found"
explained "$folder/heads"

# Headings and table heads of pages: a run, two runs, a sweep, a reproduction, generators of traffic.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
  "$strata" reproduce tb/data/reproduce/tiny.yaml --jobs 2 --quiet --out "$folder/paper" >/dev/null 2>&1 || complain "reproduce"
  "$strata" report "$folder/source" --out "$folder/run.html" >/dev/null || complain "report"
  "$strata" report "$folder/source" "$folder/adaptive" --out "$folder/both.html" >/dev/null || complain "report of two"
  for page in sweep paper traffic; do
    "$strata" report "$folder/$page" --out "$folder/$page.html" >/dev/null || complain "report $page"
  done
  for page in run both sweep paper traffic; do
    "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$folder/browser" --virtual-time-budget=3000 \
      --dump-dom "file://$folder/$page.html" >"$folder/$page.dom" 2>/dev/null
  done
  # Figures, orders and workloads have numbers and names of their own.
  python3 tb/system/page_heads.py "$folder"/*.dom | sed -E 's/^(Sweep|workload|Figure) .*/\1/; /^Tiny: does/d' | sort -u >"$folder/page.heads"
  [ "$(wc -l <"$folder/page.heads")" -gt 90 ] || complain "pages have only $(wc -l <"$folder/page.heads") heads"
  explained "$folder/page.heads"
else
  echo "skipped for pages: there is no chromium (apt install chromium)"
fi
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
python3 - "$folder/text" "$folder/pivot" "$folder/source.text" "$folder/sweep.compared" <<'PY' || complain "lines that are too long"
import sys
long = [line for path in sys.argv[1:] for line in open(path).read().split("\n")
        if len(line) > 100 and not line.startswith(("warning", "trace ", "platform ", "results", "what if", "not in these figures")) and " against " not in line and "=" not in line]
print("\n".join(long))
sys.exit(bool(long))
PY
exit $failed
