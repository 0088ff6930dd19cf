#include "platforms/page/page_sweep.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/common/faults.h"
#include "platforms/report/sample_statistics.h"
#include "platforms/sweep/database.h"
#include "platforms/sweep/sweep_results.h"
#include "platforms/sweep/sweep_store.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_values = 150'000;  // of all figures, so that the page stays below 5 MB

/// The points of the file, in its order.
class Points {
 public:
  explicit Points(const Database& file) : file_(file) {
    Statement all = file.prepare(
        "SELECT id, name, state, message, platform, variant, workload, seed FROM points WHERE planned "
        "ORDER BY id");
    while (all.step()) {
      at_[all.whole(0)] = names_.size();
      names_.push_back(all.text(1));
      states_.push_back(all.text(2));
      messages_.push_back(all.text(3));
      for (std::size_t d = 0; d < columns.size(); ++d)
        add(columns[d], names_.size() - 1, all.text(static_cast<int>(4 + d)));
    }
    Statement settings =
        file.prepare("SELECT point, s.key, value FROM settings s JOIN points ON id = point WHERE planned");
    while (settings.step()) add(settings.text(1), at_.at(settings.whole(0)), settings.text(2));
  }

  Json json() const {
    Json json{{"points", names_}, {"states", states_}, {"messages", messages_}};
    json["dimensions"] = Json::array();
    for (const std::string& key : keys_) {
      const Dimension& one = dimensions_.at(key);
      json["dimensions"].push_back({{"key", key}, {"values", one.values}, {"of", one.of}});
    }
    return json;
  }
  std::size_t size() const { return names_.size(); }

  /// Values of a figure, null where there is none; nothing when all are null.
  Json values(std::int64_t figure) const {
    Json of = Json::array();
    for (std::size_t i = 0; i < size(); ++i) of.push_back(nullptr);
    bool any = false;
    Statement find =
        file_.prepare("SELECT point, value FROM figure_values WHERE figure = ? AND value NOTNULL");
    find.bind(figure);
    while (find.step()) {
      const auto at = at_.find(find.whole(0));
      if (at == at_.end()) continue;
      of[at->second] = find.real(1);
      any = true;
    }
    return any ? of : Json();
  }

 private:
  struct Dimension {
    std::vector<std::string> values;
    std::vector<int> of;  // of each point the number of its value; -1: it has none
  };
  static inline const std::vector<std::string> columns = {"platform", "variant", "workload", "seed"};

  void add(const std::string& key, std::size_t point, const std::string& value) {
    if (dimensions_.count(key) == 0) keys_.push_back(key);
    Dimension& one = dimensions_[key];
    auto known = std::find(one.values.begin(), one.values.end(), value);
    if (known == one.values.end()) known = one.values.insert(one.values.end(), value);
    one.of.resize(std::max(names_.size(), point + 1), -1);
    one.of[point] = static_cast<int>(known - one.values.begin());
  }

  const Database& file_;
  std::map<std::int64_t, std::size_t> at_;
  std::vector<std::string> names_, states_, messages_, keys_;
  std::map<std::string, Dimension> dimensions_;
};

struct Name {
  std::int64_t id;
  std::string name, unit;
  bool shown;
};

/// Figures of the sweep's file, then those of the summary.
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

}  // namespace

Json page_sweep(const std::string& path) {
  const std::string name = sweep_file_of(path);
  if (const std::string damage = Database::damage_of(name); !damage.empty())
    throw ConfigError(name + ": is damaged (" + damage + "); the same sweep again mends it");
  const Database file(name);
  if (const std::string fault = sweep_file_fault(file); !fault.empty())
    throw ConfigError(name + ": " + fault);
  const Points points(file);
  if (points.size() == 0) throw ConfigError(name + ": no point is planned in it");
  Json json = points.json();
  json["name"] = sweep_meta(file, "name");
  json["file"] = name;
  json["figures"] = Json::array();
  std::size_t values = 0, left_out = 0;
  for (const Name& figure : figure_names(file)) {
    if (!figure.shown && values + points.size() > most_values) {
      ++left_out;
      continue;
    }
    Json of = points.values(figure.id);
    if (of.is_null()) continue;
    values += points.size();
    json["figures"].push_back({{"name", figure.name}, {"unit", figure.unit}, {"of", std::move(of)}});
  }
  json["left_out"] = left_out;
  json["student"] = Json::array();
  std::size_t seeds = 1;
  for (const Json& one : json["dimensions"])
    if (one["key"] == "seed") seeds = one["values"].size();
  for (std::size_t freedom = 1; freedom < seeds; ++freedom)
    json["student"].push_back(student_quantile(static_cast<double>(freedom)));
  return json;
}

}  // namespace strata::platforms
