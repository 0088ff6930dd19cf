#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platforms/studies/sweep/sweep_plan.h"
#include "platforms/studies/sweep/sweep_store.h"

namespace strata::platforms {

/// Estimated cost of the remaining points, from the finished ones.
struct SweepEstimate {
  double seconds = 0;  ///< processor time
  double bytes = 0;
  std::size_t left = 0;
};
SweepEstimate estimate_of(const SweepStore& store, const SweepPlan& plan,
                          const std::vector<std::size_t>& points);

/// `3 s`, `5 min`, `7 h`
std::string span_text(double seconds);
/// `12 MB`
std::string size_text(double bytes);

/// One line per point: the varied settings and the selected figures. Throws ConfigError for a figure that no
/// run has.
std::string sweep_table(const SweepStore& store, const SweepPlan& plan,
                        const std::vector<std::size_t>& points);

/// True for the folder of a sweep, or its file.
bool is_sweep(const std::string& path);

/// The SQLite file of a folder, or the file itself.
std::string sweep_file_of(const std::string& path);

/// Results directories of its finished points, in their order. Throws ConfigError.
std::vector<std::string> results_of_sweep(const std::string& path);

/// Results directories named by the user; a sweep stands for all of its own.
std::vector<std::string> results_named(const std::vector<std::string>& paths);

}  // namespace strata::platforms
