#include "platforms/cli/what_if.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "models/common/draft.h"
#include "models/common/faults.h"
#include "platforms/netlist/netlist.h"
#include "platforms/netlist/param_table.h"
#include "platforms/report/results_reader.h"
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
Texts same_work(const Texts& arguments, bool cut, bool seeded) {
  const Texts alone = {"--quiet", "--what-if", "--energy", "--by-kernel", "--progress", "--live"};
  Texts with_value = {"--out",
                      "--what-if-runs",
                      "--observe",
                      "--timeline",
                      "--timeline-window",
                      "--timeline-address",
                      "--timeline-fraction",
                      "--timeline-limit",
                      "--dram-requests",
                      "--dram-requests-format"};
  if (cut) with_value.emplace_back("--max-instructions");
  if (seeded) with_value.emplace_back("--seed");
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

}  // namespace

WhatIf what_if_of(const Arguments& options, const Texts& arguments) {
  constexpr std::uint64_t most_runs = 1000;
  WhatIf asked;
  if (options.has("what-if")) asked.arguments = arguments;
  if (!options.has("what-if-runs")) return asked;
  if (!options.has("what-if"))
    throw ConfigError("--what-if-runs: says how often --what-if runs each machine; there is no --what-if");
  asked.runs = whole_number("what-if-runs", options.get<std::string>("what-if-runs"), 1);
  if (asked.runs > most_runs)
    throw ConfigError("--what-if-runs: '" + options.get<std::string>("what-if-runs") +
                      "' is too large; allowed: 1 to " + std::to_string(most_runs));
  return asked;
}

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

namespace {

/// Enough to change who meets whom; as in `strata reproduce`.
constexpr const char launch_jitter[] = "launch_jitter=2";

/// What makes runs of one machine differ; nothing where launches jitter as it is, or where nobody launches.
Texts jitter_of(const ResolvedNetlist& netlist) {
  Texts sets;
  for (const ResolvedGroup& group : netlist.groups) {
    if (group.kind->role != Role::dispatcher) continue;
    for (const auto& param : platforms::list_params(*group.base.params))
      if (param.name == "launch_jitter" && param.value == "0")
        sets.push_back(group.name + "." + launch_jitter);
  }
  return sets;
}

/// Runs of several machines, and how fast they were.
class Trials {
 public:
  Trials(const WhatIf& asked, const platforms::RunCounts& run)
      : asked_(asked), cut_(sum_of(run.tables, Role::sm, "thread_instructions") > asked.most) {
    std::filesystem::create_directory(folder_);
    if (asked.runs > 1) chance_ = jitter_of(run.netlist);
  }
  bool cut() const { return cut_; }

  /// Run number `repeat` of the machine with these settings; its speed goes to `speeds`.
  void add(const Texts& sets, std::uint64_t repeat, std::vector<double>& speeds) {
    const std::string place = folder_ + "/" + std::to_string(number_++);
    Texts words = same_work(asked_.arguments, cut_, asked_.runs > 1);
    for (const Texts* some : std::initializer_list<const Texts*>{&sets, &chance_})
      for (const std::string& set : *some) words.insert(words.end(), {"--set", set});
    if (cut_) words.insert(words.end(), {"--max-instructions", std::to_string(asked_.most)});
    if (asked_.runs > 1) words.insert(words.end(), {"--seed", std::to_string(asked_.seed + repeat)});
    words.insert(words.end(), {"--out", place});
    runs_.push_back({"/proc/self/exe", std::move(words), place + ".log"});
    ends_.emplace_back(place, &speeds);
  }
  void run() {
    platforms::run_children(runs_, std::max(1U, std::thread::hardware_concurrency()));
    for (const auto& [place, speeds] : ends_) speeds->push_back(speed_of(place));
    runs_.clear();
    ends_.clear();
  }

 private:
  const WhatIf& asked_;
  bool cut_;
  Texts chance_;
  Draft scratch_ = Draft::scratch("strata-what-if");
  std::string folder_ =
      scratch_.path() + "/runs";  // runs lock the folder of their results; the draft is locked
  std::size_t number_ = 0;
  std::vector<platforms::ChildRun> runs_;
  std::vector<std::pair<std::string, std::vector<double>*>> ends_;
};

/// In the first run a relief that gains less than this part of the best is not the best by chance.
constexpr double worth_repeating = 0.5;

}  // namespace

void judge_reliefs(std::vector<Relief>& reliefs, const std::vector<double>& before) {
  const platforms::Sample all = platforms::sample_of(before);
  if (before.empty() || before.front() <= 0) return;
  const Relief* best = nullptr;
  for (Relief& relief : reliefs) {
    if (relief.speeds.size == 0) continue;
    const bool several = relief.speeds.size > 1;  // a single run is that of the first seed
    relief.faster = relief.speeds.mean / (several ? all.mean : before.front()) - 1;
    if (several) relief.half = *difference(all, relief.speeds).half / all.mean;
    if (best == nullptr || *relief.faster > *best->faster) best = &relief;
  }
  for (Relief& relief : reliefs)
    relief.as_best = &relief != best && relief.half && difference(relief.speeds, best->speeds).within_noise();
}

void measure_reliefs(std::vector<Relief>& reliefs, const WhatIf& asked, const platforms::RunCounts& run) {
  Trials trials(asked, run);
  std::vector<double> before;
  std::vector<std::vector<double>> speeds(reliefs.size());
  for (std::size_t i = 0; i < reliefs.size(); ++i) trials.add(reliefs[i].sets, 0, speeds[i]);
  if (trials.cut() || asked.runs > 1)
    trials.add({}, 0, before);
  else
    before.push_back(speed_of(run));
  trials.run();
  double most = 0;
  for (const std::vector<double>& one : speeds) most = std::max(most, one.front() - before.front());
  for (std::uint64_t repeat = 1; repeat < asked.runs; ++repeat) {
    trials.add({}, repeat, before);
    for (std::size_t i = 0; i < reliefs.size(); ++i)
      if (speeds[i].front() - before.front() >= worth_repeating * most)
        trials.add(reliefs[i].sets, repeat, speeds[i]);
  }
  if (asked.runs > 1) trials.run();
  for (std::size_t i = 0; i < reliefs.size(); ++i) reliefs[i].speeds = platforms::sample_of(speeds[i]);
  judge_reliefs(reliefs, before);
}

}  // namespace strata::cli
