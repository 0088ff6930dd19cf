#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

/// by_source.csv as page_table() returns it, and in "sources" the files that it names, if they can be read
/// now: by path {"lines", "changed"}. Lines are a list; large files have an object with only the lines that
/// have accesses. changed: after by_source.csv was written. Throws ConfigError if by_source.csv cannot be
/// read.
nlohmann::ordered_json page_source(const std::string& path);

}  // namespace strata::platforms
