#include <filesystem>
#include <nlohmann/json.hpp>

#include "platforms/report/page/page_parts.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char file_name[] = "reproduction.json";

void check(const Json& list, const std::string& path, std::initializer_list<const char*> keys) {
  for (const Json& one : list)
    for (const char* key : keys) member_of(one, key, path);
}

}  // namespace

bool is_reproduction(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(path) / file_name, ignored);
}

Json page_claims(const std::string& folder) {
  const std::string path = (fs::path(folder) / file_name).string();
  Json json = read_part(path, "strata-reproduction");
  for (const char* key : {"name", "title", "command", "effort", "seeds", "interrupted", "failures"})
    member_of(json, key, path);
  check(member_of(json, "claims", path), path,
        {"says", "figures", "unit", "paper", "printed", "tolerance", "verdict", "model", "least", "most",
         "values", "reason", "ledger"});
  check(member_of(json, "orders", path), path,
        {"says", "figures", "falling", "verdict", "reason", "steps", "values"});
  for (const Json& decision : member_of(json, "decisions", path))
    check(member_of(decision, "bars", path), path, {"says", "asked", "found", "verdict"});
  json["file"] = path;
  for (const char* part : {"schema", "schema_version"}) json.erase(part);
  return json;
}

}  // namespace strata::platforms
