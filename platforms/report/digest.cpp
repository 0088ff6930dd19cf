#include "platforms/report/digest.h"

#include <algorithm>
#include <cstdio>

#include "platforms/report/digest_names.h"

namespace strata::platforms {

std::uint64_t digest(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger,
                     const LedgerPlaces& places, const std::vector<ApplicationFigures>& applications) {
  const DigestNames& names = DigestNames::get();
  FnvHash hash;
  for (const InstanceStats& table : tables) {
    hash.add(table.instance);
    const auto add = [&](const auto& row) {
      const std::optional<std::string_view> name = names.statistic(table.kind, row.name);
      if (!name) return;
      hash.add(*name);
      hash.add(row.value);
    };
    for (const CounterRow& row : table.counters)
      if (!row.is_left_out()) add(row);
    for (const HistogramRow& row : table.histograms) add(row);
  }
  for (const LedgerTotals::Sums& sums : ledger.groups) {
    hash.add(sums.count);
    hash.add(sums.latency);
    std::vector<std::pair<std::string, std::uint64_t>> rows;
    for (const Place place : places.on_the_way()) rows.emplace_back(places.name(place), sums.cycles[place]);
    add_cycles(rows, hash);
    hash.add(sums.histogram);
  }
  for (const ApplicationFigures& application : applications)
    for (const SummaryRow& row : summarize(application).rows)
      if (row.whole && row.absent.empty() && names.has_summary(row.name)) hash.add(row.count);
  return hash.value();
}

void add_cycles(const std::vector<std::pair<std::string, std::uint64_t>>& rows, FnvHash& hash) {
  const std::vector<std::string_view>& usual = DigestNames::get().ledger();
  for (const std::string_view name : usual) {
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const auto& other) { return other.first == name; });
    hash.add(row == rows.end() ? 0 : row->second);
  }
  for (const auto& [name, cycles] : rows) {
    if (cycles == 0 || std::find(usual.begin(), usual.end(), name) != usual.end()) continue;
    hash.add(name);
    hash.add(cycles);
  }
}

std::uint64_t text_digest(std::string_view text) {
  FnvHash hash;
  hash.bytes(text);
  return hash.value();
}

std::string digest_text(std::uint64_t digest) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
  return text;
}

}  // namespace strata::platforms
