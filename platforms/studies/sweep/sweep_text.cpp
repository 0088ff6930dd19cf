#include "platforms/studies/sweep/sweep_text.h"

#include <algorithm>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "platforms/report/text_table.h"

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

}  // namespace strata::platforms
