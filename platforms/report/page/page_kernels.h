#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

/// A JSON file of results with a schema of this name. Throws ConfigError if it is something else.
nlohmann::ordered_json read_part(const std::string& path, const char* schema);
/// A required member. Throws ConfigError with the file name if it is missing.
const nlohmann::ordered_json& member_of(const nlohmann::ordered_json& json, const char* name,
                                        const std::string& path);

/// The contents of kernels.json for each kernel name and each launch: summary, ledger and limit. For more
/// than a few hundred launches, the names alone. Throws ConfigError if the file cannot be read.
nlohmann::ordered_json page_kernels(const std::string& path);

/// From what_if.json: `measured`, the measured part of the work, and `reliefs`, the resources and how much
/// faster the run was. Throws ConfigError.
nlohmann::ordered_json page_what_if(const std::string& path);

}  // namespace strata::platforms
