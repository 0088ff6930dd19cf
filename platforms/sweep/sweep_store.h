#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/sweep/database.h"
#include "platforms/sweep/run_rows.h"
#include "platforms/sweep/sweep_plan.h"

namespace strata::platforms {

constexpr int sweep_schema_version = 1;

/// Why a file is no sweep of this version; empty: it is one.
std::string sweep_file_fault(const Database& file);
/// A row of the table `meta`; empty: there is none.
std::string sweep_meta(const Database& file, const std::string& key);

/// The results of a sweep in one SQLite file: docs/guide/sweep.md lists its tables. One process writes to it.
class SweepStore {
 public:
  enum class State { waiting, done, failed };

  /// Opens or makes it. A damaged file is told on stderr and kept as PATH.damaged; all that ran is collected
  /// anew from the results directories. Throws ConfigError for a file of something else, or of another
  /// version.
  explicit SweepStore(const std::string& path);
  ~SweepStore();
  SweepStore(const SweepStore&) = delete;
  SweepStore& operator=(const SweepStore&) = delete;

  /// Makes the points of a plan known. Those that it no longer has stay, as not planned. Throws ConfigError
  /// when there are figures of such a point that another program or configuration made, unless `again`,
  /// which takes all for not run.
  void plan(const SweepPlan& plan, const std::vector<std::size_t>& points, bool again);
  State state(const SweepPoint& point) const;

  /// The figures of a run, from its results directory. Throws ConfigError when they cannot be read.
  void collect(const SweepPoint& point, const std::string& directory);
  void fail(const SweepPoint& point, const std::string& words);
  /// What another file of this version has of the points, done or failed, where they are not done here. A
  /// damaged file is told on stderr.
  void take_over(const std::string& path, const SweepPlan& plan);
  /// To the disk.
  void commit();

  /// Of all that is done: by workload, mean processor time and bytes of results; by point, one figure.
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
  std::optional<RunTables> tables_;  // when they are there
  bool open_ = false;                // a transaction is
  double committed_ = 0;
  std::map<std::string, std::int64_t> ids_;
  std::map<std::string, State> states_;
};

}  // namespace strata::platforms
