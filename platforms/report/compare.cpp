#include "platforms/report/compare.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/common/faults.h"
#include "platforms/report/json_text.h"
#include "platforms/report/results_files.h"
#include "platforms/report/results_reader.h"
#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Results {
  std::string directory;
  std::string label;
  Json stats;
};

struct Line {
  std::string name;
  std::string unit;
  std::vector<std::optional<double>> values;
};

Results read(const std::string& directory) {
  Results results{directory, {}, read_results(directory)};
  fs::path folder(directory);
  if (!folder.has_filename()) folder = folder.parent_path();
  results.label = folder.filename().string();
  return results;
}

std::vector<Results> read_all(const std::vector<std::string>& directories) {
  std::vector<Results> all;
  Faults faults;
  for (const std::string& directory : directories) {
    try {
      all.push_back(read(directory));
    } catch (const ConfigError& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
    }
  }
  if (!faults.empty()) throw ConfigError(faults);
  return all;
}

std::optional<double> number(const Json& json) {
  if (!json.is_number()) return std::nullopt;
  return json.get<double>();
}

std::vector<Line> summary_lines(const std::vector<Results>& all) {
  std::vector<Line> lines;
  for (const auto& [name, value] : all.front().stats["summary"].items()) {
    Line line{name, {}, {}};
    if (all.front().stats.contains("summary_units"))
      line.unit = all.front().stats["summary_units"].value(name, std::string());
    for (const Results& results : all)
      line.values.push_back(number(results.stats["summary"].value(name, Json())));
    lines.push_back(std::move(line));
  }
  return lines;
}

/// The rows of all ledgers of a group: those of the first, and behind them what others have besides.
std::vector<std::string> ledger_rows(const std::vector<Results>& all, const std::string& group) {
  std::vector<std::string> rows;
  for (const Results& results : all) {
    const Json cycles = results.stats["ledger"].value(group, Json::object()).value("cycles", Json::object());
    for (const auto& row : cycles.items())
      if (std::find(rows.begin(), rows.end(), row.key()) == rows.end()) rows.push_back(row.key());
  }
  return rows;
}

/// Mean cycles of an access by place, of one group; places where nobody spent cycles are left out.
std::vector<Line> ledger_lines(const std::vector<Results>& all, const std::string& group) {
  std::vector<Line> lines;
  for (const std::string& row : ledger_rows(all, group)) {
    Line line{row, "cycles per access", {}};
    bool any = false;
    for (const Results& results : all) {
      const Json sums = results.stats["ledger"].value(group, Json::object());
      const auto accesses = number(sums.value("accesses", Json()));
      const auto spent = number(sums.value("cycles", Json::object()).value(row, Json()));
      any = any || spent.value_or(0) > 0;
      line.values.push_back(accesses && spent && *accesses > 0 ? std::optional<double>(*spent / *accesses)
                                                               : std::nullopt);
    }
    if (any) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> warnings(const std::vector<Results>& all) {
  std::vector<std::string> texts;
  for (const Results& results : all)
    if (results.stats.value("partial", false))
      texts.push_back(results.directory + " is partial (" +
                      json_text(results.stats.value("reason", Json()), -1) +
                      "): its totals do not cover the whole trace");
  const Json& first = all.front().stats["run"];
  for (const Results& results : all)
    for (const Json& gap : results.stats.value("summary_gaps", Json::array()))
      texts.push_back(results.directory + ": " + gap.get<std::string>());
  for (const Results& results : all) {
    for (const char* key : {"trace", "strata_version", "seed", "max_instructions"}) {
      const Json here = results.stats["run"].value(key, Json());
      const Json there = first.value(key, Json());
      if (here == there) continue;
      texts.push_back(std::string(key) + " differs: " + json_text(there, -1) + " in " +
                      all.front().directory + ", " + json_text(here, -1) + " in " + results.directory);
    }
  }
  return texts;
}

std::string shown(const std::optional<double>& value) {
  if (!value) return "-";
  if (*value == std::floor(*value) && std::fabs(*value) < 1e15 && *value >= 0)
    return grouped(static_cast<std::uint64_t>(*value));
  return rounded(*value);
}

std::string difference(const std::optional<double>& base, const std::optional<double>& value) {
  if (!base || !value) return "-";
  if (*base == *value) return "=";
  if (*base == 0) return "new";
  const double share = 100 * (*value / *base - 1);
  return (share > 0 ? "+" : "") + rounded(share, 3) + " %";
}

void add_lines(TextTable& table, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    std::vector<std::string> cells = {line.name};
    for (std::size_t i = 0; i < line.values.size(); ++i) {
      cells.push_back(shown(line.values[i]));
      if (i > 0) cells.push_back(difference(line.values.front(), line.values[i]));
    }
    table.add(std::move(cells));
  }
}

std::vector<std::string> header(const std::vector<Results>& all, const std::string& first) {
  std::vector<std::string> cells = {first};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool partial = all[i].stats.value("partial", false);
    cells.push_back(all[i].label + (partial ? " (partial)" : ""));
    if (i > 0) cells.push_back("change");
  }
  return cells;
}

}  // namespace

std::string compare_text(const std::vector<std::string>& directories) {
  const std::vector<Results> all = read_all(directories);
  std::string out;
  for (const std::string& warning : warnings(all)) out += "warning: " + warning + "\n";
  if (!out.empty()) out += "\n";
  TextTable table;
  table.add(header(all, "summary"));
  add_lines(table, summary_lines(all));
  for (int g = 0; g < LedgerTotals::group_count; ++g) {
    const std::string group(group_name(g));
    const std::vector<Line> lines = ledger_lines(all, group);
    if (lines.empty()) continue;
    table.add({});
    table.add(header(all, group + ", cycles per access"));
    add_lines(table, lines);
  }
  return out + table.text("");
}

std::string compare_json(const std::vector<std::string>& directories) {
  const std::vector<Results> all = read_all(directories);
  Json json;
  for (const Results& results : all)
    json["results"].push_back({{"directory", results.directory},
                               {"platform", results.stats["run"].value("platform", Json())},
                               {"trace", results.stats["run"].value("trace", Json())},
                               {"partial", results.stats.value("partial", false)},
                               {"digest", results.stats.value("digest", Json())}});
  json["warnings"] = warnings(all);
  const auto put = [&](Json& to, const std::vector<Line>& lines) {
    to = Json::object();
    for (const Line& line : lines) {
      Json values = Json::array();
      Json changes = Json::array();
      for (const auto& value : line.values) {
        values.push_back(value ? Json(*value) : Json(nullptr));
        const auto& base = line.values.front();
        changes.push_back(value && base && *base != 0 ? Json(*value / *base - 1) : Json(nullptr));
      }
      to[line.name] = {{"unit", line.unit}, {"values", values}, {"relative_change", changes}};
    }
  };
  put(json["summary"], summary_lines(all));
  for (int g = 0; g < LedgerTotals::group_count; ++g) {
    const std::string group(group_name(g));
    put(json["ledger"][group], ledger_lines(all, group));
  }
  return json_text(json);
}

}  // namespace strata::platforms
