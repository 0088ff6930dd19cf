#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "models/common/faults.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/report/json_text.h"
#include "platforms/report/manifest.h"
#include "platforms/report/page/page_parts.h"
#include "platforms/report/results_reader.h"
#include "traces/selection.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string join(const Faults& faults) {
  std::string text;
  for (const Fault& fault : faults) text += (text.empty() ? "" : "; ") + to_text(fault);
  return text;
}

/// Adds `part` of a run, or its error to "left_out".
template <class Make>
void add(Json& run, const char* part, Make make) {
  try {
    run[part] = make();
  } catch (const ConfigError& error) {
    run["left_out"].push_back({{"part", part}, {"why", join(error.faults())}});
  }
}

/// "llc" of "llc[3]", and its number.
std::pair<std::string, int> split_name(const std::string& instance) {
  const std::size_t bracket = instance.find('[');
  if (bracket == std::string::npos) return {instance, 0};
  return {instance.substr(0, bracket), std::atoi(instance.c_str() + bracket + 1)};
}

/// Counters of all instances by name, with the instances of a group side by side.
Json counters_by_group(const Json& instances) {
  Json all = Json::object();
  for (const auto& [instance, block] : instances.items()) {
    Json& group = all[split_name(instance).first];
    if (group.is_null())
      group = {{"module", block["module"]}, {"names", Json::array()}, {"counters", Json::object()}};
    const std::size_t at = group["names"].size();
    group["names"].push_back(instance);
    if (!block.contains("counters")) continue;
    for (const auto& [name, value] : block["counters"].items()) {
      Json& row = group["counters"][name];
      while (row.size() < at) row.push_back(nullptr);
      row.push_back(value);
    }
  }
  return all;
}

Json energy_json(const EnergyReport& report) {
  Json json;
  const auto interval = [](const power::Interval& i) { return Json{i.low, i.nominal, i.high}; };
  json["total"] = interval(report.total());
  json["seconds"] = report.seconds;
  json["groups"] = Json::array();
  for (const auto& [group, name, label] : energy_groups) {
    power::Interval dynamic, leakage, clock;
    for (const PartEnergy& part : report.parts)
      if (part.group == group) {
        dynamic += part.dynamic;
        leakage += part.leakage;
        clock += part.clock;
      }
    if (report.of(group).nominal > 0)
      json["groups"].push_back({{"name", std::string(name)},
                                {"total", interval(report.of(group))},
                                {"dynamic", dynamic.nominal},
                                {"leakage", leakage.nominal},
                                {"clock", clock.nominal}});
  }
  json["not_counted"] = report.uncounted;
  json["notes"] = report.notes;
  return json;
}

/// Files listed in the manifest that have changed since they were written.
Json changed_files(const std::string& directory) {
  Json changed = Json::array();
  const auto manifest = Manifest::read(directory);
  if (!manifest) return changed;
  for (const char* name : {"stats.json", "config.yaml", "epochs.csv", "slices.csv", "l1s.csv", "kernels.csv",
                           "kernels.json", "what_if.json", "llc_choices.csv", "ledger.csv", "by_source.csv"})
    if (manifest->has(name) && !manifest->vouches_for(directory, name)) changed.push_back(name);
  return changed;
}

/// Demangles the names of kernels.
Json demangled(Json table) {
  for (std::size_t c = 0; c < table["columns"].size(); ++c)
    if (table["columns"][c] == "name")
      for (Json& row : table["rows"])
        if (row[c].is_string()) row[c] = traces::plain_name(row[c]);
  return table;
}

}  // namespace

Json page_run(const std::string& directory, const PageOptions& options) {
  Json stats = read_results(directory);
  const auto file = [&](const char* name) { return (fs::path(directory) / name).string(); };
  Json run;
  run["directory"] = directory;
  run["left_out"] = Json::array();
  run["changed"] = changed_files(directory);
  add(run, "machine", [&] { return page_machine(Netlist::load(file("config.yaml")).resolve(), stats); });
  add(run, "energy",
      [&] { return energy_json(energy_of_results(directory, options.constants, options.technology)); });
  for (const char* table : {"epochs", "slices", "l1s", "kernels", "llc_choices"}) {
    const std::string path = file((std::string(table) + ".csv").c_str());
    if (std::error_code ignored; fs::exists(path, ignored))
      add(run, table, [&] { return demangled(page_table(path)); });
  }
  if (std::error_code ignored; fs::exists(file("kernels.json"), ignored))
    add(run, "kernel_parts", [&] { return page_kernels(file("kernels.json")); });
  if (std::error_code ignored; fs::exists(file("what_if.json"), ignored))
    add(run, "what_if", [&] { return page_what_if(file("what_if.json")); });
  if (std::error_code ignored; fs::exists(file("by_source.csv"), ignored))
    add(run, "by_source", [&] { return page_source(file("by_source.csv")); });
  for (const char* series : {"epochs", "slices", "l1s"})
    if (run.contains(series)) merge_epochs(run[series], options.most_epochs);
  run["counters"] = counters_by_group(stats["instances"]);
  run["definitions"] = stats.value("definitions", Json::object());
  for (const char* part : {"instances", "definitions", "schema", "schema_version"}) stats.erase(part);
  run["stats"] = std::move(stats);
  return run;
}

}  // namespace strata::platforms
