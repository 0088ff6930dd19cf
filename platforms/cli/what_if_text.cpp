// Text and tables of relaxations.
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
  return relief.half && *relief.half > 0 && std::fabs(*relief.faster) <= *relief.half;
}

/// True if all runs gave the same result.
bool is_identical(const Relief& relief) {
  return relief.speeds.size > 1 && relief.speeds.deviation == 0;
}

/// A gain that rounds to 0 has no sign.
std::string signed_percent(double gain) {
  const std::string text = platforms::percent(gain);
  return text == platforms::percent(-0.0) ? platforms::percent(0) : text;
}

/// A half interval of 0 is not shown: equal runs say nothing about chance.
std::string gain_text(const Relief& relief) {
  if (!relief.faster) return "-";
  const std::string gain = signed_percent(*relief.faster);
  return relief.half ? gain + platforms::plus_minus(100 * *relief.half) : gain;
}

std::string word_of(const Relief& relief, const Measured& measured, bool several) {
  if (!relief.faster) return "not measured";
  if (is_noise(relief)) return measured.sampled() ? "within the sample's error" : "within noise";
  if (relief.as_best) return "as the first, within noise";
  if (is_identical(relief)) return "identical (" + std::to_string(relief.speeds.size) + " runs)";
  return several && !relief.half ? "one run" : "";
}

}  // namespace

std::string Measured::share_text() const {
  const auto number = [](double value) { return platforms::grouped(static_cast<std::uint64_t>(value)); };
  if (sampled())
    return std::to_string(launches) + " of " + std::to_string(of_launches) + " launches, " +
           platforms::percent(of_instructions > 0 ? instructions / of_instructions : 1) +
           " of thread instructions";
  std::string text = "all of the run";
  if (of_launches != 0)
    text += ": " + number(static_cast<double>(of_launches)) +
            (of_launches == 1 ? " launch, " : " launches, ") + number(of_instructions) +
            " thread instructions";
  return limit.empty() ? text : text + " (with " + limit + ")";
}

std::string what_if_json(const Measured& measured) {
  nlohmann::ordered_json json = {{"schema", "strata-what-if"}, {"schema_version", 1}};
  json["measured"] = {{"text", measured.share_text()},
                      {"sampled", measured.sampled()},
                      {"launches", measured.launches},
                      {"of_launches", measured.of_launches},
                      {"thread_instructions", static_cast<std::uint64_t>(measured.instructions)},
                      {"of_thread_instructions", static_cast<std::uint64_t>(measured.of_instructions)}};
  if (!measured.interrupted.empty()) json["measured"]["interrupted"] = measured.interrupted;
  json["reliefs"] = nlohmann::ordered_json::array();
  for (const Relief& relief : measured.reliefs) {
    nlohmann::ordered_json one = {
        {"resources", relief.resources}, {"sets", relief.sets}, {"faster", nullptr}};
    if (relief.faster) one["faster"] = *relief.faster;
    if (relief.speeds.size > 1) one["runs"] = relief.speeds.size;
    if (is_identical(relief)) one["identical"] = true;
    if (relief.half && *relief.half > 0) {
      one["interval_half"] = *relief.half;
      one["within_noise"] = is_noise(relief);
      one["within_noise_of_best"] = relief.as_best;
    }
    json["reliefs"].push_back(one);
  }
  return platforms::json_text(json);
}

std::string what_if_text(Measured measured) {
  std::vector<Relief>& reliefs = measured.reliefs;
  std::stable_sort(reliefs.begin(), reliefs.end(), [](const Relief& a, const Relief& b) {
    return a.faster.value_or(-1) > b.faster.value_or(-1);
  });
  const bool several = std::any_of(reliefs.begin(), reliefs.end(),
                                   [](const Relief& relief) { return relief.half.has_value(); });
  platforms::TextTable table;
  table.add({"what if: about twice the", "faster by", ""});
  for (const Relief& relief : reliefs) {
    std::string sets;
    for (const std::string& set : relief.sets) sets += (sets.empty() ? " (" : " ") + set;
    table.add({names_of(relief) + sets + ")", gain_text(relief), word_of(relief, measured, several)});
  }
  std::string text = table.fitted() + "measured: " + measured.share_text() + "\n";
  if (measured.sampled())
    text += "±: half of the 95 % interval, by the spread over the launches of each kernel\n";
  return text;
}

}  // namespace strata::cli
