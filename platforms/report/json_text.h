#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

// The reader and the writer of the JSON library are templates; this file compiles them once.

/// Null if `text` is not JSON.
nlohmann::ordered_json parsed_json(const std::string& text);

/// One value per line, indented by `indent`; a negative `indent` gives one line without a line end. Bytes
/// that are not UTF-8 become U+FFFD; `ascii`: non-ASCII characters become \u escapes.
std::string json_text(const nlohmann::ordered_json& json, int indent = 1, bool ascii = false);

}  // namespace strata::platforms
