#include "platforms/report/digest.h"

#include <cstdio>

#include "platforms/report/fnv_hash.h"

namespace strata::platforms {

std::uint64_t digest(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger,
                     const std::vector<ApplicationFigures>& applications) {
  FnvHash hash;
  for (const InstanceStats& table : tables) {
    hash.add(table.instance);
    for (const CounterRow& row : table.counters) {
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
    for (std::size_t cause = 0; cause < cause_count; ++cause) hash.add(sums.cycles[cause]);
    hash.add(sums.histogram);
  }
  for (const ApplicationFigures& application : applications)
    for (const SummaryRow& row : summarize(application).rows)
      if (row.whole && row.absent.empty()) hash.add(row.count);
  return hash.value();
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
