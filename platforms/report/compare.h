#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace strata::platforms {

// Compares results directories with the first of them. Runs that differ only in chance, their seeds or the
// jitter of launches, form one group with a mean and its 95 % interval. All functions throw ConfigError if a
// directory holds no results.

/// Groups side by side: changes, "within noise" if chance can explain one, and a sentence for each group
/// about the origin of the difference. `colours`: for a terminal; more, less, and dim for noise.
std::string compare_text(const std::vector<std::string>& directories, bool colours = false);
std::string compare_markdown(const std::vector<std::string>& directories);
std::string compare_json(const std::vector<std::string>& directories);

enum class PivotFormat { text, markdown, csv, json };
/// One row per group: the settings in which groups differ, and `figures` of the summary (empty: cycles, IPC,
/// hit rates and load latency; CSV and JSON: all). `varied`: the settings varied by a sweep, by directory;
/// texts then name runs by them alone.
using VariedSettings = std::map<std::string, std::vector<std::pair<std::string, std::string>>>;
std::string compare_pivot(const std::vector<std::string>& directories,
                          const std::vector<std::string>& figures, PivotFormat format,
                          const VariedSettings& varied = {});

}  // namespace strata::platforms
