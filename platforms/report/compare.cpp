#include "platforms/report/compare.h"

#include <algorithm>
#include <cmath>

#include "platforms/report/compare_sentence.h"
#include "platforms/report/json_text.h"
#include "platforms/report/results_files.h"
#include "platforms/report/run_groups.h"
#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

/// Values of one figure, per group; empty if a group lacks it.
struct Line {
  std::string name;
  std::string unit;
  std::vector<std::optional<Sample>> samples;
};

std::vector<Line> summary_lines(const std::vector<RunGroup>& groups) {
  std::vector<Line> lines;
  const Json& first = groups.front().first().stats;
  for (const auto& [name, value] : first["summary"].items()) {
    Line line{name, {}, {}};
    if (first.contains("summary_units")) line.unit = first["summary_units"].value(name, std::string());
    for (const RunGroup& group : groups) line.samples.push_back(group.sample(name));
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Mean cycles of an access by place, for one group of accesses; places without cycles are left out.
std::vector<Line> ledger_lines(const std::vector<RunGroup>& groups, const std::string& accesses) {
  std::vector<Line> lines;
  for (const std::string& row : ledger_rows(groups, accesses)) {
    Line line{row, "cycles per access", {}};
    bool any = false;
    for (const RunGroup& group : groups) {
      line.samples.push_back(group.ledger(accesses, row));
      any = any || (line.samples.back() && line.samples.back()->mean > 0);
    }
    if (any) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> warnings(const std::vector<RunGroup>& groups) {
  std::vector<std::string> texts;
  for (const RunGroup& group : groups)
    for (const ComparedRun* run : group.runs)
      if (run->partial())
        texts.push_back(run->directory + " is partial (" + json_text(run->stats.value("reason", Json()), -1) +
                        "): its totals do not cover the whole trace");
  for (const RunGroup& group : groups)
    for (const ComparedRun* run : group.runs)
      for (const Json& gap : run->stats.value("summary_gaps", Json::array()))
        texts.push_back(run->directory + ": " + gap.get<std::string>());
  const ComparedRun& first = groups.front().first();
  for (const RunGroup& group : groups)
    for (const char* key : {"trace", "strata_version", "seed", "max_instructions"}) {
      const Json here = group.first().stats["run"].value(key, Json());
      const Json there = first.stats["run"].value(key, Json());
      const bool several = group.runs.size() > 1 || groups.front().runs.size() > 1;
      if (here == there ||
          (several && std::string(key) != "strata_version" && std::string(key) != "max_instructions"))
        continue;
      texts.push_back(std::string(key) + " differs: " + json_text(there, -1) + " in " + first.directory +
                      ", " + json_text(here, -1) + " in " + group.first().directory);
    }
  return texts;
}

std::string shown(const std::optional<Sample>& sample) {
  return sample ? sample_text(*sample) : "-";
}

std::string change(const std::optional<Sample>& from, const std::optional<Sample>& to, bool colours) {
  if (!from || !to) return "-";
  const std::string text = change_text(*from, *to);
  if (!colours || text == "=") return text;
  const Difference difference = platforms::difference(*from, *to);
  const char *const dim = "\x1b[2m", *const more = "\x1b[1;36m", *const less = "\x1b[1;33m";
  return (difference.within_noise() ? dim : difference.value > 0 ? more : less) + text + "\x1b[0m";
}

void add_lines(TextTable& table, const std::vector<Line>& lines, bool colours) {
  for (const Line& line : lines) {
    std::vector<std::string> cells = {line.name};
    for (std::size_t i = 0; i < line.samples.size(); ++i) {
      cells.push_back(shown(line.samples[i]));
      if (i > 0) cells.push_back(change(line.samples.front(), line.samples[i], colours));
    }
    table.add(std::move(cells));
  }
}

std::vector<std::string> header(const std::vector<RunGroup>& groups, const std::string& first) {
  std::vector<std::string> cells = {first};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    cells.push_back(groups[i].label());
    if (i > 0) cells.push_back("change");
  }
  return cells;
}

TextTable table_of(const std::vector<RunGroup>& groups, bool colours) {
  TextTable table;
  table.add(header(groups, "summary"));
  add_lines(table, summary_lines(groups), colours);
  for (int g = 0; g < LedgerTotals::group_count; ++g) {
    const std::string accesses(group_name(g));
    const std::vector<Line> lines = ledger_lines(groups, accesses);
    if (lines.empty()) continue;
    table.add({});
    table.add(header(groups, accesses + ", cycles per access"));
    add_lines(table, lines, colours);
  }
  return table;
}

std::string sentences(const std::vector<RunGroup>& groups) {
  std::string text;
  for (std::size_t i = 1; i < groups.size(); ++i)
    text += difference_sentence(groups.front(), groups[i]) + "\n";
  return text;
}

/// How the intervals of changes were computed, if runs form pairs.
std::string pairs_note(const std::vector<RunGroup>& groups) {
  std::string names;
  const auto first = groups.front().sample("cycles");
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const auto sample = groups[i].sample("cycles");
    if (first && sample && are_pairs(*first, *sample))
      names += (names.empty() ? "" : ", ") + groups[i].label();
  }
  return names.empty() ? names : "runs of equal seeds are compared as pairs: " + names + "\n";
}

Json json_of(const std::vector<Line>& lines) {
  Json json = Json::object();
  for (const Line& line : lines) {
    Json values = Json::array(), changes = Json::array(), halves = Json::array(), noise = Json::array(),
         change_halves = Json::array(), paired = Json::array();
    for (const auto& sample : line.samples) {
      const auto& base = line.samples.front();
      const bool both = sample && base;
      values.push_back(sample ? Json(sample->mean) : Json(nullptr));
      halves.push_back(sample && sample->half ? Json(*sample->half) : Json(nullptr));
      changes.push_back(both && base->mean != 0 ? Json(sample->mean / base->mean - 1) : Json(nullptr));
      const Difference change = both ? difference(*base, *sample) : Difference{};
      noise.push_back(change.half ? Json(change.within_noise()) : Json(nullptr));
      change_halves.push_back(change.half && base->mean != 0 ? Json(*change.half / std::fabs(base->mean))
                                                             : Json(nullptr));
      paired.push_back(change.paired);
    }
    json[line.name] = {{"unit", line.unit},
                       {"values", values},
                       {"interval_halves", halves},
                       {"relative_change", changes},
                       {"relative_change_halves", change_halves},
                       {"paired", paired},
                       {"within_noise", noise}};
  }
  return json;
}

}  // namespace

std::string compare_text(const std::vector<std::string>& directories, bool colours) {
  const std::vector<ComparedRun> runs = read_runs(directories);
  const std::vector<RunGroup> groups = group_runs(runs);
  std::string out;
  for (const std::string& warning : warnings(groups)) out += "warning: " + warning + "\n";
  if (!out.empty()) out += "\n";
  out += table_of(groups, colours).fitted();
  return groups.size() < 2 ? out : out + "\n" + sentences(groups) + pairs_note(groups);
}

std::string compare_markdown(const std::vector<std::string>& directories) {
  const std::vector<ComparedRun> runs = read_runs(directories);
  const std::vector<RunGroup> groups = group_runs(runs);
  const std::string text = table_of(groups, false).markdown();
  return groups.size() < 2 ? text : text + "\n" + sentences(groups) + pairs_note(groups);
}

std::string compare_json(const std::vector<std::string>& directories) {
  const std::vector<ComparedRun> runs = read_runs(directories);
  const std::vector<RunGroup> groups = group_runs(runs);
  Json json;
  for (const RunGroup& group : groups) {
    const Json& stats = group.first().stats;
    json["results"].push_back({{"directory", group.first().directory},
                               {"platform", stats["run"].value("platform", Json())},
                               {"trace", stats["run"].value("trace", Json())},
                               {"partial", group.first().partial()},
                               {"digest", stats.value("digest", Json())}});
    for (const ComparedRun* run : group.runs) json["results"].back()["runs"].push_back(run->directory);
  }
  json["warnings"] = warnings(groups);
  json["sentences"] = Json::array();
  for (std::size_t i = 1; i < groups.size(); ++i)
    json["sentences"].push_back(difference_sentence(groups.front(), groups[i]));
  json["summary"] = json_of(summary_lines(groups));
  for (int g = 0; g < LedgerTotals::group_count; ++g) {
    const std::string accesses(group_name(g));
    json["ledger"][accesses] = json_of(ledger_lines(groups, accesses));
  }
  return json_text(json);
}

}  // namespace strata::platforms
