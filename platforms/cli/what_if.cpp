#include "platforms/cli/what_if.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/io/draft.h"
#include "platforms/engine/netlist/launch_jitter.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/engine/session/children.h"
#include "platforms/engine/session/interrupt_watch.h"
#include "platforms/report/results_reader.h"
#include "platforms/report/text_table.h"

namespace strata::cli {

namespace {

using platforms::ResolvedGroup;
using platforms::ResolvedNetlist;
using platforms::ResourceLoad;
using Texts = std::vector<std::string>;

constexpr const char sampling[] = "--what-if-launches";

/// A changed value: `64` or `48 KiB` multiplied or divided by the number of the change. Empty: it does not
/// divide evenly.
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

/// The settings of a relaxation. Empty: part of it cannot be set.
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

/// Settings for all groups of the role that have a resource of the name: both ends of a link are equally
/// wide.
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

/// The arguments of a run without options that only say where results go or what else is shown.
Texts same_work(const Texts& arguments, bool seeded) {
  const Texts alone = {"--quiet",     "--what-if",  "--energy", "--by-kernel",
                       "--by-launch", "--progress", "--live"};
  Texts with_value = {"--out",
                      "--what-if-runs",
                      "--what-if-launches",
                      "--observe",
                      "--timeline",
                      "--timeline-window",
                      "--timeline-address",
                      "--timeline-fraction",
                      "--timeline-limit",
                      "--dram-requests",
                      "--dram-requests-format"};
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

/// Results of one run.
struct Trial {
  std::uint64_t repeat = 0;
  double speed = 0;              ///< work per cycle; 1 in place of instructions if there are none
  double instructions = 0;       ///< thread instructions
  std::vector<double> launches;  ///< cycles of each launch, if they are a sample
};

double speed_of(double instructions, double cycles) {
  return cycles <= 0 ? 0 : (instructions > 0 ? instructions : 1) / cycles;
}

Trial trial_of(const std::string& directory, std::uint64_t repeat, bool sampled) {
  const auto stats = platforms::read_results(directory);
  Trial trial;
  trial.repeat = repeat;
  const auto instructions = stats.at("summary").find("thread_instructions");  // traffic generators have none
  if (instructions != stats.at("summary").end() && instructions->is_number())
    trial.instructions = instructions->get<double>();
  trial.speed = speed_of(trial.instructions, platforms::required_figure(stats, directory, "cycles"));
  if (!sampled) return trial;
  for (const platforms::LaunchTime& launch :
       platforms::launch_times(read_input(directory + "/kernels.csv"), sampling))
    trial.launches.push_back(launch.cycles);
  return trial;
}

Trial trial_of(const platforms::RunCounts& run) {
  const auto instructions = static_cast<double>(sum_of(run.tables, Role::sm, "thread_instructions"));
  return {0, speed_of(instructions, static_cast<double>(run.cycles)), instructions, {}};
}

void check_sampling(const Arguments& options) {
  for (const char* other : {"max-instructions", "kernels", "launches", "what-if-runs"})
    if (options.has(other))
      throw ConfigError(std::string(sampling) + ": takes launches of the whole run; leave --" + other +
                        " away");
}

}  // namespace

WhatIf what_if_of(const Arguments& options, const Texts& arguments) {
  constexpr std::uint64_t most_runs = 1000;
  WhatIf asked;
  if (options.has("what-if")) asked.arguments = arguments;
  asked.say = !options.has("quiet");
  for (const char* more : {"what-if-runs", "what-if-launches"})
    if (options.has(more) && !options.has("what-if"))
      throw ConfigError(std::string("--") + more + ": applies only with --what-if");
  if (options.has("what-if-launches")) {
    asked.launches = whole_number("what-if-launches", options.get<std::string>("what-if-launches"), 2);
    check_sampling(options);
  }
  if (!options.has("what-if-runs")) return asked;
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

/// `0,5,9`
std::string list_of(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

/// Runs of several machines, and their results.
class Trials {
 public:
  Trials(const WhatIf& asked, const platforms::RunCounts& run, std::vector<std::uint64_t> launches)
      : asked_(asked), launches_(std::move(launches)) {
    std::filesystem::create_directory(folder_);
    if (asked.runs > 1) chance_ = platforms::seed_use(run.netlist, false).sets;
  }

  /// Adds run number `repeat` of the machine with these settings. Its result goes to `trials`, in the order
  /// of the runs.
  void add(const Texts& sets, std::uint64_t repeat, std::vector<Trial>& trials) {
    const std::string place = folder_ + "/" + std::to_string(number_++);
    Texts words = same_work(asked_.arguments, asked_.runs > 1);
    for (const Texts* some : std::initializer_list<const Texts*>{&sets, &chance_})
      for (const std::string& set : *some) words.insert(words.end(), {"--set", set});
    if (!launches_.empty()) words.insert(words.end(), {"--launches", list_of(launches_)});
    if (asked_.runs > 1) words.insert(words.end(), {"--seed", std::to_string(asked_.seed + repeat)});
    words.insert(words.end(), {"--out", place});
    runs_.push_back({"/proc/self/exe", std::move(words), place + ".log"});
    ends_.push_back({place, &trials, repeat, false});
  }
  std::size_t waiting() const { return runs_.size(); }
  static unsigned jobs() { return std::max(1U, std::thread::hardware_concurrency()); }

  /// Runs until a signal comes. The trials of a machine end at the first that did not finish.
  void run() {
    done_ = 0;
    began_ = drawn_ = Clock::now();
    platforms::run_children(
        runs_, jobs(), [&](std::size_t number) { ends_[number].well = true, ++done_; },
        [&] {
          if (asked_.progress) draw();
          return !platforms::InterruptWatch::requested();
        });
    if (drawn_ != began_) std::cerr << "\r\x1b[K" << std::flush;
    for (const End& end : ends_)
      if (end.well) end.trials->push_back(trial_of(end.place, end.repeat, !launches_.empty()));
    if (platforms::InterruptWatch::requested()) interrupted_ = platforms::InterruptWatch::signal_name();
    runs_.clear();
    ends_.clear();
  }
  const std::string& interrupted() const { return interrupted_; }

 private:
  struct End {
    std::string place;
    std::vector<Trial>* trials;
    std::uint64_t repeat;
    bool well;
  };
  using Clock = std::chrono::steady_clock;

  /// Draws after two seconds, and then at most twice a second.
  void draw() {
    const auto now = Clock::now();
    if (now - began_ < std::chrono::seconds(2) || now - drawn_ < std::chrono::milliseconds(500)) return;
    drawn_ = now;
    const double seconds = std::chrono::duration<double>(now - began_).count();
    std::string text =
        "\rwhat if: " + std::to_string(done_) + " of " + std::to_string(runs_.size()) + " runs";
    if (done_ != 0)
      text += ", about " +
              platforms::rounded(
                  seconds * static_cast<double>(runs_.size() - done_) / static_cast<double>(done_), 2) +
              " s left";
    std::cerr << text << "\x1b[K" << std::flush;
  }

  const WhatIf& asked_;
  std::vector<std::uint64_t> launches_;  ///< empty: all
  Texts chance_;
  Draft scratch_ = Draft::scratch("strata-what-if");
  std::string folder_ =
      scratch_.path() + "/runs";  // a run locks its results folder; the draft itself is locked
  std::size_t number_ = 0, done_ = 0;
  Clock::time_point began_, drawn_;
  std::vector<platforms::ChildRun> runs_;
  std::vector<End> ends_;
  std::string interrupted_;
};

/// A relaxation that gains less than this part of the best gain in the first run is not the best by chance.
constexpr double worth_repeating = 0.5;

platforms::Sample speeds_of(const std::vector<Trial>& trials) {
  std::vector<double> speeds;
  Texts seeds;
  for (const Trial& trial : trials) {
    speeds.push_back(trial.speed);
    seeds.push_back(std::to_string(trial.repeat));
  }
  return platforms::sample_of(speeds, seeds);
}

/// Relaxations to run again: those that gained most in the first run. The others are known well enough.
std::vector<bool> worth_more(const std::vector<std::vector<Trial>>& trials, const Trial& before) {
  double most = 0;
  for (const auto& one : trials)
    if (!one.empty()) most = std::max(most, one.front().speed - before.speed);
  std::vector<bool> worth;
  for (const auto& one : trials)
    worth.push_back(!one.empty() && one.front().speed - before.speed >= worth_repeating * most);
  return worth;
}

void judge_sample(std::vector<Relief>& reliefs, const platforms::LaunchSample& sample, const Trial& before,
                  const std::vector<std::vector<Trial>>& trials) {
  for (std::size_t i = 0; i < reliefs.size(); ++i) {
    if (trials[i].empty()) continue;
    const auto gain = platforms::sampled_gain(sample, before.launches, trials[i].front().launches);
    reliefs[i].faster = gain.faster;
    reliefs[i].half = gain.half;
  }
}

/// Announces a long measurement before it begins. `seconds`: duration of the whole run.
void announce(const WhatIf& asked, std::size_t runs, double seconds, const Measured& measured) {
  constexpr double long_time = 10;
  double all = std::ceil(static_cast<double>(runs) / Trials::jobs()) * seconds;
  if (measured.sampled())
    all *= static_cast<double>(measured.launches) / static_cast<double>(measured.of_launches);
  if (!asked.say || all < long_time) return;
  std::cerr << "strata: --what-if: " << runs << " runs, " << Trials::jobs() << " at a time: about "
            << platforms::rounded(all, 2) << " s; Ctrl-C keeps the gains measured so far"
            << (measured.of_launches > 2 && !measured.sampled()
                    ? std::string(", ") + sampling + " N runs N launches of each kernel"
                    : std::string())
            << std::endl;
}

}  // namespace

void judge_reliefs(std::vector<Relief>& reliefs, const platforms::Sample& before) {
  if (before.values.empty() || before.values.front() <= 0) return;
  const Relief* best = nullptr;
  for (Relief& relief : reliefs) {
    if (relief.speeds.size == 0) continue;
    const bool several = relief.speeds.size > 1;  // a single run has the first seed
    relief.faster = relief.speeds.mean / (several ? before.mean : before.values.front()) - 1;
    if (several) {
      const platforms::Difference change = difference(before, relief.speeds);
      if (change.half) relief.half = *change.half / before.mean;
    }
    if (best == nullptr || *relief.faster > *best->faster) best = &relief;
  }
  for (Relief& relief : reliefs)
    relief.as_best = &relief != best && relief.half && difference(relief.speeds, best->speeds).within_noise();
}

Measured measure_reliefs(std::vector<Relief> reliefs, const WhatIf& asked, const platforms::RunCounts& run,
                         const std::string& kernels_csv, double seconds) {
  Measured measured;
  measured.reliefs = std::move(reliefs);
  const Trial whole = trial_of(run);
  measured.instructions = measured.of_instructions = whole.instructions;
  measured.launches = measured.of_launches =
      static_cast<std::uint64_t>(std::count(kernels_csv.begin(), kernels_csv.end(), '\n'));
  if (measured.launches != 0) --measured.launches, --measured.of_launches;  // skips the column names
  platforms::LaunchSample sample;
  if (asked.launches != 0) {
    sample = platforms::sample_launches(platforms::launch_times(kernels_csv, sampling), asked.launches);
    measured.launches = sample.numbers.size();
  }
  const bool sampled = measured.sampled();
  Trials trials(asked, run, sampled ? sample.numbers : std::vector<std::uint64_t>());
  std::vector<Trial> before;
  std::vector<std::vector<Trial>> after(measured.reliefs.size());
  if (sampled || asked.runs > 1)
    trials.add({}, 0, before);
  else
    before.push_back(whole);
  for (std::size_t i = 0; i < after.size(); ++i) trials.add(measured.reliefs[i].sets, 0, after[i]);
  announce(asked, trials.waiting() * asked.runs, seconds, measured);
  trials.run();
  if (sampled && !before.empty()) measured.instructions = before.front().instructions;
  if (asked.runs > 1 && !before.empty() && trials.interrupted().empty()) {
    const std::vector<bool> worth = worth_more(after, before.front());
    for (std::uint64_t repeat = 1; repeat < asked.runs; ++repeat) {
      trials.add({}, repeat, before);
      for (std::size_t i = 0; i < after.size(); ++i)
        if (worth[i]) trials.add(measured.reliefs[i].sets, repeat, after[i]);
    }
    trials.run();
  }
  measured.interrupted = trials.interrupted();
  if (before.empty()) return measured;
  if (sampled) {
    judge_sample(measured.reliefs, sample, before.front(), after);
    return measured;
  }
  for (std::size_t i = 0; i < after.size(); ++i) measured.reliefs[i].speeds = speeds_of(after[i]);
  judge_reliefs(measured.reliefs, speeds_of(before));
  return measured;
}

namespace {

bool has(const Relief& relief, const std::string& name) {
  return std::find(relief.resources.begin(), relief.resources.end(), name) != relief.resources.end();
}

/// The busiest resource that a relaxation increases, unless the rule names another of them.
platforms::Verdict::Measure measure_of(const platforms::Verdict& verdict, const Relief& relief,
                                       const platforms::RunCounts& run) {
  platforms::Verdict::Measure one{relief.resources.front(), "", *relief.faster, relief.half};
  for (auto load = verdict.ranking.rbegin(); load != verdict.ranking.rend(); ++load)
    if (has(relief, load->name())) one.name = load->name();
  if (has(relief, verdict.relief)) one.name = verdict.relief;
  for (const platforms::ResourceLoad& load : platforms::resource_loads(run))
    if (load.name() == one.name) one.words = platforms::relief_words(load);
  return one;
}

}  // namespace

void note_measured(platforms::Verdict& verdict, const std::vector<Relief>& reliefs,
                   const platforms::RunCounts& run) {
  const Relief *best = nullptr, *named = nullptr;
  for (const Relief& relief : reliefs) {
    if (!relief.faster) continue;
    if (best == nullptr || *relief.faster > *best->faster) best = &relief;
    if (has(relief, verdict.relief) && (named == nullptr || *relief.faster > *named->faster)) named = &relief;
  }
  if (best == nullptr) return;
  verdict.measured = {measure_of(verdict, *best, run)};
  if (named != nullptr && named != best) verdict.measured.push_back(measure_of(verdict, *named, run));
}

}  // namespace strata::cli
