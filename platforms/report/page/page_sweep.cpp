#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/common/faults.h"
#include "platforms/report/page/page_parts.h"
#include "platforms/report/sample_statistics.h"
#include "platforms/studies/sweep/database.h"
#include "platforms/studies/sweep/sweep_comparison.h"
#include "platforms/studies/sweep/sweep_plan.h"
#include "platforms/studies/sweep/sweep_store.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_values = 150'000;  // for all figures, so that the page stays below 5 MB

Json json_of(const SweepPoints& points) {
  Json json{{"points", Json::array()}, {"states", Json::array()}, {"messages", Json::array()}};
  for (const SweepPoints::Point& point : points.points) {
    json["points"].push_back(point.name);
    json["states"].push_back(point.state);
    json["messages"].push_back(point.message);
  }
  json["dimensions"] = Json::array();
  for (const SweepDimension& one : points.dimensions)
    json["dimensions"].push_back({{"key", one.key}, {"values", one.values}, {"of", one.of}});
  return json;
}

/// Values of a figure, null if missing; empty if all are null.
Json values_of(const Database& file, const SweepPoints& points, std::int64_t figure) {
  Json of = Json::array();
  std::map<std::int64_t, std::size_t> at;
  for (const SweepPoints::Point& point : points.points) {
    at[point.id] = of.size();
    of.push_back(nullptr);
  }
  bool any = false;
  Statement find = file.prepare("SELECT point, value FROM figure_values WHERE figure = ? AND value NOTNULL");
  find.bind(figure);
  while (find.step()) {
    const auto place = at.find(find.whole(0));
    if (place == at.end()) continue;
    of[place->second] = find.real(1);
    any = true;
  }
  return any ? of : Json();
}

std::int64_t figure_number(const Database& file, const std::string& name) {
  Statement find = file.prepare("SELECT id FROM names WHERE name = ?");
  find.bind(name);
  return find.step() ? find.whole(0) : -1;
}

struct Name {
  std::int64_t id;
  std::string name, unit;
  bool shown;
};

/// Figures named in the sweep's file, then those of the summary.
std::vector<Name> figure_names(const Database& file) {
  std::vector<std::string> columns;
  Statement overview = file.prepare("SELECT name FROM pragma_table_info('overview')");
  while (overview.step()) columns.push_back(overview.text(0));
  const auto place = [&](const std::string& name) {
    return std::find(columns.begin(), columns.end(), name) - columns.begin();
  };
  std::vector<Name> names;
  Statement all = file.prepare("SELECT id, name, unit, unit IS NOT NULL FROM names ORDER BY name");
  while (all.step()) {
    const bool shown = place(all.text(1)) < static_cast<std::ptrdiff_t>(columns.size());
    if (shown || all.whole(3) != 0) names.push_back({all.whole(0), all.text(1), all.text(2), shown});
  }
  std::stable_sort(names.begin(), names.end(),
                   [&](const Name& a, const Name& b) { return place(a.name) < place(b.name); });
  return names;
}

/// Adds the first view if there is something to compare: speed-ups over a baseline.
void add_comparison(const Database& file, const SweepPoints& points, Json& json) {
  const bool any_done = std::any_of(points.points.begin(), points.points.end(),
                                    [](const SweepPoints::Point& point) { return point.state == "done"; });
  const bool several =
      std::any_of(points.dimensions.begin(), points.dimensions.end(), [](const SweepDimension& one) {
        return one.values.size() > 1 && one.key != "seed" && one.key != "workload";
      });
  if (!any_done || !several || values_of(file, points, figure_number(file, "cycles")).is_null()) return;
  const SweepComparison comparison = compare_sweep(file, std::nullopt);
  const SweepDimension& key = comparison.dimensions[comparison.key];
  json["baseline"] = {{"key", key.key},
                      {"value", key.values[static_cast<std::size_t>(comparison.value)]},
                      {"unit", comparison.of_instructions ? "instructions per core cycle" : "core cycles"}};
  json["log_times"] = Json::array();
  for (const std::optional<double>& time : comparison.log_times)
    json["log_times"].push_back(time ? Json(*time) : Json(nullptr));
  json["answers"] = sweep_replies(comparison);
}

}  // namespace

Json page_sweep(const std::string& path) {
  const Database file = open_sweep(path);
  const SweepPoints points = read_points(file);
  Json json = json_of(points);
  json["name"] = sweep_meta(file, "name");
  json["file"] = file.path();
  json["figures"] = Json::array();
  std::size_t values = 0, left_out = 0;
  for (const Name& figure : figure_names(file)) {
    if (!figure.shown && values + points.points.size() > most_values) {
      ++left_out;
      continue;
    }
    Json of = values_of(file, points, figure.id);
    if (of.is_null()) continue;
    values += points.points.size();
    json["figures"].push_back({{"name", figure.name}, {"unit", figure.unit}, {"of", std::move(of)}});
  }
  json["left_out"] = left_out;
  add_comparison(file, points, json);
  json["student"] = Json::array();
  std::size_t seeds = 1;
  for (const Json& one : json["dimensions"])
    if (one["key"] == "seed") seeds = one["values"].size();
  for (std::size_t freedom = 1; freedom < seeds; ++freedom)
    json["student"].push_back(student_quantile(static_cast<double>(freedom)));
  return json;
}

}  // namespace strata::platforms
