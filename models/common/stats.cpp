#include "models/common/stats.h"

#include <cassert>
#include <vector>

namespace strata {
namespace {

/// The addresses of a set's counters.
struct Places final : StatVisitor {
  std::vector<const std::uint64_t*> counters;
  std::vector<const Histogram*> histograms;

  explicit Places(const StatSet& set) { set.for_each_stat(*this); }
  void counter(const StatInfo&, const std::uint64_t& value) override { counters.push_back(&value); }
  void histogram(const StatInfo&, const Histogram& value) override { histograms.push_back(&value); }
  void ratio(const StatInfo&, std::uint64_t, std::uint64_t) override {}
  void law(std::string_view) override {}
};

}  // namespace

void add_stats(StatSet& sum, const StatSet& other) {
  const Places to(sum), from(other);
  assert(to.counters.size() == from.counters.size() && to.histograms.size() == from.histograms.size());
  // The places are those of `sum`, which the caller may change.
  for (std::size_t i = 0; i < to.counters.size(); ++i)
    const_cast<std::uint64_t&>(*to.counters[i]) += *from.counters[i];
  for (std::size_t i = 0; i < to.histograms.size(); ++i)
    const_cast<Histogram&>(*to.histograms[i]) += *from.histograms[i];
}

}  // namespace strata
