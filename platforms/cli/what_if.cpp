#include "platforms/cli/what_if.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "models/common/draft.h"
#include "models/common/faults.h"
#include "platforms/netlist/netlist.h"
#include "platforms/netlist/param_table.h"
#include "platforms/report/json_text.h"
#include "platforms/report/results_reader.h"
#include "platforms/report/text_table.h"
#include "platforms/session/children.h"

namespace strata::cli {
namespace {

using platforms::ResolvedGroup;
using platforms::ResolvedNetlist;
using platforms::ResourceLoad;
using Texts = std::vector<std::string>;

/// `64`, `48 KiB`: the number times or by that of the change. Empty: it does not divide.
std::string changed(const std::string& value, std::string_view change) {
  if (change.front() != '*' && change.front() != '/') return std::string(change);
  char* end = nullptr;
  const long long number = std::strtoll(value.c_str(), &end, 10);
  const long long by = std::strtoll(std::string(change.substr(1)).c_str(), nullptr, 10);
  if (end == value.c_str() || (change.front() == '/' && number < by)) return {};
  return std::to_string(change.front() == '*' ? number * by : number / by) + end;
}

std::string frequency(const ResolvedNetlist& netlist, const std::string& clock, std::string_view change) {
  for (const platforms::ResolvedClock& one : netlist.clocks)
    if (one.name == clock) return changed(std::to_string(one.frequency.count), change) + " Hz";
  return {};
}

/// Empty: some of it cannot be set.
Texts settings_of(const ResolvedNetlist& netlist, const ResolvedGroup& group, const Resource& resource) {
  Texts sets;
  const auto params = platforms::list_params(*group.base.params);
  for (const Resource::Relief& relief : resource.reliefs) {
    if (relief.param == "clock") {
      if (group.clock == "core") return {};
      sets.push_back("clocks." + group.clock + "=" + frequency(netlist, group.clock, relief.change));
      continue;
    }
    const auto row =
        std::find_if(params.begin(), params.end(), [&](const auto& p) { return p.name == relief.param; });
    if (row == params.end()) continue;
    const std::string value = changed(row->value, relief.change);
    if (value.empty()) return {};
    sets.push_back(group.name + "." + std::string(relief.param) + "=" + value);
  }
  return sets;
}

/// Of all groups of the role that have a resource of the name: both ends of a link are equally wide.
Texts settings_of(const ResolvedNetlist& netlist, const ResourceLoad& load) {
  Texts all;
  for (const ResolvedGroup& group : netlist.groups) {
    if (group.kind->role != load.role || group.kind->resources == nullptr) continue;
    for (const Resource& resource : group.kind->resources(*group.base.params))
      if (resource.name == load.resource.name)
        for (std::string& set : settings_of(netlist, group, resource))
          if (std::find(all.begin(), all.end(), set) == all.end()) all.push_back(std::move(set));
  }
  return all;
}

bool is_allowed(const Texts& files, Texts sets, const Texts& more) {
  sets.insert(sets.end(), more.begin(), more.end());
  try {
    platforms::Netlist::load(files, sets).resolve();
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

/// Options of a run that say where results go and what else is shown, but not what is simulated.
Texts same_work(const Texts& arguments, bool cut) {
  const Texts alone = {"--quiet", "--what-if", "--energy", "--by-kernel", "--progress", "--live"};
  Texts with_value = {"--out",
                      "--observe",
                      "--timeline",
                      "--timeline-window",
                      "--timeline-address",
                      "--timeline-fraction",
                      "--timeline-limit"};
  if (cut) with_value.emplace_back("--max-instructions");
  Texts words;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    if (std::find(alone.begin(), alone.end(), name) != alone.end()) continue;
    if (std::find(with_value.begin(), with_value.end(), name) == with_value.end())
      words.push_back(arguments[i]);
    else if (name == arguments[i])
      ++i;
  }
  words.emplace_back("--quiet");
  return words;
}

/// Work in a cycle; in place of instructions, where there are none, what a cycle is worth.
double speed_of(const std::string& directory) {
  const auto stats = platforms::read_results(directory);
  const double instructions = platforms::required_figure(stats, directory, "thread_instructions");
  const double cycles = platforms::required_figure(stats, directory, "cycles");
  return cycles <= 0 ? 0 : (instructions > 0 ? instructions : 1) / cycles;
}

double speed_of(const platforms::RunCounts& run) {
  const auto instructions = static_cast<double>(sum_of(run.tables, Role::sm, "thread_instructions"));
  return run.cycles == 0 ? 0 : (instructions > 0 ? instructions : 1) / static_cast<double>(run.cycles);
}

std::string names_of(const Relief& relief) {
  std::string names;
  for (const std::string& name : relief.resources) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace

std::vector<Relief> reliefs_of(const ResolvedNetlist& netlist, std::vector<ResourceLoad> loads,
                               const Texts& files, const Texts& sets) {
  std::stable_sort(loads.begin(), loads.end(),
                   [](const auto& a, const auto& b) { return a.share() > b.share(); });
  std::vector<Relief> reliefs;
  for (const ResourceLoad& load : loads) {
    const Texts more = settings_of(netlist, load);
    if (more.empty()) continue;
    const auto known = std::find_if(reliefs.begin(), reliefs.end(),
                                    [&](const Relief& relief) { return relief.sets == more; });
    if (known != reliefs.end())
      known->resources.push_back(load.name());
    else if (is_allowed(files, sets, more))
      reliefs.push_back({{load.name()}, more});
  }
  return reliefs;
}

void measure_reliefs(std::vector<Relief>& reliefs, const Texts& arguments, const platforms::RunCounts& run,
                     std::uint64_t most) {
  const Draft scratch = Draft::scratch("strata-what-if");
  const std::string folder =
      scratch.path() + "/runs";  // runs lock the folder of their results; the draft is locked
  std::filesystem::create_directory(folder);
  const bool cut = sum_of(run.tables, Role::sm, "thread_instructions") > most;
  std::vector<platforms::ChildRun> runs;
  const auto add = [&](const Texts& sets) {
    const std::string place = folder + "/" + std::to_string(runs.size());
    Texts words = same_work(arguments, cut);
    for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
    if (cut) words.insert(words.end(), {"--max-instructions", std::to_string(most)});
    words.insert(words.end(), {"--out", place});
    runs.push_back({"/proc/self/exe", std::move(words), place + ".log"});
    return place;
  };
  Texts places;
  for (const Relief& relief : reliefs) places.push_back(add(relief.sets));
  const std::string plain = cut ? add({}) : std::string();
  platforms::run_children(runs, std::max(1U, std::thread::hardware_concurrency()));
  const double before = cut ? speed_of(plain) : speed_of(run);
  for (std::size_t i = 0; i < reliefs.size() && before > 0; ++i)
    reliefs[i].faster = speed_of(places[i]) / before - 1;
}

std::string what_if_json(const std::vector<Relief>& reliefs) {
  nlohmann::ordered_json json = {{"schema", "strata-what-if"}, {"schema_version", 1}};
  json["reliefs"] = nlohmann::ordered_json::array();
  for (const Relief& relief : reliefs) {
    nlohmann::ordered_json one = {
        {"resources", relief.resources}, {"sets", relief.sets}, {"faster", nullptr}};
    if (relief.faster) one["faster"] = *relief.faster;
    json["reliefs"].push_back(one);
  }
  return platforms::json_text(json);
}

std::string what_if_text(std::vector<Relief> reliefs) {
  std::stable_sort(reliefs.begin(), reliefs.end(), [](const Relief& a, const Relief& b) {
    return a.faster.value_or(0) > b.faster.value_or(0);
  });
  platforms::TextTable table;
  table.add({"what if: about twice the", "faster by"});
  for (const Relief& relief : reliefs) {
    std::string sets;
    for (const std::string& set : relief.sets) sets += (sets.empty() ? " (" : " ") + set;
    table.add({names_of(relief) + sets + ")", relief.faster ? platforms::percent(*relief.faster) : "-"});
  }
  return table.text("");
}

}  // namespace strata::cli
