# %% Which of these configurations? A sweep, and its best point for each kernel and variant.
import os

import strata

out = os.environ.get("OUT", "results/python")
sweep = strata.sweep("docs/sweeps/l1.yaml", out=f"{out}/sweep")
rows = sweep.table("ipc", "l1_hit_rate")
print(strata.text_table(rows))

# %% The best of each group
best = {}
for row in rows:
    group = row["workload"], row["variant"]
    if group not in best or row["ipc"] > best[group]["ipc"]:
        best[group] = row
for (workload, variant), row in best.items():
    print(f"{workload} {variant}: {row['name']} with an IPC of {row['ipc']:.3g}")

# %% SQL for everything else: cycles of loads by place
query = """SELECT p.name, place, sum(cycles) FROM ledger JOIN points p ON p.id = point
           WHERE accesses = 'loads' GROUP BY p.name, place ORDER BY 3 DESC LIMIT 3"""
for name, place, cycles in sweep.database.execute(query):
    print(name, place, int(cycles))
