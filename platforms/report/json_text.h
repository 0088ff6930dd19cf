#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

// The reader and the writer of the JSON library are templates: compiled here, once.

/// Null when `text` is no JSON.
nlohmann::ordered_json parsed_json(const std::string& text);

/// On lines indented by `indent`, on one without line end when it is negative. Bytes that are no UTF-8 are
/// shown as U+FFFD; `ascii`: all other characters as \u.
std::string json_text(const nlohmann::ordered_json& json, int indent = 1, bool ascii = false);

}  // namespace strata::platforms
