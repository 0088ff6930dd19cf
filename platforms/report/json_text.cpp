#include "platforms/report/json_text.h"

#include <nlohmann/json.hpp>

namespace strata::platforms {

using Json = nlohmann::ordered_json;

Json parsed_json(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json() : json;
}

std::string json_text(const Json& json, int indent, bool ascii) {
  return json.dump(indent, ' ', ascii, Json::error_handler_t::replace) + (indent < 0 ? "" : "\n");
}

}  // namespace strata::platforms
