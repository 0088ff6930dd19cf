#pragma once

#include <string>
#include <vector>

namespace strata::platforms {

/// True for the folder of a sweep, or its file.
bool is_sweep(const std::string& path);

/// The SQLite file of a folder, or the file itself.
std::string sweep_file_of(const std::string& path);

/// Results directories of its finished points, in their order. Throws ConfigError.
std::vector<std::string> results_of_sweep(const std::string& path);

/// Results directories named by the user; a sweep stands for all of its own.
std::vector<std::string> results_named(const std::vector<std::string>& paths);

}  // namespace strata::platforms
