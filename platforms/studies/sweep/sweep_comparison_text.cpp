// The text and tables of a sweep's comparison.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "platforms/report/compare_sentence.h"
#include "platforms/report/json_text.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/sweep/sweep_comparison.h"
#include "platforms/studies/sweep/sweep_results.h"

namespace strata::platforms {
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
