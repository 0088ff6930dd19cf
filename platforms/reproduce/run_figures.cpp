#include "platforms/reproduce/run_figures.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "platforms/report/manifest.h"
#include "platforms/report/results_files.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::json;

Json parsed(const std::string& directory) {
  std::ifstream file(directory + "/stats.json", std::ios::binary);
  if (!file) return {};
  Json json = Json::parse(file, nullptr, false);
  if (!json.is_object() || json.value("schema_version", 0) != results_schema_version) return {};
  return json;
}

bool finished(const Json& json) {
  if (!json.is_object() || !json.contains("run")) return false;
  if (json["run"].value("exit_code", 1) != 0) return false;
  if (!json.value("partial", true)) return true;
  const std::string reason = json["reason"].is_string() ? json["reason"].get<std::string>() : "";
  return reason == "max-instructions" || reason == applications_measured;
}

std::optional<double> sum_of(const std::vector<std::string>& names, const RunFigures& figures,
                             std::string& missing) {
  double sum = 0;
  for (const std::string& name : names) {
    const auto at = figures.values.find(name);
    if (at == figures.values.end()) {
      missing = "the results hold no '" + name + "'";
      return std::nullopt;
    }
    sum += at->second;
  }
  return sum;
}

}  // namespace

bool is_finished(const std::string& directory) {
  return is_intact(directory) && finished(parsed(directory));
}

RunFigures read_figures(const std::string& directory) {
  const Json json = parsed(directory);
  if (!finished(json)) throw ConfigError(directory + ": no results of a finished run");
  RunFigures figures;
  for (const auto& [name, value] : json["summary"].items())
    if (value.is_number()) figures.values[name] = value.get<double>();
  for (const auto& [instance, stats] : json["instances"].items())
    for (const auto& [name, value] : stats["counters"].items())
      figures.values[stats["module"].get<std::string>() + "." + name] += value.get<double>();
  figures.trace = json["run"].value("trace", "");
  if (json.contains("applications"))
    for (const Json& application : json["applications"]) {
      const Json& ipc = application["summary"]["ipc"];
      figures.applications.push_back(ipc.is_number() ? ipc.get<double>() : 0.0);
    }
  const Json& loads = json["ledger"]["loads"];
  figures.loads = loads["accesses"].get<double>();
  figures.latency = loads["latency"].get<double>();
  for (const auto& [cause, cycles] : loads["cycles"].items())
    figures.causes.emplace_back(cause, cycles.get<double>());
  return figures;
}

std::optional<double> value_of(const Metric& metric, const RunFigures& figures, std::string& missing) {
  const auto over = sum_of(metric.over, figures, missing);
  if (!over || metric.under.empty()) return over;
  const auto under = sum_of(metric.under, figures, missing);
  if (!under) return std::nullopt;
  if (*under != 0) return *over / *under;
  missing = "nothing was counted for " + metric.label;
  return std::nullopt;
}

}  // namespace strata::platforms
