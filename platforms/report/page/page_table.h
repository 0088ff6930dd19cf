#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

/// A CSV file of results as {"columns": [...], "rows": [[...]]}: numbers, or else texts, which may be quoted.
/// Throws ConfigError with file and line if a line has another number of values than the first.
nlohmann::ordered_json page_table(const std::string& path);

/// Merges lines of a time series until there are at most `most`: the first column is the end of an epoch, all
/// others are summed. Columns that cannot be summed are removed.
void merge_epochs(nlohmann::ordered_json& table, std::size_t most);

}  // namespace strata::platforms
