#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace strata::platforms {

// Results directories against the first of them. Runs that differ in chance only, their seeds or the jitter
// of launches, are one group with a mean and its 95 % interval. Everything throws ConfigError when a
// directory holds no results.

/// Groups side by side: changes, "within noise" where chance explains one, and a sentence for each group that
/// says where the difference comes from. `colours`: for a terminal; more, less, and dim where it is noise.
std::string compare_text(const std::vector<std::string>& directories, bool colours = false);
std::string compare_markdown(const std::vector<std::string>& directories);
std::string compare_json(const std::vector<std::string>& directories);

enum class PivotFormat { text, markdown, csv, json };
/// A row for each group: the settings in which groups differ, and `figures` of the summary (empty: cycles,
/// IPC, hit rates and load latency; of CSV and JSON all). `varied`: by directory what a sweep varied; texts
/// then name runs by it alone.
using VariedSettings = std::map<std::string, std::vector<std::pair<std::string, std::string>>>;
std::string compare_pivot(const std::vector<std::string>& directories,
                          const std::vector<std::string>& figures, PivotFormat format,
                          const VariedSettings& varied = {});

}  // namespace strata::platforms
