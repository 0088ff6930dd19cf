#pragma once

#include <string>
#include <vector>

namespace strata::platforms {

/// Results directories side by side: summary and mean latency by ledger cause, each with its difference
/// relative to the first. Throws ConfigError when a directory is missing or holds no results that this
/// version can read.
std::string compare_text(const std::vector<std::string>& directories);

/// The same as JSON.
std::string compare_json(const std::vector<std::string>& directories);

}  // namespace strata::platforms
