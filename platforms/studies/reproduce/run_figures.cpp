#include "platforms/studies/reproduce/run_figures.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/common/units.h"
#include "platforms/report/epoch_series.h"
#include "platforms/report/results_reader.h"
#include "platforms/studies/energy/machine_figures.h"
#include "platforms/studies/energy/machine_model.h"

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

namespace {

struct Choice {
  Cycle at;
  bool is_private;
  std::uint64_t degree;
};

/// One for each decision: the file has one line for each option compared.
std::vector<Choice> read_choices(const std::string& path) {
  std::vector<Choice> choices;
  for (CsvFile file(path); file.next();) {
    const Choice choice{file.number("cycle"), file.text("mode") == "private", file.number("degree")};
    if (choices.empty() || choices.back().at != choice.at) choices.push_back(choice);
  }
  return choices;
}

/// A decision holds until the next one of its kernel, or until the kernel's end.
void add_choices(const std::vector<Choice>& choices, KernelHistory& kernel) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].at < kernel.began || choices[i].at >= kernel.ended) continue;
    const Cycle until = i + 1 < choices.size() ? std::min(choices[i + 1].at, kernel.ended) : kernel.ended;
    kernel.decided += until - choices[i].at;
    if (choices[i].is_private) kernel.decided_private += until - choices[i].at;
  }
}

}  // namespace

std::map<std::uint64_t, std::size_t> read_degrees(const std::string& directory) {
  std::map<std::uint64_t, std::size_t> degrees;
  for (const Choice& choice : read_choices(directory + "/llc_choices.csv")) ++degrees[choice.degree];
  return degrees;
}

std::vector<KernelHistory> read_history(const std::string& directory) {
  std::vector<KernelHistory> kernels;
  for (CsvFile file(directory + "/kernels.csv"); file.next();) {
    KernelHistory kernel;
    kernel.kernel = file.number("kernel");
    kernel.name = file.text("name");
    kernel.began = file.number("began");
    kernel.ended = std::max<Cycle>(kernel.began, file.number("ended"));
    kernel.complete = file.text("complete") == "yes";
    kernels.push_back(std::move(kernel));
  }
  const std::vector<Choice> choices = read_choices(directory + "/llc_choices.csv");
  for (KernelHistory& kernel : kernels) add_choices(choices, kernel);
  return kernels;
}

namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

}  // namespace

CsvFile::CsvFile(const std::string& path) : file_(path) {
  std::string line;
  if (std::getline(file_, line)) names_ = cells_of(line);
}

bool CsvFile::next() {
  std::string line;
  if (!std::getline(file_, line)) return false;
  cells_ = cells_of(line);
  return true;
}

std::string CsvFile::text(const std::string& name) const {
  const auto at = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  return at < cells_.size() ? cells_[at] : "";
}

std::uint64_t CsvFile::number(const std::string& name) const {
  return static_cast<std::uint64_t>(parse_integer(text(name)).value_or(0));
}

}  // namespace strata::platforms
