#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/sweep/database.h"

namespace strata::platforms {

/// What a sweep keeps of the results of a run.
struct RunRows {
  std::string version, digest, started;
  double cpu_seconds = 0, wall_seconds = 0, peak_rss_bytes = 0;
  std::uint64_t bytes = 0;  ///< of the results directory
  /// Of the summary; APPLICATION.FIGURE of several; MODULE.COUNTER over all instances. Sorted, as the tables
  /// are: so they are filled quickly.
  std::map<std::string, std::optional<double>> figures;
  std::map<std::string, std::string> units;  ///< of the summary's figures
  struct Cycles {
    std::string accesses, place, cause;
    double cycles;
  };
  std::vector<Cycles> ledger;  ///< rows with cycles
};

/// Throws ConfigError when the directory holds no results of a finished run.
RunRows read_run_rows(const std::string& directory);

/// Writes them into the tables of sweep_tables.h.
class RunTables {
 public:
  explicit RunTables(Database& database);
  /// Of a point without rows. `results`: the directory, as the table shows it.
  void put(std::int64_t point, const RunRows& rows, const std::string& results);
  void remove(std::int64_t point);

 private:
  std::int64_t id_of(const std::string& name, const RunRows& rows);

  Statement remove_figures_, remove_ledger_, point_, figure_, add_name_, find_name_, cycles_;
  std::map<std::string, std::int64_t> names_;
};

}  // namespace strata::platforms
