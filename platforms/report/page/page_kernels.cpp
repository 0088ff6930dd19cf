#include <nlohmann/json.hpp>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "platforms/report/json_text.h"
#include "platforms/report/page/page_parts.h"
#include "traces/selection.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t most_launches = 300;

Json part(const Json& kernel, const std::string& path) {
  Json json;
  for (const char* name : {"name", "kernel", "launches", "cycles", "summary"})
    json[name] = member_of(kernel, name, path);
  for (const auto& [group, sums] : member_of(kernel, "ledger", path).items())
    json["ledger"][group] = {{"accesses", member_of(sums, "accesses", path)},
                             {"latency", member_of(sums, "latency", path)},
                             {"cycles", member_of(sums, "cycles", path)}};
  if (json["name"].is_string()) json["name"] = traces::plain_name(json["name"]);
  if (kernel.contains("application")) json["application"] = kernel["application"];
  const Json verdict = kernel.value("verdict", Json::object());
  for (const char* name : {"limit", "sentence"})
    if (verdict.contains(name)) json[name] = verdict[name];
  return json;
}

}  // namespace

const Json& member_of(const Json& json, const char* name, const std::string& path) {
  if (!json.is_object() || !json.contains(name))
    throw ConfigError(Faults{{{path, 0, 0}, std::string(name) + ": is missing"}});
  return json[name];
}

Json read_part(const std::string& path, const char* schema) {
  Json file;
  try {
    file = parsed_json(read_input(path));
  } catch (const InputError& error) {
    throw ConfigError(Faults{{{path, 0, 0}, error.what()}});
  }
  if (file.is_null()) throw ConfigError(Faults{{{path, 0, 0}, "not valid JSON"}});
  if (!file.is_object() || file.value("schema", Json()) != schema ||
      file.value("schema_version", Json()) != 1)
    throw ConfigError(Faults{{{path, 0, 0}, "not what this version of Strata writes there"}});
  return file;
}

Json page_kernels(const std::string& path) {
  const Json file = read_part(path, "strata-kernels");
  Json json{{"names", Json::array()}, {"launches", Json::array()}};
  for (const Json& one : member_of(file, "names", path)) json["names"].push_back(part(one, path));
  const Json& launches = member_of(file, "kernels", path);
  if (launches.size() <= most_launches)
    for (const Json& one : launches) json["launches"].push_back(part(one, path));
  return json;
}

Json page_what_if(const std::string& path) {
  const Json file = read_part(path, "strata-what-if");
  Json reliefs = Json::array();
  for (const Json& one : member_of(file, "reliefs", path)) {
    reliefs.push_back({{"resources", member_of(one, "resources", path)},
                       {"sets", member_of(one, "sets", path)},
                       {"faster", member_of(one, "faster", path)}});
    for (const char* of_several : {"interval_half", "within_noise", "within_noise_of_best"})
      if (one.contains(of_several)) reliefs.back()[of_several] = one[of_several];
  }
  const Json measured = file.value("measured", Json::object());
  return {{"measured", measured.is_object() ? measured.value("text", Json("")) : Json("")},
          {"reliefs", reliefs}};
}

}  // namespace strata::platforms
