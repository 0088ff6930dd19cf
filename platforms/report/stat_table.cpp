#include "platforms/report/stat_table.h"

#include <algorithm>

namespace strata::platforms {
namespace {

class Reader final : public StatVisitor {
 public:
  explicit Reader(InstanceStats& out) : out_(out) {}
  void counter(const StatInfo& info, const std::uint64_t& value) override {
    out_.counters.push_back(
        {std::string(info.name), std::string(info.unit), std::string(info.sentence), value, info.rare});
  }
  void histogram(const StatInfo& info, const Histogram& value) override {
    out_.histograms.push_back(
        {std::string(info.name), std::string(info.unit), std::string(info.sentence), value});
  }
  void ratio(const StatInfo& info, std::uint64_t numerator, std::uint64_t denominator) override {
    out_.ratios.push_back(
        {std::string(info.name), std::string(info.unit), std::string(info.sentence), numerator, denominator});
  }
  void law(std::string_view text) override { out_.laws.emplace_back(text); }

 private:
  InstanceStats& out_;
};

template <class Rows>
const typename Rows::value_type* find(const Rows& among, std::string_view name) {
  const auto found =
      std::find_if(among.begin(), among.end(), [&](const auto& row) { return row.name == name; });
  return found == among.end() ? nullptr : &*found;
}

}  // namespace

const CounterRow* InstanceStats::counter(std::string_view name) const {
  return find(counters, name);
}
const RatioRow* InstanceStats::ratio(std::string_view name) const {
  return find(ratios, name);
}

InstanceStats read_stats(std::string instance, const ModuleKind& kind, const StatSet& stats,
                         const InstanceStats* like) {
  InstanceStats table;
  if (like != nullptr) {
    table.counters.reserve(like->counters.size());
    table.histograms.reserve(like->histograms.size());
    table.ratios.reserve(like->ratios.size());
    table.laws.reserve(like->laws.size());
  }
  table.instance = std::move(instance);
  table.kind = kind.name;
  table.role = kind.role;
  Reader reader(table);
  stats.for_each_stat(reader);
  return table;
}

std::uint64_t sum_of(const std::vector<InstanceStats>& tables, Role role, std::string_view counter) {
  std::uint64_t sum = 0;
  for (const InstanceStats& table : tables)
    if (const CounterRow* row = table.role == role ? table.counter(counter) : nullptr) sum += row->value;
  return sum;
}

std::vector<InstanceStats> read_stats(const Platform& platform) {
  std::vector<InstanceStats> tables;
  tables.reserve(platform.instances().size());
  for (const PlatformInstance& instance : platform.instances()) {
    const bool again = !tables.empty() && tables.back().kind == instance.kind->name;
    const InstanceStats* const like = again ? &tables.back() : nullptr;
    tables.push_back(read_stats(instance.full_name(), *instance.kind, instance.block->stats(), like));
  }
  return tables;
}

LedgerTotals read_ledger(const Platform& platform) {
  LedgerTotals totals;
  for (const PlatformInstance& instance : platform.instances())
    if (const LedgerTotals* ledger = instance.block->ledger()) totals += *ledger;
  return totals;
}

std::vector<InstanceStats> difference(const std::vector<InstanceStats>& now,
                                      const std::vector<InstanceStats>& before) {
  const auto less = [](std::uint64_t& value, std::uint64_t by) { value -= std::min(value, by); };
  std::vector<InstanceStats> tables = now;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (std::size_t i = 0; i < tables[t].counters.size(); ++i)
      less(tables[t].counters[i].value, before[t].counters[i].value);
    for (std::size_t i = 0; i < tables[t].ratios.size(); ++i) {
      less(tables[t].ratios[i].numerator, before[t].ratios[i].numerator);
      less(tables[t].ratios[i].denominator, before[t].ratios[i].denominator);
    }
    for (std::size_t i = 0; i < tables[t].histograms.size(); ++i) {
      Histogram& histogram = tables[t].histograms[i].value;
      const Histogram& old = before[t].histograms[i].value;
      for (std::size_t b = 0; b < histogram.buckets.size(); ++b) less(histogram.buckets[b], old.buckets[b]);
      less(histogram.samples, old.samples);
      less(histogram.total, old.total);
    }
  }
  return tables;
}

LedgerTotals difference(const LedgerTotals& now, const LedgerTotals& before) {
  LedgerTotals totals;
  for (std::size_t g = 0; g < now.groups.size(); ++g) {
    totals.groups[g].count = now.groups[g].count - before.groups[g].count;
    totals.groups[g].latency = now.groups[g].latency - before.groups[g].latency;
    for (int row = 0; row < most_places; ++row)
      totals.groups[g].cycles.add(
          static_cast<Place>(row),
          now.groups[g].cycles[static_cast<Place>(row)] - before.groups[g].cycles[static_cast<Place>(row)]);
  }
  return totals;
}

void add(std::vector<InstanceStats>& sum, const std::vector<InstanceStats>& more) {
  for (std::size_t t = 0; t < sum.size(); ++t) {
    for (std::size_t i = 0; i < sum[t].counters.size(); ++i)
      sum[t].counters[i].value += more[t].counters[i].value;
    for (std::size_t i = 0; i < sum[t].ratios.size(); ++i) {
      sum[t].ratios[i].numerator += more[t].ratios[i].numerator;
      sum[t].ratios[i].denominator += more[t].ratios[i].denominator;
    }
    for (std::size_t i = 0; i < sum[t].histograms.size(); ++i)
      sum[t].histograms[i].value += more[t].histograms[i].value;
  }
}

}  // namespace strata::platforms
