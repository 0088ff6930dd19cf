"""The results directory of a run."""

import csv
import json
import os

from .program import StrataError

SCHEMA_VERSION = 2


class Run:
    """Results of a run; `stats` is its stats.json."""

    def __init__(self, directory, stats):
        self.directory = directory
        self.stats = stats

    def __getitem__(self, name):
        """A figure of the summary; None if it has no value."""
        if name not in self.stats["summary"]:
            raise StrataError(f"{self.directory}: no figure '{name}'; there are {', '.join(self.stats['summary'])}")
        return self.stats["summary"][name]

    @property
    def summary(self):
        return dict(self.stats["summary"])

    @property
    def partial(self):
        return self.stats["partial"]

    def ledger(self, accesses="loads"):
        """Rows of place, cause, cycles and cycles per access."""
        if accesses not in self.stats["ledger"]:
            raise StrataError(f"{self.directory}: no ledger of '{accesses}'; there are {', '.join(self.stats['ledger'])}")
        group = self.stats["ledger"][accesses]
        rows = []
        for name, cycles in group["cycles"].items():
            place, _, cause = name.rpartition(".")
            each = cycles / group["accesses"] if group["accesses"] else None
            rows.append({"place": place, "cause": cause, "cycles": cycles, "each": each})
        return rows

    def counters(self, module):
        """Counters of a module, summed over its instances."""
        sums = {}
        for instance in self.stats["instances"].values():
            if instance["module"] == module:
                for name, value in instance.get("counters", {}).items():
                    sums[name] = sums.get(name, 0) + value
        return sums

    def kernels(self, names=False):
        """Rows of kernels.json (`by_kernel=True`): each launch, or the sum of each name, with its figures and its limit."""
        path = os.path.join(self.directory, "kernels.json")
        try:
            with open(path, encoding="utf-8") as file:
                kernels = json.load(file)
        except OSError:
            raise StrataError(f"{self.directory}: there is no kernels.json in it; run with by_kernel=True") from None
        except ValueError as error:
            raise StrataError(f"{path}: no JSON: {error}") from None
        rows = []
        for one in kernels["names" if names else "kernels"]:
            row = {key: one[key] for key in ("name", "application", "kernel", "launches", "complete", "began") if key in one}
            row["limit"] = one.get("verdict", {}).get("limit")
            rows.append({**row, **one["summary"]})
        return rows

    def csv(self, name):
        """Rows of `epochs.csv`, `slices.csv`, `kernels.csv`, ...; numbers as numbers."""
        path = os.path.join(self.directory, name)
        if not os.path.exists(path):
            raise StrataError(f"{self.directory}: there is no {name} in it")
        with open(path, newline="", encoding="utf-8") as file:
            return [{key: _number(value) for key, value in row.items()} for row in csv.DictReader(file)]


def _number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except (TypeError, ValueError):
            pass
    return text


def read(directory):
    """The results in a directory."""
    path = os.path.join(directory, "stats.json")
    try:
        with open(path, encoding="utf-8") as file:
            stats = json.load(file)
    except OSError as error:
        raise StrataError(f"{directory}: no results here ({error.strerror})") from None
    except ValueError as error:
        raise StrataError(f"{path}: not valid JSON: {error}") from None
    if not isinstance(stats, dict) or stats.get("schema") != "strata-results":
        raise StrataError(f"{path}: not the results of a Strata run")
    if stats.get("schema_version") != SCHEMA_VERSION:
        raise StrataError(f"{path}: schema_version: expected {SCHEMA_VERSION}, found {stats.get('schema_version')}")
    return Run(directory, stats)
