#include "platforms/report/digest.h"

#include <algorithm>
#include <cstdio>

#include "models/tlm/module_kind.h"

namespace strata::platforms {

std::uint64_t digest(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger,
                     const LedgerPlaces& places, const std::vector<ApplicationFigures>& applications) {
  FnvHash hash;
  for (const InstanceStats& table : tables) {
    hash.add(table.instance);
    for (const CounterRow& row : table.counters) {
      if (row.is_left_out()) continue;
      hash.add(row.name);
      hash.add(row.value);
    }
    for (const HistogramRow& row : table.histograms) {
      hash.add(row.name);
      hash.add(row.value);
    }
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
      if (row.whole && row.absent.empty()) hash.add(row.count);
  return hash.value();
}

void add_cycles(const std::vector<std::pair<std::string, std::uint64_t>>& rows, FnvHash& hash) {
  const LedgerPlaces& nominal = nominal_places();
  for (const Place place : nominal.on_the_way()) {
    const std::string name = nominal.name(place);
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.first == name; });
    hash.add(row == rows.end() ? 0 : row->second);
  }
  for (const auto& [name, cycles] : rows) {
    if (cycles == 0 || nominal.find(name)) continue;
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
