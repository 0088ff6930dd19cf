#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace strata::platforms {

/// stats.json of a results directory, checked whole: schema and version are ours, and all that Strata reads
/// of it is there and of its kind. Throws ConfigError that names the file and the key; JSON that cannot be
/// parsed is named with its line.
nlohmann::ordered_json read_results(const std::string& directory);

/// The same, but for the verdict, a third of what there is to read.
nlohmann::ordered_json read_results_without_verdict(const std::string& directory);

/// There is a file of that name, sound or not.
bool has_results(const std::string& directory);

/// A figure of the summary that must have a value. Throws ConfigError.
double required_figure(const nlohmann::ordered_json& stats, const std::string& directory,
                       const std::string& name);

}  // namespace strata::platforms
