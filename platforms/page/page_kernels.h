#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

/// What kernels.json says of each kernel name and of each launch: summary, ledger and what limited it. Of
/// more than a few hundred launches, the names alone. Throws ConfigError when the file cannot be read.
nlohmann::ordered_json page_kernels(const std::string& path);

/// The reliefs of what_if.json: of which resources, and how much faster the run was. Throws ConfigError.
nlohmann::ordered_json page_what_if(const std::string& path);

}  // namespace strata::platforms
