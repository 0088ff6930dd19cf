#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

/// A JSON file of results whose schema has this name. Throws ConfigError when it is something else.
nlohmann::ordered_json read_part(const std::string& path, const char* schema);
/// A member that must be there. Throws ConfigError, which names the file, when it is not.
const nlohmann::ordered_json& member_of(const nlohmann::ordered_json& json, const char* name,
                                        const std::string& path);

/// What kernels.json says of each kernel name and of each launch: summary, ledger and what limited it. Of
/// more than a few hundred launches, the names alone. Throws ConfigError when the file cannot be read.
nlohmann::ordered_json page_kernels(const std::string& path);

/// Of what_if.json: `measured`, on which part of the work, and `reliefs`, of which resources and how much
/// faster the run was. Throws ConfigError.
nlohmann::ordered_json page_what_if(const std::string& path);

}  // namespace strata::platforms
