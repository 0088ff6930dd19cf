#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

/// by_source.csv as page_table() gives it, and in "sources" the files that it names, as they can be read now:
/// by path {"lines", "changed"}. Lines are a list, of large files an object with those that have accesses;
/// changed: after by_source.csv was written. Files that cannot be read are left out. Throws ConfigError when
/// by_source.csv cannot be read.
nlohmann::ordered_json page_source(const std::string& path);

}  // namespace strata::platforms
