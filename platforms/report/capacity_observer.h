#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/cache/set_index.h"
#include "models/common/access_watch_if.h"
#include "platforms/report/run_observer.h"

namespace strata::platforms {

/// Numbers of the lines that a cache with LRU replacement would hold after loads only.
class LruLines {
 public:
  LruLines(std::uint64_t sets, std::size_t ways, SetIndex::Kind kind, HomeInterleave shared = {})
      : index_(sets, kind, shared), ways_(ways), sets_(sets) {}
  /// Makes the line the most recently used of its set; returns whether it was present.
  bool use(std::uint64_t number);
  void clear();

 private:
  SetIndex index_;
  std::size_t ways_;
  std::vector<std::vector<std::uint64_t>> sets_;  // most recently used first
};

/// Counts the misses of L1s that twice as many sets would avoid: the line would have been evicted from an LRU
/// cache with the L1's sets and ways, but not from one with twice the sets. A flush empties both. Lines that
/// stores invalidated stay in both, and do not count while they do. D: LRU and whole lines, with any
/// replacement and fill unit of the L1.
class CapacityObserver final : public RunObserver {
 public:
  explicit CapacityObserver(const Platform& platform);
  CapacityObserver(const CapacityObserver&) = delete;
  CapacityObserver& operator=(const CapacityObserver&) = delete;
  std::vector<SummaryRow> figures() override;
  double spared() const override;

 private:
  struct Watch final : AccessWatchIf {
    Watch(std::uint64_t line_bytes, std::uint64_t sets, std::size_t ways, SetIndex::Kind kind,
          HomeInterleave shared)
        : line(line_bytes), one(sets, ways, kind, shared), two(2 * sets, ways, kind, shared) {}
    void seen(const Access& access, Cycle) override { use(access); }
    void missed(const Access& access, Cycle) override {
      ++misses;
      if (use(access)) ++spared;
    }
    void flushed() override {
      one.clear();
      two.clear();
    }
    bool use(const Access& access) {
      const bool kept = one.use(access.line / line);
      return two.use(access.line / line) && !kept;
    }
    std::uint64_t line;
    LruLines one, two;
    std::uint64_t misses = 0, spared = 0;
  };
  std::deque<Watch> watches_;
};

std::vector<SummaryRow> describe_capacity();

}  // namespace strata::platforms
