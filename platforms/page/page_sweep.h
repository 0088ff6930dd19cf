#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

/// What a page shows of a sweep, from its SQLite file or the folder with it: the planned points with their
/// states, of each what varies, and figures, column by column; those that the sweep's file names first. Of
/// sweeps with very many points only these, and "left_out" counts the others. Where something but
/// workloads and seeds varies also the logarithm of each point's time, the baseline that compare_sweep()
/// chooses, and its answers. Throws ConfigError when it cannot be read.
nlohmann::ordered_json page_sweep(const std::string& path);

}  // namespace strata::platforms
