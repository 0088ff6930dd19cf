#!/bin/bash
# Each default that `--help` prints is the value that the program uses: given explicitly, it changes nothing. A verb prints a
# default only as its option holds it, (=VALUE), or as one of the few that depend on the netlist, the workload or the verb.
. tb/system/expect.sh
python3 - "$strata" "$folder" <<'PY'
import json, re, subprocess, sys
strata, folder = sys.argv[1:]
failed = []

def said(*words):
    found = subprocess.run([strata, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return found.stdout + (found.stderr if found.returncode else "")

verbs = [[line.split()[0]] for line in said("--help").split("\n") if re.match(r"  [a-z-]+  ", line)]
verbs += [["trace", verb] for verb in ("convert", "info", "check", "export", "record", "cache", "workloads")] + [["ptx", "analyse"]]
assert len(verbs) > 25, verbs
held, said_defaults = {}, {}
for verb in verbs:
    text = said(*verb, "--help")
    options = text.partition("options:")[2].partition("examples:")[0]
    for entry in re.split(r"\n  (?=-)", options)[1:]:
        entry = " ".join(entry.split())
        name = re.search(r"--([a-z0-9-]+)", entry).group(1)
        if found := re.search(r" arg \(=([^)]*)\)", entry):
            held[(*verb, name)] = found.group(1)
        for found in re.findall(r"(?:default:? |without it |\(default|by default)[^.;]*", entry):
            if re.search(r"[0-9]|strict|report|\(default\)", found):
                said_defaults.setdefault(name, set()).add(found)

# Those with a value in their sentence, which the program composes of the value that it uses.
want = {"seed": {"default: run.seed of the netlist, or 1"},
        "memcheck": {"default strict", "default report"},
        "launch-instructions": {"without it as the workload says, or 4294967296"},
        "launch-memory": {"without it as the workload says, or 1 GiB"},
        "jobs": {"by default, is then that of each job"}}
for name, sentences in said_defaults.items():
    if name == "jobs":
        continue
    if sentences != want.get(name):
        failed.append(f"--{name} has a default in its sentence that no value gives: {sentences}")

count = 0
def run(*words):
    """Figures of a run, epochs included."""
    global count
    count += 1
    out = f"{folder}/run{count}"
    text = said("run", *words, "--out", out)
    try:
        stats = json.load(open(out + "/stats.json"))
    except FileNotFoundError:
        return text
    summary = {name: value for name, value in stats["summary"].items() if not re.search("second|rss", name)}
    return {**summary, "digest": stats["digest"], "verdict": str(stats["verdict"]), "epochs": open(out + "/epochs.csv").read()}

def same(what, one, other):
    if one != other:
        differ = {k: (v, other.get(k)) for k, v in one.items() if v != other.get(k)} if isinstance(one, dict) and isinstance(other, dict) else (one, other)
        failed.append(f"{what} changes something: {str(differ)[:400]}")

base = ["tiny", "--workload", "bfs@tiny"]
plain = run(*base)
assert isinstance(plain, dict), plain
for (*verb, name), value in held.items():
    if verb != ["run"]:
        continue
    more = {"what-if-runs": ["--what-if"], "timeline-limit": ["--timeline", folder + "/timeline.pftrace"]}.get(name, [])
    same(f"run --{name} '{value}'", run(*base, *more), run(*base, *more, "--" + name, value))
for name, value in (("memcheck", "strict"), ("launch-instructions", "4294967296"), ("launch-memory", "1 GiB"), ("read-only", "nc")):
    same(f"run --{name} '{value}'", plain, run(*base, "--" + name, value))
drawn = ["tiny", "--workload", "va@tiny", "--set", "cta.launch_jitter=20"]
one, seven = run(*drawn, "--seed", "1"), run(*drawn, "--seed", "7")
same("run --seed 1", run(*drawn), one)
same("run.seed=7", run(*drawn, "--set", "run.seed=7"), seven)
if plain["epochs"].count("\n") < 4 or plain["epochs"] == run(*base, "--epoch", "5000")["epochs"]:
    failed.append("the run is too short to show its epochs: the test is void")
if seven == one:
    failed.append("the seed changes nothing: the test is void")

for (*verb, name), value in held.items():
    if verb != ["noc"]:
        continue
    short = {"cycles": ["--load", "0.3"], "warmup": ["--load", "0.3"], "load": ["--cycles", "300", "--warmup", "50"]}.get(
        name, ["--load", "0.3", "--cycles", "3000", "--warmup", "500"])
    same(f"noc --{name} '{value}'", said("noc", *short), said("noc", *short, "--" + name, value))
trace = ["--trace", "synthetic:random:ctas=2,loads=8,footprint=64KiB"]
for verb, words in ((["headroom"], ["isca19/shared", *trace]), (["energy"], [folder + "/run1"]), (["area"], ["tiny"]),
                    (["trace", "info"], [trace[1]]), (["workloads"], ["bfs"]), (["headroom"], ["isca19/shared", *trace])):
    first = said(*verb, *words)
    for (*of, name), value in held.items():
        if of == verb:
            same(f"{' '.join(verb)} --{name} '{value}'", first, said(*verb, *words, "--" + name, value))
if len([1 for verb, *_ in held if verb in ("run", "noc")]) < 18:
    failed.append(f"only these defaults were found: {held}")
print("\n".join("FAILED: " + one for one in failed))
sys.exit(bool(failed))
PY
[ $? = 0 ] || failed=1
exit $failed
