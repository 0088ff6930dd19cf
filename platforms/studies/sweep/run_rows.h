#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/studies/sweep/database.h"

namespace strata::platforms {

/// The results of a run that a sweep keeps.
struct RunRows {
  std::string version, digest, started;
  double cpu_seconds = 0, wall_seconds = 0, peak_rss_bytes = 0;
  std::uint64_t bytes = 0;  ///< size of the results directory
  /// Figures of the summary; APPLICATION.FIGURE for several applications; MODULE.COUNTER over all instances.
  /// Sorted like the tables, which makes inserting fast.
  std::map<std::string, std::optional<double>> figures;
  std::map<std::string, std::string> units;  ///< of the summary's figures
  struct Cycles {
    std::string accesses, place, cause;
    double cycles;
  };
  std::vector<Cycles> ledger;  ///< rows with cycles
};

/// Throws ConfigError if the directory holds no results of a finished run.
RunRows read_run_rows(const std::string& directory);

/// Writes rows into the tables of sweep_tables.h.
class RunTables {
 public:
  explicit RunTables(Database& database);
  /// Adds the rows of a point without rows. `results`: the directory, as shown in the table.
  void put(std::int64_t point, const RunRows& rows, const std::string& results);
  void remove(std::int64_t point);

 private:
  std::int64_t id_of(const std::string& name, const RunRows& rows);

  Statement remove_figures_, remove_ledger_, point_, figure_, add_name_, find_name_, cycles_;
  std::map<std::string, std::int64_t> names_;
};

}  // namespace strata::platforms
