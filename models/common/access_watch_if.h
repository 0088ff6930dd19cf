#pragma once

#include "models/common/access.h"

namespace strata {

/// Sees accesses as a cache decides them. Observers are outside the models: they change nothing and cost a
/// branch when there is none.
class AccessWatchIf {
 public:
  virtual void seen(const Access& access, Cycle cycle) = 0;
  /// Of an L1: a load that it fetches for, or sends past its tags.
  virtual void missed(const Access& /*access*/, Cycle /*cycle*/) {}
  /// Of an L1: it has dropped all lines, at the end of a kernel.
  virtual void flushed() {}

 protected:
  ~AccessWatchIf() = default;
};

/// A module that can be watched. An LLC slice tells each lookup that it accepts, in the order of its
/// decisions, with the ledger's cycle; an L1 each load, with its own: those that it serves itself, hits and
/// merges, as seen, the others as missed.
class WatchedAccesses {
 public:
  /// Null: nobody watches. The watch must outlive the simulation.
  virtual void watch_accesses(AccessWatchIf* watch) = 0;

 protected:
  ~WatchedAccesses() = default;
};

}  // namespace strata
