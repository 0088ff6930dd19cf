#pragma once

#include "models/common/access.h"

namespace strata {

/// Sees every lookup that an LLC slice accepts, in the order in which the slices decide.
class LookupWatchIf {
 public:
  virtual void looked_up(const Access& access, Cycle ledger_cycle) = 0;

 protected:
  ~LookupWatchIf() = default;
};

/// A slice whose lookups can be watched, whatever its timing.
class WatchedLookups {
 public:
  /// Null: nobody watches. The watch must outlive the simulation.
  void watch_lookups(LookupWatchIf* watch) { watch_ = watch; }

 protected:
  ~WatchedLookups() = default;
  void tell_watch(const Access& access, Cycle ledger_cycle) {
    if (watch_ != nullptr) watch_->looked_up(access, ledger_cycle);
  }

 private:
  LookupWatchIf* watch_ = nullptr;
};

}  // namespace strata
