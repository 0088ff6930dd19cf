# dump FILE: of the table of a sweep, to be sourced.
# Everything that is the same after every run of a sweep, in an order of its own.
dump() {
  python3 - "$1" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for query in ("SELECT name, platform, variant, workload, seed, planned, state, message, arguments, results, key, digest FROM points",
              "SELECT p.name, s.key, s.value FROM settings s JOIN points p ON p.id = s.point",
              "SELECT p.name, f.name, f.value FROM figures f JOIN points p ON p.id = f.point",
              "SELECT p.name, accesses, place, cause, cycles FROM ledger l JOIN points p ON p.id = l.point",
              "SELECT * FROM units", "SELECT * FROM overview"):
    for row in sorted(map(repr, db.execute(query))):
        print(row)
PY
}
