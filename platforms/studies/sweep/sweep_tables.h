#pragma once

namespace strata::platforms {

/// The tables of a sweep's file, version sweep_schema_version. Figures of the host (times, memory) are
/// columns of `points`: all other tables are equal after every run of the same sweep.
constexpr const char sweep_tables[] = R"sql(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE points(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
  platform TEXT NOT NULL, variant TEXT NOT NULL, workload TEXT NOT NULL, seed INTEGER NOT NULL,
  planned INTEGER NOT NULL, state TEXT NOT NULL CHECK(state IN ('waiting', 'done', 'failed')), message TEXT,
  arguments TEXT NOT NULL, results TEXT,
  key TEXT NOT NULL, program TEXT NOT NULL, configuration TEXT NOT NULL, input TEXT NOT NULL,
  version TEXT, digest TEXT, started TEXT,
  cpu_seconds REAL, wall_seconds REAL, peak_rss_bytes INTEGER, bytes INTEGER);
CREATE TABLE settings(point INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY(point, key)) WITHOUT ROWID;
CREATE TABLE names(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT);
CREATE TABLE figure_values(point INTEGER NOT NULL, figure INTEGER NOT NULL, value REAL,
  PRIMARY KEY(point, figure)) WITHOUT ROWID;
CREATE VIEW figures AS SELECT point, name, value FROM figure_values JOIN names ON id = figure;
CREATE VIEW units AS SELECT name, unit FROM names WHERE unit IS NOT NULL;
CREATE TABLE ledger(point INTEGER NOT NULL, accesses TEXT NOT NULL, place TEXT NOT NULL, cause TEXT NOT NULL,
  cycles REAL NOT NULL, PRIMARY KEY(point, accesses, place, cause)) WITHOUT ROWID;
)sql";

}  // namespace strata::platforms
