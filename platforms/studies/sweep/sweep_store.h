#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/studies/sweep/database.h"
#include "platforms/studies/sweep/run_rows.h"
#include "platforms/studies/sweep/sweep_plan.h"

namespace strata::platforms {

constexpr int sweep_schema_version = 1;

/// Why a file is not a sweep of this version; empty: it is.
std::string sweep_file_fault(const Database& file);
/// A row of the table `meta`; empty: there is none.
std::string sweep_meta(const Database& file, const std::string& key);

/// The results of a sweep in one SQLite file: docs/guide/sweep.md lists its tables. One process writes to it.
class SweepStore {
 public:
  enum class State { waiting, done, failed };

  /// Opens or creates it. A damaged file is reported on stderr and kept as PATH.damaged; finished runs are
  /// collected again from the results directories. Throws ConfigError for a file of another kind or version.
  explicit SweepStore(const std::string& path);
  ~SweepStore();
  SweepStore(const SweepStore&) = delete;
  SweepStore& operator=(const SweepStore&) = delete;

  /// Adds the points of a plan. Points that are no longer in the plan stay, as not planned. Throws
  /// ConfigError if a point has figures from another program or configuration, unless `again`, which treats
  /// all as not run.
  void plan(const SweepPlan& plan, const std::vector<std::size_t>& points, bool again);
  State state(const SweepPoint& point) const;

  /// Adds the figures of a run, from its results directory. Throws ConfigError if they cannot be read.
  void collect(const SweepPoint& point, const std::string& directory);
  void fail(const SweepPoint& point, const std::string& words);
  /// Imports the points, done or failed, of another file of this version that are not done here. A damaged
  /// file is reported on stderr.
  void take_over(const std::string& path, const SweepPlan& plan);
  /// Commits to the disk.
  void commit();

  /// For finished points: by workload, mean processor time and bytes of results; by point, one figure.
  struct Cost {
    std::size_t runs = 0;
    double seconds = 0, bytes = 0;
  };
  std::map<std::string, Cost> costs() const;
  std::map<std::string, double> figure(const std::string& name) const;
  std::vector<std::string> figure_names() const;
  std::map<std::string, std::string> failures() const;
  std::string meta(const std::string& key) const { return sweep_meta(database_, key); }
  void set_meta(const std::string& key, const std::string& value);

  const std::string& path() const { return database_.path(); }

 private:
  struct Known {
    std::int64_t id;
    std::string key, program;
    State state;
  };
  static std::string usable(const std::string& path);
  void make_tables();
  std::map<std::string, Known> known_points() const;
  void refuse_changed(const std::map<std::string, Known>& known, const SweepPlan& plan,
                      const std::vector<std::size_t>& points) const;
  std::int64_t insert(const SweepPlan& plan, const SweepPoint& point, Statement& insert, Statement& setting);
  void forget(std::int64_t id);
  void make_overview(const SweepPlan& plan);
  void attach(const std::string& path);
  void copy(std::int64_t from, std::int64_t to);
  std::int64_t id_of(const SweepPoint& point) const;
  void begin();
  void touched();

  Database database_;
  std::optional<RunTables> tables_;  // if they exist
  bool open_ = false;                // a transaction is open
  double committed_ = 0;
  std::map<std::string, std::int64_t> ids_;
  std::map<std::string, State> states_;
};

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
