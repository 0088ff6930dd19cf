#include <algorithm>

#include "models/common/faults.h"
#include "platforms/report/compare.h"
#include "platforms/report/compare_sentence.h"
#include "platforms/report/json_text.h"
#include "platforms/report/run_groups.h"
#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

Texts names_of_figures(const RunGroup& group) {
  Texts names;
  for (const auto& row : group.first().stats["summary"].items()) names.push_back(row.key());
  return names;
}

void check(const Texts& figures, const RunGroup& group) {
  const Texts names = names_of_figures(group);
  for (const std::string& figure : figures)
    if (std::find(names.begin(), names.end(), figure) == names.end())
      throw ConfigError("--figure: '" + figure + "' is no figure of the summary of " +
                        group.first().directory + suggestion(figure, names));
}

std::string setting(const RunGroup& group, const std::string& name) {
  const auto at = group.first().settings.find(name);
  return at == group.first().settings.end() ? "-" : at->second;
}

/// The settings varied by a sweep that differ, in its order.
Texts names_in(const VariedSettings& varied) {
  Texts names;
  for (const auto& [directory, settings] : varied)
    for (const auto& [name, value] : settings)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

std::string setting(const VariedSettings& varied, const RunGroup& group, const std::string& name) {
  const auto of = varied.find(group.first().directory);
  if (of != varied.end())
    for (const auto& [key, value] : of->second)
      if (key == name) return value;
  return "-";
}

std::string json_text_of(const std::vector<RunGroup>& groups, const Texts& settings, const Texts& figures) {
  Json rows = Json::array();
  for (const RunGroup& group : groups) {
    Json row;
    for (const ComparedRun* run : group.runs) row["runs"].push_back(run->directory);
    row["identical"] = group.identical();
    row["settings"] = Json::object();
    for (const std::string& name : settings) row["settings"][name] = setting(group, name);
    for (const std::string& name : figures) {
      const auto sample = group.sample(name);
      Json& figure = row["figures"][name];
      figure["mean"] = sample ? Json(sample->mean) : Json(nullptr);
      figure["interval_half"] = sample && sample->half ? Json(*sample->half) : Json(nullptr);
    }
    rows.push_back(row);
  }
  return json_text({{"rows", rows}}) + "\n";
}

}  // namespace

std::string compare_pivot(const Texts& directories, const Texts& chosen, PivotFormat format,
                          const VariedSettings& varied) {
  const std::vector<ComparedRun> runs = read_runs(directories);
  const std::vector<RunGroup> groups = group_runs(runs);
  check(chosen, groups.front());
  const bool raw = format == PivotFormat::csv || format == PivotFormat::json;
  Texts figures = chosen;
  if (figures.empty())
    figures = raw ? names_of_figures(groups.front())
                  : Texts{"cycles", "ipc", "l1_hit_rate", "llc_hit_rate", "mean_load_latency"};
  const bool named = !raw && !varied.empty();
  const Texts settings = named ? names_in(varied) : differing_settings(groups);
  if (format == PivotFormat::json) return json_text_of(groups, settings, figures);
  TextTable table;
  Texts header = named ? Texts() : Texts{"results", "runs"};
  header.insert(header.end(), settings.begin(), settings.end());
  if (named) header.emplace_back("runs");
  for (const std::string& figure : figures) {
    header.push_back(figure);
    if (raw) header.push_back(figure + "_interval_half");
  }
  table.add(header);
  for (const RunGroup& group : groups) {
    Texts cells;
    const std::string count =
        format == PivotFormat::csv ? std::to_string(group.runs.size()) : group.runs_text();
    if (!named) cells = {group.first().label, count};
    for (const std::string& name : settings)
      cells.push_back(named ? setting(varied, group, name) : setting(group, name));
    if (named) cells.push_back(count);
    for (const std::string& figure : figures) {
      const auto sample = group.sample(figure);
      const bool equal = sample && sample->size > 1 && sample->deviation == 0;
      cells.push_back(!sample ? ""
                      : raw   ? rounded(sample->mean, 12)
                              : sample_text(*sample) + (equal ? ", all equal" : ""));
      if (raw) cells.push_back(sample && sample->half ? rounded(*sample->half, 6) : "");
    }
    table.add(cells);
  }
  return format == PivotFormat::csv        ? table.csv()
         : format == PivotFormat::markdown ? table.markdown()
                                           : table.fitted();
}

}  // namespace strata::platforms
