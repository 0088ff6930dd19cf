#pragma once

#include <string>
#include <utility>

#include "models/cache/prefetch_unit.h"
#include "models/tlm/txn_pool.h"

namespace strata {

/// The prefetches of a cache: their unit, and the accesses that the cache makes for them. A cache derives
/// from it, with what PrefetchedCache asks.
class OwnPrefetches : protected PrefetchedCache {
 public:
  OwnPrefetches(const PrefetchParams& params, PrefetchStats& stats, const LedgerPlaces& places)
      : pool_(&places), unit_(params, *this, stats) {}
  OwnPrefetches(const OwnPrefetches&) = delete;
  OwnPrefetches& operator=(const OwnPrefetches&) = delete;

  PrefetchUnit& unit() { return unit_; }
  const PrefetchUnit& unit() const { return unit_; }
  bool wants() const { return unit_.wants(); }

  /// Prefetches among those that leave with a fill are over. Returns the others.
  AccessFifo end_own(AccessFifo leaving) {
    AccessFifo others;
    while (!leaving.empty()) {
      Access& access = leaving.pop();
      if (!is_own_prefetch(access)) {
        others.push(access);
        continue;
      }
      unit_.arrived(access.line, access.sectors);
      Txn::of(access).release();
    }
    return others;
  }
  template <class Blame>
  void append_faults(const Blame& blame) const {
    if (unit_.waiting() != 0) blame(std::to_string(unit_.waiting()) + " lines wait for their prefetch");
    if (pool_.in_use() != 0) blame(std::to_string(pool_.in_use()) + " prefetches were never released");
    if (std::string message = unit_.imbalance(); !message.empty()) blame(std::move(message));
  }

 protected:
  ~OwnPrefetches() = default;
  /// An access for the front of the queue, unless that is here or under way: then it is dropped, and null.
  Txn* make(Cycle ledger) {
    const PrefetchRequest& request = unit_.front();
    if (has_or_fetches(request.line, request.sectors)) {
      unit_.drop();
      return nullptr;
    }
    Txn& txn = pool_.make(AccessClass::load, request.line, request.sectors, ledger);
    request.identify(txn.access());
    return &txn;
  }

  /// The line that leaves, whole, where one gets the way now that belongs to `line`.
  virtual Address victim(Address line) const = 0;
  virtual std::uint64_t evictions() const = 0;
  /// While it lives the cache does something for the prefetch of a line: then the unit knows which line has
  /// left for it.
  class Displaced {
   public:
    Displaced(OwnPrefetches& all, Address by)
        : all_(all), by_(by), line_(all.victim(by)), evictions_(all.evictions()) {}
    ~Displaced() {
      if (all_.evictions() != evictions_) all_.unit_.displaced(line_, by_);
    }
    Displaced(const Displaced&) = delete;
    Displaced& operator=(const Displaced&) = delete;

   private:
    OwnPrefetches& all_;
    const Address by_, line_;
    const std::uint64_t evictions_;
  };

 private:
  TxnPool pool_;
  PrefetchUnit unit_;
};

}  // namespace strata
