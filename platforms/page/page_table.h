#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

/// A CSV file of results as {"columns": [...], "rows": [[...]]}: numbers where they are some, else texts. A
/// text may stand between quotes. Throws ConfigError that names file and line when a line has not as many
/// values as the first.
nlohmann::ordered_json page_table(const std::string& path);

/// Puts lines of a time series together until there are at most `most`: first column the end of an epoch, all
/// others sums over it. Columns that are no sums are taken out.
void merge_epochs(nlohmann::ordered_json& table, std::size_t most);

}  // namespace strata::platforms
