#pragma once

#include "models/common/params.h"
#include "models/common/storage.h"

namespace strata {

/// Parameters of a cache with a prefetcher.
struct PrefetchParams {
  int prefetcher = 0;  // row of the table of prefetchers: none
  int prefetch_degree = 2;
  int prefetch_distance = 1;
  int prefetch_table = 64;
  int prefetch_window = 16;
  int prefetch_queue = 8;
  int prefetch_mshrs = 4;

  bool prefetches() const { return prefetcher != 0; }
  void for_each_prefetch_param(ParamVisitor& visitor);
  /// Bits of the prefetcher and its queue.
  void append_prefetch_storage(StorageFields& fields) const;
  /// Of a cache that cannot have a prefetcher; `why`, in words.
  void append_prefetch_fault(Faults& faults, const char* why) const;
};

}  // namespace strata
