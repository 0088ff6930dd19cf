#pragma once

#include "models/common/stats.h"

namespace strata {

/// What a cache with a prefetcher reports of it.
struct PrefetchStats {
  bool reported = true;       // there is a prefetcher
  bool victims_known = true;  // the cache says which lines leave: `polluting` is reported
  std::uint64_t candidates = 0;
  std::uint64_t issued = 0;
  std::uint64_t dropped_full = 0;
  std::uint64_t dropped_there = 0;
  std::uint64_t useful = 0;
  std::uint64_t late = 0;
  std::uint64_t useless = 0;
  std::uint64_t polluting = 0;

  void for_each_prefetch_stat(StatVisitor& visitor) const;
  /// Everything to 0 but what is reported.
  void reset();
  /// Ends a law that counts the fetches of a cache.
  const char* issued_too() const { return reported ? " + prefetches" : ""; }
};

}  // namespace strata
