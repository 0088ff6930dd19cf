# shellcheck shell=bash disable=SC2154
# A 2 x 2 mesh, one YAML file: checked, drawn, run with all laws and the protocol; requests reach every slice, and pass two routers
# on average: of four equal shares one stays at its router, two take one link and one takes two.
mesh=$copy/platforms/machines/tiny/mesh.yaml
expect 0 'rtr[i].out[1] -> rtr[i + 1 - 2 * (i % 2)].in[1]' netlist "$mesh"
expect 0 '' run "$mesh" --trace synthetic:random:loads=64,ctas=16 --check-protocol --quiet --out "$folder/results"
python3 - "$folder/results/stats.json" <<'PY' || complain "not the traffic of a mesh"
import json, sys
def counts(module, counter):
    found = [row["counters"][counter] for row in json.load(open(sys.argv[1]))["instances"].values() if row["module"] == module]
    assert len(found) == 4, (module, len(found))
    return found
requests, passed = counts("llc_slice", "accesses"), counts("router_stage", "requests_in")
print(requests, passed)
assert min(requests) > 0 and 1.8 * sum(requests) < sum(passed) < 2.2 * sum(requests)
PY
