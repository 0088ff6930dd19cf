#include "platforms/report/results_json.h"

#include <nlohmann/json.hpp>

#include "platforms/report/results_files.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

Json load(const ResourceLoad& load) {
  Json json;
  json["resource"] = load.name();
  json["sentence"] = load.words;
  json["kind"] = load.resource.kind == Resource::Kind::rate ? "rate" : "room";
  json["share"] = load.share();
  json["busy"] = load.busy();
  json["mean"] = load.shares.mean;
  json["most"] = load.shares.most;
  json["busiest"] = load.busiest.empty() ? Json(nullptr) : Json(load.busiest);
  json["over_mean"] = load.shares.over_mean();
  json["gini"] = load.shares.gini;
  json["peak"] = load.peak;
  json["peak_bytes"] = load.resource.bytes > 0 ? Json(load.peak * load.resource.bytes) : Json(nullptr);
  return json;
}

Json figure_json(const SummaryRow& row) {
  if (!row.absent.empty()) return nullptr;
  if (row.whole) return row.count;
  if (!row.real) return nullptr;
  return *row.real;
}

}  // namespace

void add_summary(Json& to, const Summary& summary) {
  for (const SummaryRow& row : summary.rows) to["summary"][row.name] = figure_json(row);
}

Json histogram_json(const Histogram& h) {
  Json json;
  json["samples"] = h.samples;
  json["total"] = h.total;
  json["maximum"] = h.maximum;
  std::size_t used = h.buckets.size();
  while (used > 0 && h.buckets[used - 1] == 0) --used;
  json["buckets"] =
      std::vector<std::uint64_t>(h.buckets.begin(), h.buckets.begin() + static_cast<long>(used));
  return json;
}

Json ledger_json(const LedgerTotals& totals, const LedgerPlaces& places) {
  Json json = Json::object();
  for (int g = 0; g < LedgerTotals::group_count; ++g) {
    const LedgerTotals::Sums& sums = totals.groups[static_cast<std::size_t>(g)];
    Json group;
    group["accesses"] = sums.count;
    group["latency"] = sums.latency;
    group["mean_latency"] = sums.count == 0
                                ? Json(nullptr)
                                : Json(static_cast<double>(sums.latency) / static_cast<double>(sums.count));
    group["cycles"] = Json::object();
    for (const Place place : places.on_the_way()) group["cycles"][places.name(place)] = sums.cycles[place];
    group["latency_histogram"] = histogram_json(sums.histogram);
    json[std::string(group_name(g))] = group;
  }
  return json;
}

Json verdict_json(const Verdict& verdict) {
  Json json;
  json["limit"] = verdict.limit;
  json["rule"] = to_text(verdict.rule);
  json["sentence"] = verdict.sentence;
  json["relief"] = verdict.relief.empty() ? Json(nullptr) : Json(verdict.relief);
  json["relief_sentence"] = verdict.relief.empty() ? Json(nullptr) : Json(verdict.relief_sentence);
  json["relief_words"] = verdict.relief.empty() ? Json(nullptr) : Json(verdict.relief_words);
  if (!verdict.tail.empty()) json["tail"] = verdict.tail;
  for (const Verdict::Measure& one : verdict.measured)
    json["measured"].push_back({{"resource", one.name},
                                {"words", one.words},
                                {"faster", one.faster},
                                {"interval_half", one.half ? Json(*one.half) : Json(nullptr)}});
  json["text"] = verdict_text(verdict);
  json["schedulers"] = Json::object();
  for (const Verdict::Part& part : verdict.schedulers) json["schedulers"][part.name] = part.share;
  json["longest"] = verdict.longest.empty() ? Json(nullptr) : Json(verdict.longest);
  json["longest_share"] = verdict.longest_share;
  json["ranking"] = Json::array();
  for (const ResourceLoad& one : verdict.ranking) json["ranking"].push_back(load(one));
  return json;
}

}  // namespace strata::platforms
