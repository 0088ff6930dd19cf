#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace strata::platforms {

/// stats.json of a results directory, fully checked: schema and version match, and all members that Strata
/// reads exist with the right type. Throws ConfigError that names the file and the key; for JSON that cannot
/// be parsed, the line.
nlohmann::ordered_json read_results(const std::string& directory);

/// Like read_results(), but without the verdict, a third of the text.
nlohmann::ordered_json read_results_without_verdict(const std::string& directory);

/// True if the file exists, valid or not.
bool has_results(const std::string& directory);

/// A figure of the summary that must have a value. Throws ConfigError.
double required_figure(const nlohmann::ordered_json& stats, const std::string& directory,
                       const std::string& name);

}  // namespace strata::platforms
