#include "platforms/report/results_files.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "platforms/report/digest.h"
#include "platforms/report/json_text.h"
#include "platforms/report/results_json.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

Json run_facts(const RunRecord& record) {
  Json run;
  run["strata_version"] = record.version;
  run["command"] = record.command;
  run["started"] = record.started;
  run["platform"] = record.platform;
  run["platform_file"] = record.platform_file;
  run["with"] = record.withs;
  run["sets"] = record.sets;
  for (const auto& plugin : record.plugins)
    run["plugins"].push_back({{"file", plugin->path()}, {"fnv1a64", plugin->digest()}});
  run["trace"] = record.trace;
  if (!record.read_from.empty()) run["read_from"] = record.read_from;
  run["seed"] = record.seed;
  run["check_protocol"] = record.check_protocol;
  run["max_instructions"] = record.max_instructions == 0 ? Json(nullptr) : Json(record.max_instructions);
  run["exit_code"] = record.exit_code;
  run["messages"] = record.messages;
  run["model_warnings"] = record.warnings;
  if (record.check_protocol) {
    run["protocol_violations"] = record.protocol_violations;
    run["protocol_transactions"] = record.protocol_transactions;
  }
  return run;
}

/// The role of the blocks at each place.
Json place_roles(const LedgerPlaces& places) {
  Json json = Json::object();
  for (const LedgerPlaces::Stop& stop : places.stops()) json[stop.place] = stop.role;
  return json;
}

/// Appends `of(row)` under the name of each row to an object. Names are unique, so it skips the search of
/// operator[], which would dominate the cost of writing results.
template <class Rows, class Of>
void add(Json::object_t& object, const Rows& rows, Of&& of) {
  object.reserve(object.size() + rows.size());
  for (const auto& row : rows) object.emplace_back(row.name, of(row));
}

template <class Rows>
void define(Json::object_t& kind, const Rows& rows, const char* type) {
  add(kind, rows, [&](const auto& row) {
    Json::object_t definition;
    definition.reserve(3);
    definition.emplace_back("type", type);
    definition.emplace_back("unit", row.unit);
    definition.emplace_back("sentence", row.sentence);
    return definition;
  });
}

/// Unit and sentence of every statistic, once per kind of module.
Json definitions(const std::vector<InstanceStats>& tables) {
  Json::object_t json;
  for (const InstanceStats& table : tables) {
    if (json.find(table.kind) != json.end()) continue;
    Json::object_t kind;
    define(kind, table.counters, "counter");
    define(kind, table.histograms, "histogram");
    define(kind, table.ratios, "ratio");
    Json::object_t both;
    both.emplace_back("statistics", std::move(kind));
    both.emplace_back("laws", table.laws);
    json.emplace_back(table.kind, std::move(both));
  }
  return json;
}

Json instances(const std::vector<InstanceStats>& tables) {
  Json::object_t all;
  all.reserve(tables.size());
  for (const InstanceStats& table : tables) {
    Json::object_t instance;
    instance.emplace_back("module", table.kind);
    const auto part = [&](const char* name, const auto& rows, auto&& of) {
      if (rows.empty()) return;
      Json::object_t object;
      add(object, rows, of);
      instance.emplace_back(name, std::move(object));
    };
    std::vector<CounterRow> counters;
    std::copy_if(table.counters.begin(), table.counters.end(), std::back_inserter(counters),
                 [](const CounterRow& row) { return !row.is_left_out(); });
    part("counters", counters, [](const CounterRow& row) { return Json(row.value); });
    part("ratios", table.ratios, [](const RatioRow& row) {
      return row.denominator == 0
                 ? Json(nullptr)
                 : Json(static_cast<double>(row.numerator) / static_cast<double>(row.denominator));
    });
    part("histograms", table.histograms, [](const HistogramRow& row) { return histogram_json(row.value); });
    all.emplace_back(table.instance, std::move(instance));
  }
  return all;
}

Json application(const ApplicationFigures& figures) {
  Json json;
  json["trace"] = figures.trace;
  json["organization"] = figures.organization.empty() ? Json(nullptr) : Json(figures.organization);
  json["first_sm"] = figures.first_sm;
  json["sms"] = figures.sms;
  json["max_instructions"] = figures.budget == 0 ? Json(nullptr) : Json(figures.budget);
  json["measured"] = figures.measured;
  json["ended"] = figures.ended;
  json["passes"] = figures.passes;
  const Summary summary = summarize(figures);
  add_summary(json, summary);
  json["summary_gaps"] = gaps(summary);
  return json;
}

}  // namespace

std::string_view group_name(int group) {
  static constexpr std::string_view names[] = {"loads", "stores", "atomics"};
  return names[group];
}

std::string stats_json(const RunRecord& record) {
  Json json;
  json["schema"] = "strata-results";
  json["schema_version"] = results_schema_version;
  json["partial"] = record.partial;
  json["reason"] = record.partial ? Json(record.reason) : Json(nullptr);
  json["digest"] = digest_text(record.digest);
  json["run"] = run_facts(record);
  add_summary(json, record.summary);
  Json units = Json::object();
  for (const SummaryRow& row : record.summary.rows) units[row.name] = row.unit;
  json["summary_units"] = units;
  json["summary_gaps"] = gaps(record.summary);
  if (const std::uint64_t copies = sum_of(record.tables, Role::sm, "unknown_copies"); copies != 0)
    json["traffic_missing"] = {{"bulk_copies", copies}};
  if (!record.source_gaps.empty()) {
    Json gaps = Json::array();
    for (const SourceGap& gap : record.source_gaps) {
      gaps.push_back({{"instructions", gap.reason}, {"count", gap.count}});
      if (gap.reason.find("traffic") == std::string::npos) continue;
      Json& missing = json["traffic_missing"]["instructions"];
      missing = gap.count + (missing.is_null() ? 0 : missing.get<std::uint64_t>());
    }
    json["not_modelled"] = gaps;
  }
  json["verdict"] = verdict_json(record.verdict);
  if (!record.applications.empty()) {
    Json all = Json::array();
    for (const ApplicationFigures& figures : record.applications) all.push_back(application(figures));
    json["applications"] = all;
  }
  json["ledger"] = ledger_json(record.ledger, record.places);
  json["ledger_places"] = place_roles(record.places);
  json["definitions"] = definitions(record.tables);
  json["instances"] = instances(record.tables);
  return json_text(json);
}

std::string ledger_csv(const LedgerTotals& totals, const LedgerPlaces& places) {
  std::string text = "group,place,cause,cycles,share,mean_per_access\n";
  char line[160];
  for (int g = 0; g < LedgerTotals::group_count; ++g) {
    const LedgerTotals::Sums& sums = totals.groups[static_cast<std::size_t>(g)];
    if (sums.count == 0) continue;
    for (const Place place : places.on_the_way()) {
      const PlaceName name = split_place(places.name(place));
      const std::uint64_t cycles = sums.cycles[place];
      const double share =
          sums.latency == 0 ? 0 : static_cast<double>(cycles) / static_cast<double>(sums.latency);
      std::snprintf(line, sizeof line, "%s,%s,%s,%llu,%.6f,%.4f\n", group_name(g).data(), name.place.c_str(),
                    name.cause.c_str(), static_cast<unsigned long long>(cycles), share,
                    static_cast<double>(cycles) / static_cast<double>(sums.count));
      text += line;
    }
  }
  return text;
}

}  // namespace strata::platforms
