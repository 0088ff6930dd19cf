"""Prints the program's version and the names that stay from version 1.0 on, one a line: docs/guide/stable-names.md says what each kind promises.

Usage: stable_names.py PROGRAM FOLDER, in the root of the source tree. FOLDER takes the results of short runs."""
import csv
import glob
import json
import re
import subprocess
import sys

program, folder = sys.argv[1:]
names = set()

# Headers that a plug-in or a program of a user's own includes: those of docs/guide/plugins.md, docs/guide/netlist-language.md and
# README, and the interfaces of docs/contributing.md.
headers = """models/cache/replacement.h models/common/instruction_source.h models/common/params.h models/common/stats.h
models/common/storage.h models/cta_dispatcher/cta_dispatcher.h models/l1/l1_kind.h models/l1/cache_design.h
models/llc_control/organization_kind.h models/tlm/block.h models/tlm/external_module.h models/tlm/module_kind.h models/tlm/ports.h
platforms/cli/program.h platforms/engine/netlist/data_folders.h platforms/engine/netlist/platform.h platforms/engine/plugins/plugin.h traces/open.h""".split()


def strata(*arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def add(kind, name):
    names.add(f"{kind} {name}")


def command_line():
    text = strata("--help")
    codes = re.search(r"^exit codes: (.*)$", text, re.M).group(1)
    for code, meaning in re.findall(r"(\d+) ([^,]+)", codes):
        add("exit-code", f"{code} {meaning}")
    for verb in re.findall(r"^  ([a-z]+) +\S", text.split("usage: strata VERB")[1].split("strata VERB --help")[0], re.M):
        add("verb", verb)


def modules():
    """Tables of `strata modules --markdown`: sockets and parameters are netlist keys, statistics are names in stats.json."""
    module, table = None, None
    kinds = {"socket": "socket", "parameter": "parameter", "statistic": "statistic", "resource": "resource"}
    for line in strata("modules", "--markdown").split("\n"):
        if line.startswith("Module `"):
            module, table = line.split("`")[1], None
            add("module", module)
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not cells:
            table = None
        elif table is None:
            table = kinds.get(cells[0], "")
        elif table and not cells[0].startswith("---"):
            name = f"{module}.{cells[0].strip('`')}"
            add(table, name)
            if table == "parameter" and re.fullmatch(r"[a-z][a-z0-9_]*(, [a-z][a-z0-9_]*)+", cells[2]):
                for value in cells[2].split(", "):
                    add("value", f"{name}={value}")


def netlist():
    """Keys of a file and of every instance, as the message for an unknown one lists them, and those of the address map."""
    with open(f"{folder}/unknown.yaml", "w") as file:
        file.write("no_such_key: 1\n")
    unknown = {"netlist ": ["--check", f"{folder}/unknown.yaml"],
               "netlist run.": ["tiny", "--set", "run.no_such_key=1"],
               "instance ": ["tiny", "--set", "cta.no_such_key=1"]}
    own = {name.split(".")[1] for name in names if name.startswith("parameter cta_dispatcher.")}
    for prefix, arguments in unknown.items():
        refused = subprocess.run([program, "netlist", *arguments], capture_output=True, text=True)
        for key in re.search(r"(?:allowed|known): (.*)", refused.stderr).group(1).split(", "):
            if key not in own:
                names.add(prefix + key)
    section = None
    for line in strata("netlist", "isca19/shared", "--dump").split("\n"):
        key = re.match(r"( *)([a-z_]+):", line)
        if key and not key.group(1):
            section = key.group(2)
        elif key and len(key.group(1)) == 2 and section == "address_map":
            add("netlist", f"{section}.{key.group(2)}")


def results():
    runs = {
        "tiny": ["tiny", "--workload", "gemm@tiny", "--by-kernel", "--by-source", "--l1-epochs"],
        "sectors": ["qv100", "--trace", "traces/samples/vectoradd_160"],
        "adaptive": ["isca19/adaptive", "--trace", "traces/samples/vectoradd_160"],
        "nodes": ["hpca21/shared_nodes", "--trace", "traces/samples/vectoradd_160"],
    }
    for name, arguments in runs.items():
        strata("run", *arguments, "--quiet", "--out", f"{folder}/{name}")
        with open(f"{folder}/{name}/stats.json") as file:
            stats = json.load(file)
        for key in stats:
            add("stats", key)
        for key in stats["run"]:
            add("stats", f"run.{key}")
        for key in stats["verdict"]:
            add("stats", f"verdict.{key}")
        for key in stats["verdict"]["ranking"][0]:
            add("stats", f"verdict.ranking[].{key}")
        for key in stats["summary"]:
            add("summary", key)
        for group, ledger in stats["ledger"].items():
            for key in ledger:
                add("stats", f"ledger.{group}.{key}")
        for cause in stats["ledger"]["loads"]["cycles"]:
            add("ledger", cause)
    for path in glob.glob(f"{folder}/*/*.csv"):
        with open(path) as file:
            for column in next(csv.reader(file)):
                if not re.search(r"\d", column):  # a column for each instance
                    add("column", f"{path.split('/')[-1]} {column}")


def without_comments(path):
    with open(path) as file:
        return re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.S)


def c_interface():
    text = without_comments("platforms/engine/c_api/strata_c.h")
    for result, name, arguments in re.findall(r"^(\w[\w *]*?)\b(strata_\w+)\(([^)]*)\);", text, re.M):
        types = [re.sub(r"(?<=[ *])\w+(?=(\[\d+\])?$)", "", " ".join(argument.split())).strip() for argument in arguments.split(",")]
        add("c", f"{result.strip()} {name}({', '.join(types)})")
    for name, value in re.findall(r"\b(STRATA_[A-Z_]+)(?: =)? (-?\d+)", text):
        add("c", f"{name} = {value}")
    for fields, name in re.findall(r"typedef struct \{(.*?)\} (\w+);", text, re.S):
        for field in re.findall(r"(\w+);", fields):
            add("c", f"{name}.{field}")


def cpp_interface():
    """Types, what an implementer must write (of Block and Replacement also what may be left out), and what makes rows of the table of modules."""
    makers = "STRATA_PLUGIN|module_kind|l1_kind|external_kind|find_platform|open_trace|run_program"
    for header in headers:
        add("header", header)
        text = without_comments(header)
        for name in re.findall(r"^(?:class|struct|enum class) (\w+)(?:[^;\n]*\{|[^;\n]*$)", text, re.M):
            add("c++", f"{header} {name}")
        for name, body in re.findall(r"\bvirtual [^~;{(]*?\b(\w+)\(([^;{]*[;{])", text):
            if "= 0;" in body or header in ("models/tlm/block.h", "models/cache/replacement.h"):
                add("c++", f"{header} {name}()")
        for name in re.findall(rf"^[^\n/]*\b({makers})\(", text, re.M):
            add("c++", f"{header} {name}()")


command_line()
modules()
netlist()
results()
c_interface()
cpp_interface()
print("version", re.search(r"\d+", strata("--version")).group())
print("\n".join(sorted(names)))
