"""python -m strata PATH: a results directory or a sweep as a table."""

import argparse
import os
import sys

from . import StrataError, read, read_sweep, text_table
from .tables import csv_text


def _rows(arguments):
    sweep_there = os.path.isfile(arguments.path) or os.path.exists(os.path.join(arguments.path, "sweep.sqlite"))
    if sweep_there:
        sweep = read_sweep(arguments.path)
        return sweep.ledger(arguments.ledger) if arguments.ledger else sweep.table(*arguments.figure)
    run = read(arguments.path)
    if arguments.ledger:
        return run.ledger(arguments.ledger)
    names = arguments.figure or run.summary
    return [{"figure": name, "value": run[name]} for name in names]


def main():
    parser = argparse.ArgumentParser(
        prog="python -m strata", description="Shows the results of a run or of a sweep as a table.",
        epilog="example: python -m strata results/sweep-l1 --figure ipc --figure dram_reads --csv")
    parser.add_argument("path", help="results directory, folder of a sweep, or its sweep.sqlite")
    parser.add_argument("--figure", action="append", default=[], help="only this figure; may be repeated")
    parser.add_argument("--ledger", metavar="ACCESSES", help="where cycles went: of loads, stores or atomics")
    parser.add_argument("--csv", action="store_true", help="as CSV")
    arguments = parser.parse_args()
    try:
        rows = _rows(arguments)
    except StrataError as error:
        sys.exit(f"strata: {error}")
    sys.stdout.write(csv_text(rows) if arguments.csv else text_table(rows))


if __name__ == "__main__":
    main()
