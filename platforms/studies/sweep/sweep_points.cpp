#include "platforms/studies/sweep/sweep_points.h"

#include <algorithm>
#include <map>

#include "models/common/faults.h"
#include "platforms/studies/sweep/sweep_results.h"
#include "platforms/studies/sweep/sweep_store.h"

namespace strata::platforms {
namespace {

const std::vector<std::string> columns = {"platform", "variant", "workload", "seed"};

void add(std::vector<SweepDimension>& dimensions, const std::string& key, std::size_t point,
         const std::string& value) {
  auto one = std::find_if(dimensions.begin(), dimensions.end(),
                          [&](const SweepDimension& dimension) { return dimension.key == key; });
  if (one == dimensions.end()) one = dimensions.insert(one, {key, {}, {}});
  auto known = std::find(one->values.begin(), one->values.end(), value);
  if (known == one->values.end()) known = one->values.insert(known, value);
  one->of.resize(std::max(one->of.size(), point + 1), -1);
  one->of[point] = static_cast<int>(known - one->values.begin());
}

/// The view `overview` has a column for each key, in the order of the sweep's file.
void sort_as_in_file(const Database& file, std::vector<SweepDimension>& dimensions) {
  std::map<std::string, std::size_t> place;
  Statement overview = file.prepare("SELECT name FROM pragma_table_info('overview')");
  while (overview.step()) place.emplace(overview.text(0), place.size());
  const auto of = [&](const SweepDimension& dimension) {
    const auto at = place.find(dimension.key);
    return at == place.end() ? place.size() : at->second;
  };
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [&](const SweepDimension& a, const SweepDimension& b) { return of(a) < of(b); });
}

}  // namespace

Database open_sweep(const std::string& path) {
  const std::string name = sweep_file_of(path);
  if (const std::string damage = Database::damage_of(name); !damage.empty())
    throw ConfigError(name + ": is damaged (" + damage + "); the same sweep again mends it");
  Database file(name);
  if (const std::string fault = sweep_file_fault(file); !fault.empty())
    throw ConfigError(name + ": " + fault);
  return file;
}

SweepPoints read_points(const Database& file) {
  SweepPoints all;
  std::map<std::int64_t, std::size_t> at;
  Statement points = file.prepare(
      "SELECT id, name, state, message, arguments, results, platform, variant, workload, seed FROM points "
      "WHERE planned ORDER BY id");
  while (points.step()) {
    at[points.whole(0)] = all.points.size();
    for (std::size_t d = 0; d < columns.size(); ++d)
      add(all.dimensions, columns[d], all.points.size(), points.text(static_cast<int>(6 + d)));
    all.points.push_back(
        {points.whole(0), points.text(1), points.text(2), points.text(3), points.text(4), points.text(5)});
  }
  if (all.points.empty()) throw ConfigError(file.path() + ": no point is planned in it");
  Statement settings = file.prepare(
      "SELECT point, s.key, value FROM settings s JOIN points ON id = point WHERE planned ORDER BY id");
  while (settings.step()) add(all.dimensions, settings.text(1), at.at(settings.whole(0)), settings.text(2));
  for (SweepDimension& dimension : all.dimensions) dimension.of.resize(all.points.size(), -1);
  sort_as_in_file(file, all.dimensions);
  return all;
}

}  // namespace strata::platforms
