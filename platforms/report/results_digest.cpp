#include "platforms/report/results_digest.h"

#include <nlohmann/json.hpp>

#include "platforms/report/digest.h"
#include "platforms/report/digest_names.h"
#include "platforms/report/fnv_hash.h"
#include "platforms/report/results_files.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

/// Trailing zero buckets are not written.
Histogram histogram_of(const Json& json) {
  Histogram histogram;
  const Json& buckets = json.at("buckets");
  if (buckets.size() > histogram.buckets.size()) return histogram;
  for (std::size_t i = 0; i < buckets.size(); ++i) histogram.buckets[i] = buckets[i].get<std::uint64_t>();
  histogram.total = json.at("total").get<std::uint64_t>();
  histogram.maximum = json.at("maximum").get<std::uint64_t>();
  return histogram;
}

void add_instances(const Json& instances, FnvHash& hash) {
  const DigestNames& names = DigestNames::get();
  for (const auto& [instance_name, instance] : instances.items()) {
    hash.add(instance_name);
    const std::string kind = instance.at("module").get<std::string>();
    const auto add = [&](const std::string& row, const auto& value) {
      const std::optional<std::string_view> name = names.statistic(kind, row);
      if (!name) return;
      hash.add(*name);
      hash.add(value);
    };
    const Json counters = instance.value("counters", Json::object());
    for (const auto& [row, value] : counters.items()) add(row, value.get<std::uint64_t>());
    const Json histograms = instance.value("histograms", Json::object());
    for (const auto& [row, value] : histograms.items()) add(row, histogram_of(value));
  }
}

void add_ledger(const Json& ledger, FnvHash& hash) {
  for (int g = 0; g < LedgerTotals::group_count; ++g) {
    const Json& group = ledger.at(std::string(group_name(g)));
    hash.add(group.at("accesses").get<std::uint64_t>());
    hash.add(group.at("latency").get<std::uint64_t>());
    std::vector<std::pair<std::string, std::uint64_t>> rows;
    for (const auto& [name, cycles] : group.at("cycles").items())
      rows.emplace_back(name, cycles.get<std::uint64_t>());
    add_cycles(rows, hash);
    hash.add(histogram_of(group.at("latency_histogram")));
  }
}

/// Adds the whole numbers among the figures of applications.
void add_applications(const Json& applications, FnvHash& hash) {
  for (const Json& application : applications)
    for (const auto& [name, value] : application.at("summary").items())
      if (value.is_number_integer() && DigestNames::get().has_summary(name))
        hash.add(value.get<std::uint64_t>());
}

}  // namespace

std::optional<std::string> digest_of(const Json& stats) {
  try {
    FnvHash hash;
    if (stats.at("schema").get<std::string>() != "strata-results") return std::nullopt;
    add_instances(stats.at("instances"), hash);
    add_ledger(stats.at("ledger"), hash);
    if (stats.contains("applications")) add_applications(stats.at("applications"), hash);
    return digest_text(hash.value());
  } catch (const Json::exception&) {  // a member is missing or has the wrong type
    return std::nullopt;
  }
}

bool holds_its_digest(const Json& stats) {
  const std::optional<std::string> digest = digest_of(stats);
  return digest && stats.contains("digest") && stats["digest"] == *digest;
}

}  // namespace strata::platforms
