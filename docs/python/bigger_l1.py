# %% Does a bigger L1 help? One kernel, two machines, and where the cycles of a load went.
import os

import strata

out = os.environ.get("OUT", "results/python")
small = strata.run("tiny", workload="mm@tiny", sets={"l1.size": "12 KiB"}, out=f"{out}/small")
large = strata.run("tiny", workload="mm@tiny", sets={"l1.size": "96 KiB"}, out=f"{out}/large")

# %% Figures of the summary
for name in ("cycles", "ipc", "l1_hit_rate", "mean_load_latency"):
    print(f"{name:20} {small[name]:10.4g} {large[name]:10.4g} {large[name] / small[name] - 1:+8.1%}")

# %% The ledger: cycles of a load by cause, where they differ by more than one
after = {(row["place"], row["cause"]): row["each"] for row in large.ledger("loads")}
for row in small.ledger("loads"):
    change = after[row["place"], row["cause"]] - row["each"]
    if abs(change) > 1:
        print(f"{row['place']}.{row['cause']:20} {change:+8.1f} cycles a load")
