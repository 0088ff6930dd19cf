#include "platforms/report/digest.h"

#include <cstdio>

namespace strata::platforms {
namespace {

/// FNV-1a, 64 bits: offset basis and prime of its specification (draft-eastlake-fnv).
class Hash {
 public:
  void add(const std::string& text) {
    for (const char c : text) byte(static_cast<unsigned char>(c));
    byte(0);
  }
  void add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) byte(static_cast<unsigned char>(value >> (8 * i)));
  }
  void add(const Histogram& histogram) {
    for (const std::uint64_t count : histogram.buckets) add(count);
    add(histogram.total);
    add(histogram.maximum);
  }
  std::uint64_t value() const { return value_; }

 private:
  void byte(unsigned char b) { value_ = (value_ ^ b) * 0x100000001b3ULL; }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::uint64_t digest(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger,
                     const std::vector<ApplicationFigures>& applications) {
  Hash hash;
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
      if (row.whole) hash.add(row.count);
  return hash.value();
}

std::string digest_text(std::uint64_t digest) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
  return text;
}

}  // namespace strata::platforms
