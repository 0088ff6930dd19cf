#include "platforms/studies/sweep/sweep_text.h"

#include <algorithm>
#include <filesystem>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/sweep/database.h"
#include "platforms/studies/sweep/sweep_run.h"

namespace strata::platforms {
namespace {

constexpr std::size_t most_lines = 60;
constexpr double minute = 60, hour = 3600;

std::string figure_text(double value) {
  if (value == static_cast<double>(static_cast<std::uint64_t>(value < 0 ? 0 : value)))
    return grouped(static_cast<std::uint64_t>(value));
  return rounded(value);
}

}  // namespace

SweepEstimate estimate_of(const SweepStore& store, const SweepPlan& plan,
                          const std::vector<std::size_t>& points) {
  const auto costs = store.costs();
  SweepEstimate estimate;
  for (const std::size_t number : points) {
    const SweepPoint& point = plan.points[number];
    if (store.state(point) == SweepStore::State::done) continue;
    ++estimate.left;
    const auto cost = costs.find(point.workload());
    if (cost == costs.end()) continue;
    estimate.seconds += cost->second.seconds;
    estimate.bytes += cost->second.bytes;
  }
  return estimate;
}

std::string span_text(double seconds) {
  if (seconds < 1.5 * minute) return formatted(seconds < 10 ? "%.1f s" : "%.0f s", seconds);
  return seconds < 1.5 * hour ? formatted("%.0f min", seconds / minute) : formatted("%.1f h", seconds / hour);
}

std::string size_text(double bytes) {
  return bytes < 1e9 ? formatted("%.1f MB", bytes / 1e6) : formatted("%.1f GB", bytes / 1e9);
}

std::string sweep_table(const SweepStore& store, const SweepPlan& plan,
                        const std::vector<std::size_t>& points) {
  const std::vector<std::size_t> varying = plan.varying();
  const std::vector<std::string> known = store.figure_names();
  std::vector<std::map<std::string, double>> figures;
  std::vector<std::string> head = {"point"};
  for (const std::size_t k : varying) head.push_back(plan.keys[k]);
  for (const std::string& name : plan.figures) {
    if (!known.empty() && std::find(known.begin(), known.end(), name) == known.end())
      throw ConfigError(plan.file + ": figures: no run has a figure '" + name + "'" +
                        suggestion(name, known));
    head.push_back(name);
    figures.push_back(store.figure(name));
  }
  TextTable table;
  table.add(head);
  for (std::size_t i = 0; i < points.size() && i < most_lines; ++i) {
    const SweepPoint& point = plan.points[points[i]];
    std::vector<std::string> cells = {point.name};
    for (const std::size_t k : varying) cells.push_back(point.values[k]);
    for (const auto& values : figures) {
      const auto value = values.find(point.name);
      cells.push_back(value == values.end() ? "-" : figure_text(value->second));
    }
    table.add(cells);
  }
  std::string text = table.text();
  if (points.size() > most_lines)
    text += "  ... and " + std::to_string(points.size() - most_lines) + " more: SELECT * FROM overview\n";
  return text;
}

namespace fs = std::filesystem;

std::string sweep_file_of(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? sweep_file(path) : path;
}

bool is_sweep(const std::string& path) {
  std::error_code ignored;
  return fs::path(sweep_file_of(path)).extension() == ".sqlite" &&
         fs::is_regular_file(sweep_file_of(path), ignored);
}

std::vector<std::string> results_of_sweep(const std::string& path) {
  const std::string file = sweep_file_of(path);
  if (const std::string damage = Database::damage_of(file); !damage.empty())
    throw ConfigError(file + ": is damaged (" + damage + "); the same sweep again mends it");
  const Database database(file);
  Statement find =
      database.prepare("SELECT results FROM points WHERE state = 'done' AND planned ORDER BY id");
  std::vector<std::string> all;
  while (find.step()) {
    all.push_back((fs::path(file).parent_path() / find.text(0)).string());
    std::error_code ignored;
    if (!fs::exists(all.back(), ignored))
      throw ConfigError(all.back() + ": the results directory of a point of " + file +
                        " is gone; its figures are in the file");
  }
  return all;
}

std::vector<std::string> results_named(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    const std::vector<std::string> of =
        is_sweep(path) ? results_of_sweep(path) : std::vector<std::string>{path};
    all.insert(all.end(), of.begin(), of.end());
  }
  return all;
}

}  // namespace strata::platforms
