# %% What happened when? Epochs of a run, drawn with letters.
import os

import strata

out = os.environ.get("OUT", "results/python")
run = strata.run("tiny", trace="synthetic:random:loads=8", epoch=5000, out=f"{out}/epochs")
epochs = run.csv("epochs.csv")
print(", ".join(epochs[0]))

# %% Reads of memory in each epoch
most = max(row["dram_reads"] for row in epochs)
for row in epochs:
    print(f"{row['end_cycle']:8} {'#' * round(50 * row['dram_reads'] / most)} {row['dram_reads']}")

# %% The same as a frame, where pandas is installed
try:
    print(strata.frame(epochs).describe())
except strata.StrataError as error:
    print(error)
