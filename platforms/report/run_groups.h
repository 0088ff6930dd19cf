#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platforms/report/sample_statistics.h"

namespace strata::platforms {

/// Results to compare: stats.json, and the settings of the run from config.yaml and the trace.
struct ComparedRun {
  std::string directory;
  std::string label;  ///< last component of the directory, or the whole path if that is ambiguous
  nlohmann::ordered_json stats;
  std::map<std::string, std::string> settings;  ///< "llc.ways": "16"
  std::string seed = {};                        ///< of the run and of its synthetic streams
  std::optional<double> figure(const std::string& name) const;
  bool partial() const { return stats.value("partial", false); }
};

/// Throws ConfigError with the faults of all of them.
std::vector<ComparedRun> read_runs(const std::vector<std::string>& directories);

/// Runs of the same work on the same machine that differ at most in their seeds or in the jitter of launches.
/// Samples keep the seeds: difference() pairs runs of equal seeds in two groups. If all runs are identical,
/// so that nothing depends on the seed, samples hold one value.
struct RunGroup {
  std::vector<const ComparedRun*> runs;

  const ComparedRun& first() const { return *runs.front(); }
  /// Several runs with equal counters.
  bool identical() const;
  std::string label() const;
  /// `4`, `identical (4 runs)`
  std::string runs_text() const;
  /// Empty: not all runs have the figure.
  std::optional<Sample> sample(const std::string& figure) const;
  /// Mean cycles of an access at one place or, without a place, in total.
  std::optional<Sample> ledger(const std::string& group, const std::string& row) const;
};
/// In the order of their first runs. The runs must outlive the groups.
std::vector<RunGroup> group_runs(const std::vector<ComparedRun>& runs);

/// Settings in which the groups differ, other than seeds and jitter.
std::vector<std::string> differing_settings(const std::vector<RunGroup>& groups);

}  // namespace strata::platforms
