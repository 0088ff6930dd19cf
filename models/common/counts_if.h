#pragma once

#include <cstdint>
#include <vector>

#include "models/common/stats.h"

namespace strata {

/// A module that serves several SMs and can tell them apart, at the cost of a few instructions an access.
class RequesterCountsIf {
 public:
  /// Switches these counts on; call it before simulation starts.
  virtual void count_requesters() = 0;
  /// The statistics of each SM of the platform, up to the last SM that has sent a request: the part of
  /// stats() that it caused, under the same names. Empty without these counts.
  virtual std::vector<const StatSet*> by_requester() const = 0;

 protected:
  ~RequesterCountsIf() = default;
};

/// A module that counts which kernel makes which miss in the LLC. A kernel is an application, or an SM of the
/// platform.
class ContentionCountsIf {
 public:
  virtual bool by_sm() const = 0;
  /// Kernels that have counters.
  virtual int kernels() const = 0;
  virtual std::uint64_t misses(int kernel) const = 0;
  /// Steps that accesses of `aggressor` have pushed lines of `victim` down their stacks.
  virtual std::uint64_t demotions(int victim, int aggressor) const = 0;
  /// Lines of `victim` that lines of `aggressor` have evicted.
  virtual std::uint64_t evictions(int victim, int aggressor) const = 0;
  /// Storage of all counters and owners.
  virtual std::uint64_t storage_bits() const = 0;

 protected:
  ~ContentionCountsIf() = default;
};

}  // namespace strata
