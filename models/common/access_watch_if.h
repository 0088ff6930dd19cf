#pragma once

#include "models/common/access.h"

namespace strata {

/// Sees accesses as a cache decides them. Observers are outside the models: they change nothing, and without
/// one a cache pays one branch.
class AccessWatchIf {
 public:
  virtual void seen(const Access& access, Cycle cycle) = 0;
  /// An L1 fetches for this load, or sends it past its tags.
  virtual void missed(const Access& /*access*/, Cycle /*cycle*/) {}
  /// An L1 has dropped all lines at the end of a kernel.
  virtual void flushed() {}

 protected:
  ~AccessWatchIf() = default;
};

/// A module that can be watched. An LLC slice reports each lookup that it accepts, in the order of its
/// decisions, with the ledger's cycle. An L1 reports each load with its own cycle: hits and merges as seen,
/// all others as missed.
class WatchedAccesses {
 public:
  /// Null ends watching. The watch must outlive the simulation.
  virtual void watch_accesses(AccessWatchIf* watch) = 0;

 protected:
  ~WatchedAccesses() = default;
};

}  // namespace strata
