#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

/// The data of a sweep for a page, from its SQLite file or the folder with it: the planned points with their
/// states, their varied settings and their figures, column by column. Sweeps with very many points have only
/// the figures that the sweep's file names, and "left_out" counts the others. If more than workloads and
/// seeds vary, it adds the logarithm of each point's time, the baseline that compare_sweep() chooses, and its
/// results. Throws ConfigError if the sweep cannot be read.
nlohmann::ordered_json page_sweep(const std::string& path);

}  // namespace strata::platforms
