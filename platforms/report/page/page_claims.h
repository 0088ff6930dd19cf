#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

/// A folder of `strata reproduce`.
bool is_reproduction(const std::string& path);

/// The contents of its reproduction.json. Throws ConfigError if it cannot be read.
nlohmann::ordered_json page_claims(const std::string& folder);

}  // namespace strata::platforms
