#include "platforms/studies/sweep/run_rows.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "models/common/faults.h"
#include "models/common/ledger_places.h"
#include "platforms/engine/pool/run_identity.h"
#include "platforms/report/results_reader.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const std::set<std::string> host_figures = {"cpu_seconds", "process_cpu_seconds", "wall_seconds",
                                            "round_trips_per_cpu_second", "peak_rss_bytes"};

double host(const Json& summary, const char* name) {
  const auto at = summary.find(name);
  return at != summary.end() && at->is_number() ? at->get<double>() : 0.0;
}

void add_figures(const Json& summary, const std::string& prefix, RunRows& rows) {
  for (const auto& [name, value] : summary.items()) {
    if (host_figures.count(name) != 0) continue;
    rows.figures[prefix + name] =
        value.is_number() ? std::optional<double>(value.get<double>()) : std::nullopt;
  }
}

/// MODULE.COUNTER, summed over the instances.
void add_counters(const Json& instances, RunRows& rows) {
  for (const Json& block : instances) {
    const auto counters = block.find("counters");
    if (counters == block.end()) continue;
    const std::string module = block["module"].get<std::string>() + ".";
    for (const auto& [name, value] : counters->items()) {
      std::optional<double>& sum = rows.figures[module + name];
      sum = sum.value_or(0) + value.get<double>();
    }
  }
}

void add_ledger(const Json& ledger, RunRows& rows) {
  for (const auto& [group, of] : ledger.items()) {
    rows.figures[group + ".accesses"] = of["accesses"].get<double>();
    rows.figures[group + ".latency"] = of["latency"].get<double>();
    for (const auto& [row, cycles] : of["cycles"].items()) {
      if (cycles == 0) continue;
      const PlaceName name = split_place(row);
      rows.ledger.push_back({group, std::string(name.place), std::string(name.cause), cycles.get<double>()});
    }
  }
}

std::uint64_t bytes_in(const std::string& directory) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    bytes += entry->file_size(error);
  return bytes;
}

}  // namespace

RunRows read_run_rows(const std::string& directory) {
  const Json stats = read_results_without_verdict(directory);
  if (!came_to_its_end(stats)) throw ConfigError(directory + ": no results of a finished run");
  const Json &run = stats["run"], &summary = stats["summary"];
  RunRows rows;
  rows.version = run.value("strata_version", std::string());
  rows.digest = stats["digest"].get<std::string>();
  rows.started =
      run.contains("started") && run["started"].is_string() ? run["started"].get<std::string>() : "";
  rows.cpu_seconds = host(summary, "process_cpu_seconds");
  rows.wall_seconds = host(summary, "wall_seconds");
  rows.peak_rss_bytes = host(summary, "peak_rss_bytes");
  rows.bytes = bytes_in(directory);
  add_figures(summary, "", rows);
  if (stats.contains("applications")) {
    int number = 0;
    for (const Json& application : stats["applications"])
      add_figures(application["summary"], "application" + std::to_string(number++) + ".", rows);
  }
  if (stats.contains("summary_units"))
    for (const auto& [name, unit] : stats["summary_units"].items())
      if (host_figures.count(name) == 0) rows.units.emplace(name, unit.get<std::string>());
  add_counters(stats["instances"], rows);
  add_ledger(stats["ledger"], rows);
  std::sort(rows.ledger.begin(), rows.ledger.end(), [](const RunRows::Cycles& a, const RunRows::Cycles& b) {
    return std::tie(a.accesses, a.place, a.cause) < std::tie(b.accesses, b.place, b.cause);
  });
  return rows;
}

RunTables::RunTables(Database& database)
    : remove_figures_(database.prepare("DELETE FROM figure_values WHERE point = ?")),
      remove_ledger_(database.prepare("DELETE FROM ledger WHERE point = ?")),
      point_(
          database.prepare("UPDATE points SET state = 'done', message = NULL, results = ?, version = ?, "
                           "digest = ?, started = ?, cpu_seconds = ?, wall_seconds = ?, peak_rss_bytes = ?, "
                           "bytes = ? WHERE id = ?")),
      figure_(database.prepare("INSERT INTO figure_values VALUES(?, ?, ?)")),
      add_name_(database.prepare("INSERT OR IGNORE INTO names(name, unit) VALUES(?, ?)")),
      find_name_(database.prepare("SELECT id FROM names WHERE name = ?")),
      cycles_(database.prepare("INSERT INTO ledger VALUES(?, ?, ?, ?, ?)")) {}

void RunTables::remove(std::int64_t point) {
  remove_figures_.bind(point).run();
  remove_ledger_.bind(point).run();
}

std::int64_t RunTables::id_of(const std::string& name, const RunRows& rows) {
  std::int64_t& id = names_[name];
  if (id != 0) return id;
  const auto unit = rows.units.find(name);
  add_name_.bind(name);
  (unit == rows.units.end() ? add_name_.bind_null() : add_name_.bind(unit->second)).run();
  find_name_.bind(name);
  while (find_name_.step()) id = find_name_.whole(0);
  return id;
}

void RunTables::put(std::int64_t point, const RunRows& rows, const std::string& results) {
  point_.bind(results).bind(rows.version).bind(rows.digest).bind(rows.started).bind(rows.cpu_seconds);
  point_.bind(rows.wall_seconds).bind(rows.peak_rss_bytes).bind(static_cast<std::int64_t>(rows.bytes));
  point_.bind(point).run();
  for (const auto& [name, value] : rows.figures) {
    figure_.bind(point).bind(id_of(name, rows));
    (value ? figure_.bind(*value) : figure_.bind_null()).run();
  }
  for (const RunRows::Cycles& row : rows.ledger)
    cycles_.bind(point).bind(row.accesses).bind(row.place).bind(row.cause).bind(row.cycles).run();
}

}  // namespace strata::platforms
