#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platforms/report/sample_statistics.h"

namespace strata::platforms {

/// Results that are compared: stats.json, and what config.yaml and the trace say of the run.
struct ComparedRun {
  std::string directory;
  std::string label;  ///< the last part of it, or all of it where that names several
  nlohmann::ordered_json stats;
  std::map<std::string, std::string> settings;  ///< "llc.ways": "16"
  std::string seed = {};                        ///< of the run and of its synthetic streams
  std::optional<double> figure(const std::string& name) const;
  bool partial() const { return stats.value("partial", false); }
};

/// Throws ConfigError with the faults of all of them.
std::vector<ComparedRun> read_runs(const std::vector<std::string>& directories);

/// Runs of the same work on the same machine, which differ in their seeds or in the jitter of launches at
/// most. Samples know the seeds: difference() takes runs of equal seeds in two groups as pairs. Of runs that
/// are identical, nothing of which depends on the seed, they hold one.
struct RunGroup {
  std::vector<const ComparedRun*> runs;

  const ComparedRun& first() const { return *runs.front(); }
  /// Several runs, every counter of which is the same.
  bool identical() const;
  std::string label() const;
  /// `4`, `identical (4 runs)`
  std::string runs_text() const;
  /// Empty: not all of them have the figure.
  std::optional<Sample> sample(const std::string& figure) const;
  /// Of mean cycles of an access, at a place or, without one, in all.
  std::optional<Sample> ledger(const std::string& group, const std::string& row) const;
};
/// In the order of their first runs. The runs must outlive them.
std::vector<RunGroup> group_runs(const std::vector<ComparedRun>& runs);

/// Settings in which the groups differ, chance left out.
std::vector<std::string> differing_settings(const std::vector<RunGroup>& groups);

}  // namespace strata::platforms
