#include "platforms/studies/sweep/sweep_comparison.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "platforms/report/compare_sentence.h"
#include "platforms/report/json_text.h"
#include "platforms/report/sample_statistics.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/sweep/sweep_store.h"
#include "platforms/studies/sweep/sweep_text.h"

namespace strata::platforms {
namespace {

using Texts = std::vector<std::string>;

/// A finished run.
struct Run {
  std::size_t point;
  int workload, seed;
  SweepConfiguration at;
  double log_time;
};

std::map<std::int64_t, double> figure_of(const Database& file, const std::string& name) {
  std::map<std::int64_t, double> values;
  Statement find = file.prepare(
      "SELECT point, value FROM figure_values JOIN names ON id = figure WHERE name = ? AND value NOTNULL");
  find.bind(name);
  while (find.step()) values[find.whole(0)] = find.real(1);
  return values;
}

const SweepDimension* find(const std::vector<SweepDimension>& dimensions, const std::string& key) {
  for (const SweepDimension& one : dimensions)
    if (one.key == key) return &one;
  return nullptr;
}

double mean_of(const std::vector<double>& values) {
  return sample_of(values).mean;
}

/// Mean and interval of logarithms of ratios, as ratios.
SpeedUp speed_up_of(const std::vector<double>& logs) {
  const Sample sample = sample_of(logs);
  SpeedUp result;
  result.ratio = std::exp(sample.mean);
  if (sample.half)
    result.half = (std::exp(sample.mean + *sample.half) - std::exp(sample.mean - *sample.half)) / 2;
  return result;
}

class Comparer {
 public:
  Comparer(const Database& file, const std::optional<std::string>& baseline) : points_(read_points(file)) {
    result_.name = sweep_meta(file, "name");
    for (const SweepDimension& one : points_.dimensions)
      if (one.values.size() > 1 && one.key != "workload" && one.key != "seed")
        result_.dimensions.push_back(one);
    if (result_.dimensions.empty())
      throw ConfigError(file.path() +
                        ": nothing but workloads and seeds varies, so that there is nothing to "
                        "compare; --pivot shows the figures of each");
    choose(baseline);
    read_runs(file);
    if (runs_.empty()) throw ConfigError(file.path() + ": no run is finished, or none has counted cycles");
  }

  SweepComparison compare() {
    along();
    speed_ups();
    best();
    variance();
    return std::move(result_);
  }

 private:
  Texts keys() const {
    Texts keys;
    for (const SweepDimension& one : result_.dimensions) keys.push_back(one.key);
    return keys;
  }
  void choose(const std::optional<std::string>& baseline) {
    const Texts known = keys();
    if (!baseline) {
      std::size_t first = 0;
      const auto is_set = [&](std::size_t d) { return known[d] != "platform" && known[d] != "variant"; };
      while (first + 1 < known.size() && !is_set(first)) ++first;
      if (!is_set(first) && known.back() != "variant") first = 0;
      result_.key = first;
      return;
    }
    result_.chosen = true;
    const std::size_t equals = baseline->find('=');
    if (equals == std::string::npos)
      throw ConfigError("--baseline: '" + *baseline + "' is not KEY=VALUE; the keys are " +
                        comma_list(known));
    const std::string key = baseline->substr(0, equals), value = baseline->substr(equals + 1);
    const auto at = std::find(known.begin(), known.end(), key);
    if (at == known.end())
      throw ConfigError("--baseline: '" + key + "' is no key with several values in this sweep" +
                        suggestion(key, known) + "; allowed: " + comma_list(known));
    result_.key = static_cast<std::size_t>(at - known.begin());
    const Texts& values = result_.dimensions[result_.key].values;
    const auto there = std::find(values.begin(), values.end(), value);
    if (there == values.end())
      throw ConfigError("--baseline: " + key + " has no value '" + value + "' in this sweep" +
                        suggestion(value, values) + "; allowed: " + comma_list(values));
    result_.value = static_cast<int>(there - values.begin());
  }

  /// Reads the runs. Runs that stop at a number of instructions differ by the last few, so their time is per
  /// instruction.
  void read_runs(const Database& file) {
    const auto cycles = figure_of(file, "cycles"), instructions = figure_of(file, "thread_instructions");
    const SweepDimension &workloads = *find(points_.dimensions, "workload"),
                         &seeds = *find(points_.dimensions, "seed");
    result_.workloads = workloads.values;
    result_.log_times.resize(points_.points.size());
    for (std::size_t i = 0; i < points_.points.size(); ++i) {
      const SweepPoints::Point& point = points_.points[i];
      const auto time = cycles.find(point.id);
      if (point.state != "done" || time == cycles.end() || time->second <= 0) continue;
      Run run{i, workloads.of[i], seeds.of[i], {}, std::log(time->second)};
      const auto work = instructions.find(point.id);
      if (point.arguments.find("--max-instructions") != std::string::npos && work != instructions.end() &&
          work->second > 0) {
        run.log_time -= std::log(work->second);
        result_.of_instructions = true;
      }
      result_.log_times[i] = run.log_time;
      for (const SweepDimension& one : result_.dimensions) run.at.push_back(one.of[i]);
      runs_.push_back(std::move(run));
    }
  }

  /// True if each value of `one` occurs with only one value of `other`.
  bool goes_with(std::size_t other, std::size_t one) const {
    std::map<int, int> value;
    for (const Run& run : runs_)
      if (value.emplace(run.at[one], run.at[other]).first->second != run.at[other]) return false;
    return true;
  }
  void along() {
    for (std::size_t d = 0; d < result_.dimensions.size(); ++d)
      if (d != result_.key && goes_with(d, result_.key)) result_.along.push_back(result_.dimensions[d].key);
  }
  bool is_along(std::size_t d) const {
    return std::find(result_.along.begin(), result_.along.end(), result_.dimensions[d].key) !=
           result_.along.end();
  }

  /// By value, workload, seed and combination of the other settings: each run against that of the baseline.
  void speed_ups() {
    const std::size_t values = result_.dimensions[result_.key].values.size(),
                      workloads = result_.workloads.size();
    using Rest = std::pair<std::pair<int, int>, SweepConfiguration>;
    const auto rest_of = [&](const Run& run) {
      SweepConfiguration rest = run.at;
      for (std::size_t d = 0; d < rest.size(); ++d)
        if (d == result_.key || is_along(d)) rest[d] = -1;
      return Rest{{run.workload, run.seed}, rest};
    };
    std::map<Rest, double> base;
    for (const Run& run : runs_)
      if (run.at[result_.key] == result_.value) base[rest_of(run)] = run.log_time;
    // Logarithms by seed and by combination.
    using Logs = std::map<int, std::vector<double>>;
    std::vector<std::vector<Logs>> by_seed(values, std::vector<Logs>(workloads));
    std::vector<std::vector<std::map<SweepConfiguration, std::vector<double>>>> by_rest(
        values, std::vector<std::map<SweepConfiguration, std::vector<double>>>(workloads));
    for (const Run& run : runs_) {
      if (run.at[result_.key] < 0) continue;
      const Rest rest = rest_of(run);
      const auto partner = base.find(rest);
      if (partner == base.end()) {
        ++result_.missing;
        continue;
      }
      const auto v = static_cast<std::size_t>(run.at[result_.key]),
                 w = static_cast<std::size_t>(run.workload);
      by_seed[v][w][run.seed].push_back(partner->second - run.log_time);
      by_rest[v][w][rest.second].push_back(partner->second - run.log_time);
    }
    result_.of.assign(workloads, std::vector<std::optional<SpeedUp>>(values));
    result_.all.assign(values, std::nullopt);
    for (std::size_t v = 0; v < values; ++v) {
      std::map<int, std::vector<double>> of_seed;  // means of workloads
      double least = 0, most = 0;
      std::size_t there = 0, combinations = 0;
      for (std::size_t w = 0; w < workloads; ++w) {
        if (by_seed[v][w].empty()) continue;
        std::vector<double> means, rests;
        for (const auto& [seed, logs] : by_seed[v][w]) {
          means.push_back(mean_of(logs));
          of_seed[seed].push_back(means.back());
        }
        for (const auto& [rest, logs] : by_rest[v][w]) rests.push_back(mean_of(logs));
        SpeedUp one = speed_up_of(means);
        const auto [low, high] = std::minmax_element(rests.begin(), rests.end());
        one.least = std::exp(*low);
        one.most = std::exp(*high);
        one.combinations = rests.size();
        least = there == 0 ? one.least : std::min(least, one.least);
        most = std::max(most, one.most);
        combinations = std::max(combinations, rests.size());
        ++there;
        result_.of[w][v] = one;
      }
      if (there < workloads) continue;  // the mean would cover other workloads than its neighbours
      std::vector<double> means;
      for (const auto& [seed, logs] : of_seed)
        if (logs.size() == workloads) means.push_back(mean_of(logs));
      if (means.empty()) continue;
      result_.all[v] = speed_up_of(means);
      result_.all[v]->least = least;
      result_.all[v]->most = most;
      result_.all[v]->combinations = combinations;
    }
  }

  using Times = std::map<std::pair<int, int>, double>;  // by workload and seed
  SweepComparison::Best best_of(const SweepConfiguration& configuration) const {
    SweepComparison::Best best{configuration, {}, {}};
    for (const Run& run : runs_)
      if (run.at == configuration)
        best.results[result_.workloads[static_cast<std::size_t>(run.workload)]].push_back(
            points_.points[run.point].results);
    return best;
  }
  /// `workload` -1: over all that the reference has; empty if one of them is missing.
  static std::optional<SpeedUp> over(const Times& reference, const Times& times, int workload) {
    std::map<int, std::vector<double>> of_seed;
    std::set<int> needed, there;
    for (const auto& [at, time] : reference) {
      if (workload >= 0 && at.first != workload) continue;
      needed.insert(at.first);
      const auto other = times.find(at);
      if (other == times.end()) continue;
      there.insert(at.first);
      of_seed[at.second].push_back(time - other->second);
    }
    if (needed.empty() || there != needed) return std::nullopt;
    std::vector<double> means;
    for (const auto& [seed, logs] : of_seed)
      if (logs.size() == needed.size()) means.push_back(mean_of(logs));
    if (means.empty()) return std::nullopt;
    return speed_up_of(means);
  }
  void best() {
    std::map<SweepConfiguration, Times> all;
    std::vector<SweepConfiguration> order;
    for (const Run& run : runs_) {
      if (all.count(run.at) == 0) order.push_back(run.at);
      all[run.at][{run.workload, run.seed}] = run.log_time;
    }
    result_.configurations = order.size();
    const auto reference = std::find_if(order.begin(), order.end(), [&](const SweepConfiguration& one) {
      return one[result_.key] == result_.value;
    });
    if (reference == order.end()) return;
    result_.reference = best_of(*reference);
    const auto fastest = [&](int workload) {
      std::optional<SweepComparison::Best> best;
      for (const SweepConfiguration& one : order) {
        const std::optional<SpeedUp> speed_up = over(all[*reference], all[one], workload);
        if (!speed_up || (best && speed_up->ratio <= best->speed_up.ratio)) continue;
        best = best_of(one);
        best->speed_up = *speed_up;
      }
      return best;
    };
    result_.best = fastest(-1);
    for (std::size_t w = 0; w < result_.workloads.size(); ++w)
      if (auto one = fastest(static_cast<int>(w))) {
        const int workload = static_cast<int>(w);
        const auto known =
            result_.best ? over(all[*reference], all[result_.best->configuration], workload) : std::nullopt;
        if (known && one->speed_up.ratio <= known->ratio) continue;
        const std::string& name = result_.workloads[w];
        one->results = {{name, one->results[name]}};
        result_.of_workload.push_back(std::move(*one));
      }
  }

  /// Sum over groups of their size times the square of their mean.
  template <class Key>
  double squares(const std::vector<double>& values, Key key) const {
    std::map<decltype(key(runs_.front())), std::pair<double, double>> sums;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      auto& [count, sum] = sums[key(runs_[i])];
      ++count;
      sum += values[i];
    }
    double all = 0;
    for (const auto& [group, of] : sums) all += of.second * of.second / of.first;
    return all;
  }
  void variance() {
    std::map<int, std::vector<double>> of_workload;
    for (const Run& run : runs_) of_workload[run.workload].push_back(run.log_time);
    std::vector<double> values;
    for (const Run& run : runs_) values.push_back(run.log_time - mean_of(of_workload[run.workload]));
    double all = 0;
    for (const double value : values) all += value * value;
    constexpr double nothing = 1e-18;  // rounding of logarithms
    if (all < nothing * static_cast<double>(runs_.size())) return;
    result_.variance = all / static_cast<double>(runs_.size());
    std::vector<bool> folded(result_.dimensions.size());
    std::size_t combinations = 1;
    double explained = 0;
    for (std::size_t d = 0; d < result_.dimensions.size(); ++d) {
      if (folded[d]) continue;
      SweepComparison::Share share;
      share.name = result_.dimensions[d].key;
      bool part_of_other = false;
      for (std::size_t other = 0; other < result_.dimensions.size(); ++other) {
        if (other == d || folded[other]) continue;
        if (goes_with(other, d)) {
          folded[other] = true;
          share.name += " with " + result_.dimensions[other].key;
        } else if (goes_with(d, other)) {
          part_of_other = true;
        }
      }
      if (part_of_other) continue;
      const auto level = [&](const Run& run) { return run.at[d]; };
      const double alike = squares(values, level);
      const double by_workload =
          squares(values, [&](const Run& run) { return std::make_pair(run.workload, run.at[d]); });
      share.alike = alike / all;
      share.apart = std::max(0.0, by_workload - alike) / all;
      std::map<int, std::vector<double>> of_level;
      for (std::size_t i = 0; i < runs_.size(); ++i) of_level[level(runs_[i])].push_back(values[i]);
      double best = 0, worst = 0;
      for (const auto& [value, logs] : of_level) {
        const double mean = mean_of(logs);
        const bool first = value == of_level.begin()->first;
        best = first ? mean : std::min(best, mean);
        worst = first ? mean : std::max(worst, mean);
      }
      share.range = std::exp(worst - best);
      combinations *= of_level.size();
      explained += share.alike + share.apart;
      result_.shares.push_back(std::move(share));
    }
    std::stable_sort(result_.shares.begin(), result_.shares.end(),
                     [](const auto& a, const auto& b) { return a.alike + a.apart > b.alike + b.apart; });
    const double of_configurations =
        squares(values, [](const Run& run) { return std::make_pair(run.workload, run.at); }) / all;
    result_.interactions = std::max(0.0, of_configurations - explained);
    result_.seeds = std::max(0.0, 1 - of_configurations);
    std::set<int> seeds;
    for (const Run& run : runs_) seeds.insert(run.seed);
    result_.complete = runs_.size() == combinations * result_.workloads.size() * seeds.size();
  }

  SweepPoints points_;
  std::vector<Run> runs_;
  SweepComparison result_;
};

}  // namespace

std::string SweepComparison::text_of(const SweepConfiguration& configuration) const {
  std::string text;
  for (std::size_t d = 0; d < dimensions.size() && d < configuration.size(); ++d)
    if (configuration[d] >= 0)
      text += (text.empty() ? "" : ", ") + (dimensions.size() == 1 ? "" : dimensions[d].key + " ") +
              dimensions[d].values[static_cast<std::size_t>(configuration[d])];
  return text;
}

bool has_alternatives(const std::string& path) {
  const SweepPoints points = read_points(open_sweep(path));
  return std::any_of(points.dimensions.begin(), points.dimensions.end(),
                     [](const SweepDimension& one) { return one.values.size() > 1 && one.key != "seed"; });
}

SweepComparison compare_sweep(const Database& file, const std::optional<std::string>& baseline) {
  return Comparer(file, baseline).compare();
}

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

constexpr std::size_t most_workload_lines = 6;

/// Short names of traces, whose paths and descriptions are long: the last part of a path; of longer names the
/// first and last characters, unless two names would be equal.
Texts short_names(const Texts& names) {
  constexpr std::size_t most = 28;
  Texts shorter;
  for (const std::string& name : names) {
    std::string text = name;
    if (text.size() > most && text.find(':') == std::string::npos && text.find('/') != std::string::npos) {
      fs::path path(text);
      if (!path.has_filename()) path = path.parent_path();
      text = path.filename().string();
    }
    if (text.size() > most) text = text.substr(0, most / 2) + "..." + text.substr(text.size() - most / 2 + 3);
    shorter.push_back(std::move(text));
  }
  return std::set<std::string>(shorter.begin(), shorter.end()).size() == shorter.size() ? shorter : names;
}

std::string ratio_text(double ratio) {
  return formatted(ratio < 10 ? "%.3fx" : "%.1fx", ratio);
}

std::string cell(const std::optional<SpeedUp>& speed_up) {
  if (!speed_up) return "-";
  const std::string ratio = ratio_text(speed_up->ratio);
  if (!speed_up->half || *speed_up->half <= 0) return ratio;
  constexpr double least = 0.0005;  // a thousandth rounded to three digits
  return ratio + (*speed_up->half < least ? " ± <0.001" : formatted(" ± %.3f", *speed_up->half));
}
std::string text_of(const SpeedUp& speed_up) {
  return cell(speed_up) + (speed_up.within_noise() && *speed_up.half > 0 ? ", within noise" : "");
}

const SweepDimension& key_of(const SweepComparison& of) {
  return of.dimensions[of.key];
}
std::string baseline_of(const SweepComparison& of) {
  return key_of(of).key + " " + key_of(of).values[static_cast<std::size_t>(of.value)];
}

/// Workloads as rows, values of the baseline's key as columns; for a single workload, one row per value.
std::vector<Texts> speed_up_rows(const SweepComparison& of) {
  const Texts& values = key_of(of).values;
  std::vector<std::size_t> others;
  for (std::size_t v = 0; v < values.size(); ++v)
    if (static_cast<int>(v) != of.value) others.push_back(v);
  const bool ranges =
      std::any_of(of.all.begin(), of.all.end(), [](const auto& one) { return one && one->combinations > 1; });
  const auto least = [](const std::optional<SpeedUp>& one) { return one ? ratio_text(one->least) : "-"; };
  const auto most = [](const std::optional<SpeedUp>& one) { return one ? ratio_text(one->most) : "-"; };
  std::vector<Texts> rows;
  if (of.workloads.size() == 1) {
    rows.push_back({key_of(of).key, "speed-up"});
    if (ranges) rows.back().insert(rows.back().end(), {"least", "most"});
    for (const std::size_t v : others) {
      rows.push_back({values[v], cell(of.all[v])});
      if (ranges) rows.back().insert(rows.back().end(), {least(of.all[v]), most(of.all[v])});
    }
    return rows;
  }
  const Texts names = short_names(of.workloads);
  rows.push_back({"workload"});
  for (const std::size_t v : others) rows.back().push_back(values[v]);
  const auto add = [&](const std::string& name, const std::vector<std::optional<SpeedUp>>& speed_ups,
                       auto text) {
    rows.push_back({name});
    for (const std::size_t v : others) rows.back().push_back(text(speed_ups[v]));
  };
  for (std::size_t w = 0; w < names.size(); ++w) add(names[w], of.of[w], cell);
  add("geometric mean", of.all, cell);
  if (ranges) {
    add("least", of.all, least);
    add("most", of.all, most);
  }
  return rows;
}

std::vector<Texts> share_rows(const SweepComparison& of) {
  const bool several = of.workloads.size() > 1;
  std::vector<Texts> rows = {{"what matters", several ? "alike in all workloads" : "share"}};
  if (several) rows.back().emplace_back("differs by workload");
  rows.back().emplace_back("best over worst value");
  for (const SweepComparison::Share& share : of.shares) {
    rows.push_back({share.name, percent(share.alike)});
    if (several) rows.back().push_back(percent(share.apart));
    rows.back().push_back(ratio_text(share.range));
  }
  if (of.shares.size() > 1) rows.push_back({"interactions", percent(of.interactions)});
  if (of.seeds > 1e-9) rows.push_back({"seeds", percent(of.seeds)});
  return rows;
}

std::string title(const SweepComparison& of) {
  return of.name + ": speed-up over " + baseline_of(of) +
         (of.chosen ? "" : ", the first value (--baseline KEY=VALUE chooses another)");
}

Texts notes(const SweepComparison& of) {
  Texts notes;
  if (!of.along.empty())
    notes.push_back("with " + key_of(of).key + " go the values of " + comma_list(of.along));
  std::size_t combinations = 0;
  for (const auto& one : of.all)
    if (one) combinations = std::max(combinations, one->combinations);
  if (combinations > 1) {
    Texts others;
    for (const SweepDimension& one : of.dimensions)
      if (one.key != key_of(of).key && std::find(of.along.begin(), of.along.end(), one.key) == of.along.end())
        others.push_back(one.key);
    notes.push_back("each is the geometric mean over " + std::to_string(combinations) + " combinations of " +
                    comma_list(others) + "; least and most are of one");
  }
  if (of.missing > 0)
    notes.push_back(std::to_string(of.missing) + " finished runs have no partner with " + baseline_of(of) +
                    " and are left out");
  notes.push_back(of.of_instructions
                      ? "runs end at a number of instructions: speed-up of instructions per core cycle"
                      : "speed-up in core cycles");
  return notes;
}

Texts best_lines(const SweepComparison& of) {
  Texts lines;
  if (!of.best) return lines;
  const auto line = [&](const SweepComparison::Best& best) {
    return of.text_of(best.configuration) +
           (best.configuration == of.reference.configuration
                ? ", the baseline itself"
                : ": " + text_of(best.speed_up) + " against " + of.text_of(of.reference.configuration));
  };
  const bool several = of.workloads.size() > 1;
  lines.push_back("best of " + std::to_string(of.configurations) +
                  (several ? ", over all workloads: " : ": ") + line(*of.best));
  const Texts names = short_names(of.workloads);
  std::size_t more = 0;
  for (const SweepComparison::Best& best : of.of_workload) {
    if (++more > most_workload_lines) continue;
    const auto at = std::find(of.workloads.begin(), of.workloads.end(), best.results.begin()->first);
    lines.push_back("best for " + names[static_cast<std::size_t>(at - of.workloads.begin())] + ": " +
                    line(best));
  }
  if (more > most_workload_lines)
    lines.push_back("and another best for " + std::to_string(more - most_workload_lines) +
                    " workloads: --json lists them");
  return lines;
}

/// The ledger's explanation of the best configuration, for each workload.
Texts why_lines(const SweepComparison& of, const std::string& folder) {
  Texts lines;
  if (!of.best || of.best->configuration == of.reference.configuration) return lines;
  const Texts names = short_names(of.workloads);
  for (std::size_t w = 0; w < of.workloads.size() && lines.size() < most_workload_lines; ++w) {
    const auto group = [&](const SweepComparison::Best& of_runs, std::vector<ComparedRun>& runs) {
      RunGroup all;
      const auto results = of_runs.results.find(of.workloads[w]);
      if (results == of_runs.results.end()) return all;
      Texts directories;
      for (const std::string& directory : results->second)
        directories.push_back((fs::path(folder) / directory).string());
      std::error_code ignored;
      for (const std::string& directory : directories)
        if (!fs::exists(directory, ignored)) return all;
      runs = read_runs(directories);
      for (ComparedRun& run : runs) {
        run.label = of.text_of(of_runs.configuration);
        run.stats.erase("partial");
        all.runs.push_back(&run);
      }
      return all;
    };
    std::vector<ComparedRun> before, after;
    const RunGroup from = group(of.reference, before), to = group(*of.best, after);
    if (from.runs.empty() || to.runs.empty()) continue;
    lines.push_back((names.size() > 1 ? names[w] + ", " : "") + difference_sentence(from, to));
  }
  return lines;
}

Json json_of(const std::optional<SpeedUp>& one) {
  if (!one) return nullptr;
  return {{"ratio", one->ratio},
          {"interval_half", one->half ? Json(*one->half) : Json(nullptr)},
          {"within_noise", one->half ? Json(one->within_noise()) : Json(nullptr)},
          {"least", one->least},
          {"most", one->most},
          {"combinations", one->combinations}};
}

Json json_of(const SweepComparison& of, const SweepComparison::Best& best) {
  Json json;
  for (std::size_t d = 0; d < best.configuration.size(); ++d)
    if (best.configuration[d] >= 0)
      json["configuration"][of.dimensions[d].key] =
          of.dimensions[d].values[static_cast<std::size_t>(best.configuration[d])];
  json["ratio"] = best.speed_up.ratio;
  json["interval_half"] = best.speed_up.half ? Json(*best.speed_up.half) : Json(nullptr);
  return json;
}

Json json_of(const SweepComparison& of, const Texts& why) {
  const Texts& values = key_of(of).values;
  Json json{{"sweep", of.name},
            {"baseline",
             {{"key", key_of(of).key},
              {"value", values[static_cast<std::size_t>(of.value)]},
              {"chosen", of.chosen}}},
            {"time", of.of_instructions ? "cycles per thread instruction" : "cycles"},
            {"notes", notes(of)}};
  json["speed_ups"] = Json::array();
  const auto add = [&](const Json& workload, const std::vector<std::optional<SpeedUp>>& speed_ups) {
    Json row{{"workload", workload}};
    for (std::size_t v = 0; v < values.size(); ++v) row["of"][values[v]] = json_of(speed_ups[v]);
    json["speed_ups"].push_back(std::move(row));
  };
  for (std::size_t w = 0; w < of.workloads.size(); ++w) add(of.workloads[w], of.of[w]);
  add(nullptr, of.all);
  json["configurations"] = of.configurations;
  json["best"] = of.best ? json_of(of, *of.best) : Json(nullptr);
  json["best_of_workload"] = Json::object();
  for (const SweepComparison::Best& best : of.of_workload)
    json["best_of_workload"][best.results.begin()->first] = json_of(of, best);
  json["variance"] = {{"of_log_time", of.variance}, {"complete", of.complete}};
  for (const SweepComparison::Share& share : of.shares)
    json["variance"]["dimensions"].push_back(
        {{"name", share.name}, {"alike", share.alike}, {"apart", share.apart}, {"range", share.range}});
  json["variance"]["interactions"] = of.interactions;
  json["variance"]["seeds"] = of.seeds;
  json["why"] = why;
  return json;
}

std::string lines_of(const Texts& lines, const char* before) {
  std::string text;
  for (const std::string& line : lines) text += before + line + "\n";
  return text;
}

std::string tables_of(const std::vector<Texts>& rows, bool markdown) {
  TextTable table;
  for (const Texts& row : rows) table.add(row);
  return markdown ? table.markdown() : table.fitted();
}

}  // namespace

VariedSettings varied_settings(const std::string& path) {
  const Database file = open_sweep(path);
  const SweepPoints points = read_points(file);
  VariedSettings settings;
  for (const SweepDimension& one : points.dimensions) {
    if (one.values.size() < 2 || one.key == "seed") continue;
    const Texts values = short_names(one.values);
    for (std::size_t i = 0; i < points.points.size(); ++i)
      if (points.points[i].state == "done" && one.of[i] >= 0)
        settings[(fs::path(file.path()).parent_path() / points.points[i].results).string()].emplace_back(
            one.key, values[static_cast<std::size_t>(one.of[i])]);
  }
  return settings;
}

std::vector<std::string> sweep_replies(const SweepComparison& comparison) {
  Texts answers = best_lines(comparison);
  std::string matters;
  for (const SweepComparison::Share& share : comparison.shares)
    matters += (matters.empty() ? "" : ", ") + share.name + " " + percent(share.alike + share.apart);
  if (!matters.empty()) answers.push_back("what matters, of the variance of the time: " + matters);
  return answers;
}

std::string sweep_comparison(const std::string& path, const std::optional<std::string>& baseline,
                             SweepFormat format) {
  const Database file = open_sweep(path);
  const SweepComparison of = compare_sweep(file, baseline);
  const Texts why = why_lines(of, fs::path(file.path()).parent_path().string());
  if (format == SweepFormat::json) return json_text(json_of(of, why)) + "\n";
  const bool markdown = format == SweepFormat::markdown;
  const char* const item = markdown ? "- " : "  ";
  std::string text = (markdown ? "**" + title(of) + "**\n" : title(of) + "\n");
  text += lines_of(notes(of), item) + "\n" + tables_of(speed_up_rows(of), markdown) + "\n";
  text += lines_of(best_lines(of), markdown ? "- " : "");
  if (of.shares.empty())
    text += "nothing that varies changes the time\n";
  else
    text += "\n" + tables_of(share_rows(of), markdown) +
            (of.complete ? ""
                         : std::string(markdown ? "\n" : "") +
                               "not every combination ran for every workload: shares may overlap\n");
  if (!why.empty()) text += "\n" + lines_of(why, markdown ? "- " : "");
  return text;
}

}  // namespace strata::platforms
