#include "platforms/report/run_groups.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "platforms/report/results_reader.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// True for settings by which runs differ only in chance: the part of the name after the last dot decides.
bool is_chance(const std::string& setting) {
  const std::string name = setting.substr(setting.rfind('.') + 1);
  return name == "seed" || name == "launch_jitter";
}

/// Reads the lines of a config.yaml, which has one value per line: `instances`, `  llc:`, `    ways: 16`.
void read_settings(const std::string& text, std::map<std::string, std::string>& settings) {
  std::istringstream lines(text);
  std::string section, group;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    const std::size_t colon = line.find(": ");
    if (indent == std::string::npos) continue;
    if (line.compare(indent, 2, "- ") == 0) {
      settings[section] += line.substr(indent + 2) + "\n";
    } else if (colon == std::string::npos) {
      (indent == 0 ? section : group) = line.substr(indent, line.size() - indent - 1);
      if (indent == 0) group.clear();
    } else {
      std::string name = indent == 0 || section == "instances" ? "" : section + ".";
      if (indent > 2 && !group.empty()) name = group + ".";
      settings[name + line.substr(indent, colon - indent)] = line.substr(colon + 2);
    }
  }
}

/// Seed of a synthetic stream, `seed=3`; empty: it has none.
std::string seed_in(const std::string& trace) {
  const std::size_t at = trace.find("seed=");
  if (trace.rfind("synthetic:", 0) != 0 || at == std::string::npos) return {};
  const std::size_t end = trace.find(',', at);
  return trace.substr(at, end == std::string::npos ? end : end - at);
}

/// Text of a synthetic stream without its seed.
std::string without_seed(std::string trace) {
  const std::string seed = seed_in(trace);
  return seed.empty() ? trace : trace.erase(trace.find(seed), seed.size());
}

std::string text_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : json.dump();
}

ComparedRun read(const std::string& directory) {
  ComparedRun run{directory, {}, read_results(directory), {}};
  fs::path folder(directory);
  if (!folder.has_filename()) folder = folder.parent_path();
  run.label = folder.filename().string();
  const std::string configuration = (fs::path(directory) / "config.yaml").string();
  std::error_code ignored;
  if (fs::exists(configuration, ignored)) {
    try {
      read_settings(read_input(configuration), run.settings);
    } catch (const InputError& error) {
      throw ConfigError(Faults{{{configuration, 0, 0}, error.what()}});
    }
  } else {
    run.settings["directory"] = directory;  // nothing shows that it equals another run
  }
  const Json& facts = run.stats["run"];
  for (const auto& [name, value] : run.settings)
    if (name.substr(name.rfind('.') + 1) == "seed") run.seed += value + " ";
  run.seed += seed_in(facts.value("trace", std::string()));
  run.settings["trace"] = without_seed(facts.value("trace", std::string()));
  for (const char* name : {"strata_version", "max_instructions"})
    run.settings[name] = text_of(facts.value(name, Json()));
  return run;
}

std::map<std::string, std::string> without_chance(std::map<std::string, std::string> settings) {
  for (auto at = settings.begin(); at != settings.end();)
    at = is_chance(at->first) ? settings.erase(at) : ++at;
  return settings;
}

template <class Value>
std::optional<Sample> sample_over(const RunGroup& group, Value value) {
  std::vector<double> values;
  std::vector<std::string> seeds;
  for (const ComparedRun* run : group.runs) {
    const std::optional<double> one = value(*run);
    if (!one) return std::nullopt;
    values.push_back(*one);
    seeds.push_back(run->seed);
    if (group.identical()) break;
  }
  return sample_of(values, seeds);
}

}  // namespace

std::optional<double> ComparedRun::figure(const std::string& name) const {
  const Json& value = stats["summary"].value(name, Json());
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::vector<ComparedRun> read_runs(const std::vector<std::string>& directories) {
  std::vector<ComparedRun> all;
  Faults faults;
  for (const std::string& directory : directories) {
    try {
      all.push_back(read(directory));
    } catch (const ConfigError& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
    }
  }
  if (!faults.empty()) throw ConfigError(faults);
  std::map<std::string, int> times;
  for (const ComparedRun& run : all) ++times[run.label];
  for (ComparedRun& run : all)
    if (times[run.label] > 1) run.label = fs::path(run.directory).lexically_normal().string();
  return all;
}

bool RunGroup::identical() const {
  const Json digest = first().stats.value("digest", Json());
  return runs.size() > 1 && !digest.is_null() && std::all_of(runs.begin(), runs.end(), [&](const auto* run) {
           return run->stats.value("digest", Json()) == digest;
         });
}

std::string RunGroup::runs_text() const {
  const std::string count = std::to_string(runs.size());
  return identical() ? "identical (" + count + " runs)" : count;
}

std::string RunGroup::label() const {
  std::string text = first().label;
  if (identical())
    text += ", " + runs_text();
  else if (runs.size() > 1)
    text += " x " + std::to_string(runs.size());
  const bool partial = std::any_of(runs.begin(), runs.end(), [](const auto* run) { return run->partial(); });
  return text + (partial ? " (partial)" : "");
}

std::optional<Sample> RunGroup::sample(const std::string& figure) const {
  return sample_over(*this, [&](const ComparedRun& run) { return run.figure(figure); });
}

std::optional<Sample> RunGroup::ledger(const std::string& group, const std::string& row) const {
  return sample_over(*this, [&](const ComparedRun& run) -> std::optional<double> {
    const Json sums = run.stats["ledger"].value(group, Json::object());
    const double accesses = sums.value("accesses", 0.0);
    const Json cycles =
        row.empty() ? sums.value("latency", Json()) : sums.value("cycles", Json::object()).value(row, Json());
    if (accesses <= 0 || !cycles.is_number()) return std::nullopt;
    return cycles.get<double>() / accesses;
  });
}

std::vector<RunGroup> group_runs(const std::vector<ComparedRun>& runs) {
  std::vector<RunGroup> groups;
  std::vector<std::map<std::string, std::string>> keys;
  std::set<std::map<std::string, std::string>> seen;
  for (const ComparedRun& run : runs) {
    auto key = without_chance(run.settings);
    // An exact repetition of a run, including seeds, is not a second sample.
    if (!seen.insert(run.settings).second) key["again"] = std::to_string(keys.size());
    const auto known = std::find(keys.begin(), keys.end(), key);
    if (known == keys.end()) {
      keys.push_back(std::move(key));
      groups.push_back({{&run}});
    } else {
      groups[static_cast<std::size_t>(known - keys.begin())].runs.push_back(&run);
    }
  }
  return groups;
}

std::vector<std::string> differing_settings(const std::vector<RunGroup>& groups) {
  std::set<std::string> names;
  for (const RunGroup& group : groups)
    for (const auto& [name, value] : group.first().settings) names.insert(name);
  std::vector<std::string> differing;
  for (const std::string& name : names) {
    std::set<std::string> found;
    for (const RunGroup& group : groups) {
      const auto at = group.first().settings.find(name);
      found.insert(at == group.first().settings.end() ? "" : at->second);
    }
    if (found.size() > 1 && !is_chance(name) && name != "bind") differing.push_back(name);
  }
  return differing;
}

}  // namespace strata::platforms
