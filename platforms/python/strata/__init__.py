"""Results and sweeps of Strata; needs only the standard library.

    import strata
    run = strata.run("tiny", workload="mm@tiny", out="results/mm")   # runs strata; to read existing results:
    run = strata.read("results/mm")
    run["ipc"], run.ledger("loads"), run.counters("llc_slice"), run.csv("epochs.csv")
    sweep = strata.sweep("docs/sweeps/l1.yaml", out="results/sweep-l1")
    sweep = strata.read_sweep("results/sweep-l1")
    sweep.table("ipc", "l1_hit_rate")       # a list of dictionaries, one per point
    strata.frame(sweep.table())             # the same as a pandas frame, if pandas is installed

What is not there, or of another version, raises StrataError with one sentence.
"""

from .program import StrataError, program, run, sweep
from .results import Run, read
from .sweeps import Sweep, read_sweep
from .tables import frame, text_table

__all__ = ["Run", "StrataError", "Sweep", "frame", "program", "read", "read_sweep", "run", "sweep", "text_table"]
