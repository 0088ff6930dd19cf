#pragma once

#include <array>
#include <cstdint>

#include "models/common/access.h"
#include "models/common/ledger.h"
#include "models/common/stats.h"

namespace strata {

/// Where the latencies of many retired accesses went, in cycles of the ledger clock, by group of access
/// classes.
struct LedgerTotals {
  enum Group : int { loads, stores, atomics, group_count };

  struct Sums {
    std::uint64_t count = 0;    ///< retired accesses
    std::uint64_t latency = 0;  ///< sum of (retirement - birth)
    LedgerSums cycles;          ///< latency, split by place
    Histogram histogram;        ///< of the latencies
  };

  std::array<Sums, group_count> groups;

  static Group group_of(AccessClass c) { return group_table[static_cast<std::size_t>(c)]; }

  /// Add an access that retires in cycle `retired`. False, and the cycles are counted all the same, when its
  /// ledger's sum is not its latency.
  bool add(const Access& access, Cycle retired) {
    Sums& sums = groups[group_of(access.access_class)];
    const std::uint64_t latency = retired - access.birth;
    return count(sums, access.ledger.add_to(sums.cycles, latency), latency);
  }

  /// Like add(), for an access that the next block answered in the call: cheap when only the three places on
  /// the way there were charged, as is the rule.
  bool add_hit(const Access& access, Cycle retired, Place queue, Place port, Place pipeline) {
    const Ledger& ledger = access.ledger;
    const Cycle charged = Cycle{ledger.cycles(queue)} + ledger.cycles(port) + ledger.cycles(pipeline);
    const std::uint64_t latency = retired - access.birth;
    if (charged != latency) return add(access, retired);
    Sums& sums = groups[group_of(access.access_class)];
    for (const Place place : {queue, port, pipeline}) sums.cycles.add(place, ledger.cycles(place));
    return count(sums, latency, latency);
  }

  struct Part {
    Place place;
    Cycle cycles;
  };
  /// The same of a load without a ledger, whose `parts` add up to `latency`.
  void add_load(Cycle latency, const Part (&parts)[3]) {
    Sums& sums = groups[loads];
    for (const Part& part : parts) sums.cycles.add(part.place, part.cycles);
    count(sums, latency, latency);
  }

  LedgerTotals& operator+=(const LedgerTotals& other) {
    for (int g = 0; g < group_count; ++g) {
      Sums& sums = groups[g];
      const Sums& more = other.groups[g];
      sums.count += more.count;
      sums.latency += more.latency;
      sums.cycles += more.cycles;
      sums.histogram += more.histogram;
    }
    return *this;
  }

 private:
  // By AccessClass.
  static constexpr std::array<Group, static_cast<std::size_t>(AccessClass::count_)> group_table = {
      loads, loads, stores, atomics, loads, loads, loads, stores};

  static bool count(Sums& sums, std::uint64_t total, std::uint64_t latency) {
    ++sums.count;
    sums.latency += latency;
    sums.histogram.add(latency);
    return total == latency;
  }
};

}  // namespace strata
