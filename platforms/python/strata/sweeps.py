"""The file of a sweep."""

import os
import sqlite3

from .program import StrataError
from .results import read

SCHEMA_VERSION = "1"


class Sweep:
    """Figures of a sweep; `database` is a sqlite3 connection for other queries."""

    def __init__(self, path, database):
        self.path = path
        self.database = database
        self.name = self._meta("name")

    def _meta(self, key):
        row = self.database.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def table(self, *figures):
        """One dictionary per point: name, settings, state, and these figures, or those that the sweep's file names."""
        if not figures:
            return self._rows("SELECT * FROM overview")
        known = {name for name, in self.database.execute("SELECT DISTINCT name FROM figures")}
        for figure in figures:
            if figure not in known:
                raise StrataError(f"{self.path}: no figure '{figure}'")
        rows = []
        query = "SELECT id, name, platform, variant, workload, seed, state FROM points WHERE planned ORDER BY id"
        for row in self._rows(query):
            point = row.pop("id")
            state = row.pop("state")
            row.update(self.database.execute("SELECT key, value FROM settings WHERE point = ?", (point,)))
            values = dict(self.database.execute("SELECT name, value FROM figures WHERE point = ?", (point,)))
            row.update({figure: values.get(figure) for figure in figures}, state=state)
            rows.append(row)
        return rows

    def ledger(self, accesses="loads"):
        """One dictionary for each point, place and cause."""
        return self._rows(
            "SELECT p.name, l.place, l.cause, l.cycles FROM ledger l JOIN points p ON p.id = l.point "
            "WHERE l.accesses = ? AND p.planned ORDER BY p.id", (accesses,))

    def run(self, name):
        """The results of a point."""
        row = self.database.execute("SELECT results FROM points WHERE name = ? AND state = 'done'", (name,)).fetchone()
        if row is None:
            raise StrataError(f"{self.path}: no finished point '{name}'")
        return read(os.path.join(os.path.dirname(self.path), row[0]))

    def _rows(self, query, values=()):
        cursor = self.database.execute(query, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor]


def read_sweep(path):
    """The sweep in a folder, or in its file."""
    if os.path.isdir(path):
        path = os.path.join(path, "sweep.sqlite")
    if not os.path.exists(path):
        raise StrataError(f"{path}: no such file")
    database = sqlite3.connect(f"file:{path}?mode=rw", uri=True)
    try:
        meta = dict(database.execute("SELECT key, value FROM meta"))
    except sqlite3.DatabaseError as error:
        raise StrataError(f"{path}: no sweep: {error}") from None
    if meta.get("schema") != "strata-sweep":
        raise StrataError(f"{path}: holds tables, but not those of a sweep")
    if meta.get("schema_version") != SCHEMA_VERSION:
        raise StrataError(f"{path}: schema_version: expected {SCHEMA_VERSION}, found {meta.get('schema_version')}")
    return Sweep(path, database)
