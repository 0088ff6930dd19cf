// What reliefs give, for people and for programs.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "platforms/cli/what_if.h"
#include "platforms/report/json_text.h"
#include "platforms/report/text_table.h"

namespace strata::cli {
namespace {

std::string names_of(const Relief& relief) {
  std::string names;
  for (const std::string& name : relief.resources) names += (names.empty() ? "" : ", ") + name;
  return names;
}

bool is_noise(const Relief& relief) {
  return relief.half && std::fabs(*relief.faster) <= *relief.half;
}

std::string gain_text(const Relief& relief) {
  if (!relief.faster) return "-";
  if (!relief.half) return platforms::percent(*relief.faster);
  return platforms::percent(*relief.faster) + " ± " + platforms::rounded(100 * *relief.half, 2);
}

}  // namespace

std::string what_if_json(const std::vector<Relief>& reliefs) {
  nlohmann::ordered_json json = {{"schema", "strata-what-if"}, {"schema_version", 1}};
  json["reliefs"] = nlohmann::ordered_json::array();
  for (const Relief& relief : reliefs) {
    nlohmann::ordered_json one = {
        {"resources", relief.resources}, {"sets", relief.sets}, {"faster", nullptr}};
    if (relief.faster) one["faster"] = *relief.faster;
    if (relief.speeds.size > 1) {
      one["runs"] = relief.speeds.size;
      one["interval_half"] = *relief.half;
      one["within_noise"] = is_noise(relief);
      one["within_noise_of_best"] = relief.as_best;
    }
    json["reliefs"].push_back(one);
  }
  return platforms::json_text(json);
}

std::string what_if_text(std::vector<Relief> reliefs) {
  std::stable_sort(reliefs.begin(), reliefs.end(), [](const Relief& a, const Relief& b) {
    return a.faster.value_or(0) > b.faster.value_or(0);
  });
  const bool several = std::any_of(reliefs.begin(), reliefs.end(),
                                   [](const Relief& relief) { return relief.half.has_value(); });
  platforms::TextTable table;
  table.add({"what if: about twice the", "faster by", ""});
  for (const Relief& relief : reliefs) {
    std::string sets;
    for (const std::string& set : relief.sets) sets += (sets.empty() ? " (" : " ") + set;
    const char* const chance = is_noise(relief)          ? "within noise"
                               : relief.as_best          ? "as the first, within noise"
                               : several && !relief.half ? "one run"
                                                         : "";
    table.add({names_of(relief) + sets + ")", gain_text(relief), chance});
  }
  return table.text("");
}

}  // namespace strata::cli
