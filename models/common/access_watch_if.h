#pragma once

#include "models/common/access.h"

namespace strata {

/// Sees accesses as a cache decides them. Observers are outside the models: they change nothing and cost a
/// branch when there is none.
class AccessWatchIf {
 public:
  virtual void seen(const Access& access, Cycle ledger_cycle) = 0;

 protected:
  ~AccessWatchIf() = default;
};

/// A module that can be watched. An LLC slice tells each lookup that it accepts, in the order of its
/// decisions; an L1 each load that it serves itself, hits and merges, without the cycle.
class WatchedAccesses {
 public:
  /// Null: nobody watches. The watch must outlive the simulation.
  virtual void watch_accesses(AccessWatchIf* watch) = 0;

 protected:
  ~WatchedAccesses() = default;
};

}  // namespace strata
