#include "platforms/studies/reproduce/run_figures.h"

#include <nlohmann/json.hpp>

#include "platforms/report/epoch_series.h"
#include "platforms/report/results_reader.h"
#include "platforms/studies/energy/constants_files.h"
#include "platforms/studies/energy/energy_figures.h"
#include "platforms/studies/reproduce/csv_file.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

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

// Columns of epochs.csv, summed over the epochs.
void add_epochs(const std::string& directory, std::map<std::string, double>& values) {
  const std::vector<std::string> columns = EpochSeries::column_names();
  for (CsvFile file(directory + "/epochs.csv"); file.next();)
    for (const std::string& column : columns)
      values["epochs." + column] += static_cast<double>(file.number(column));
}

}  // namespace

RunFigures read_figures(const std::string& directory) {
  return read_figures(directory, load_constants());
}

RunFigures read_figures(const std::string& directory, const power::Constants& constants) {
  const Json stats = read_results(directory);
  if (!came_to_its_end(stats)) throw ConfigError(directory + ": no results of a finished run");
  required_figure(stats, directory, "ipc");
  RunFigures figures;
  for (const auto& [name, value] : stats["summary"].items())
    if (value.is_number()) figures.values[name] = value.get<double>();
  for (const Json& block : stats["instances"]) {
    const Json counters = block.value("counters", Json::object());
    for (const auto& [name, value] : counters.items())
      figures.values[block["module"].get<std::string>() + "." + name] += value.get<double>();
  }
  for (const auto& [name, value] : energy_figures(directory, constants)) figures.values[name] = value;
  add_epochs(directory, figures.values);
  figures.trace = stats["run"]["trace"].get<std::string>();
  for (const Json& application : stats.value("applications", Json::array())) {
    const Json ipc = application["summary"].value("ipc", Json());
    figures.applications.push_back(ipc.is_number() ? ipc.get<double>() : 0.0);
  }
  const Json& loads = stats["ledger"]["loads"];
  figures.loads = loads["accesses"].get<double>();
  figures.latency = loads["latency"].get<double>();
  figures.values["loads"] = figures.loads;
  figures.values["loads.latency"] = figures.latency;
  for (const auto& [row, cycles] : loads["cycles"].items()) {
    figures.places[row] = cycles.get<double>();
    figures.values["loads." + row] = cycles.get<double>();
    figures.values["loads." + row.substr(0, row.rfind('.'))] += cycles.get<double>();
  }
  for (const auto& [place, role] : stats["ledger_places"].items())
    figures.roles[place] = role.get<std::string>();
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
