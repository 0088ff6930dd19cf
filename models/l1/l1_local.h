#pragma once

#include "models/l1/l1_prioritized.h"
#include "models/l1/l1_sectored.h"

namespace strata {

/// An L1 that keeps stores to local memory (`local: write_back`): around a design that is an
/// L1Sectored. A class of its own, so that other L1s do not ask at every access.
///
/// Such a store allocates its line without a fetch. The sectors of 32 B that it touches count as wholly
/// written: they are dirty, and loads hit them. A load of other sectors fetches their sectors, and what is
/// dirty stays as it is. A dirty line that is evicted goes to the LLC as a store. Only the SM's own threads
/// can see these lines, so that loads with `bypass_l1` find them here, too.
template <class Base>
class L1WithLocal final : public Base {
 public:
  explicit L1WithLocal(const typename Base::Params& params, std::uint64_t seed = 0) : Base(params, seed) {
    Base::keep_local();
  }
  L1Decision lookup(Access& access, Cycle now, bool room) override {
    if (access.local)
      if (const auto decision = Base::begin_local(access, room)) return *decision;
    return Base::lookup(access, now, room);
  }
  void flush() override {
    this->stats().local_dropped_sectors += Base::dirty_sectors();
    Base::flush();
  }
  bool take_write_back(L1WriteBack& out) override { return Base::take_dirty(out); }
  void write_back_all() override { Base::write_back_dirty(); }
  /// What is dirty counts as dirtied since.
  void reset_stats() override {
    Base::reset_stats();
    this->stats().local_dirtied_sectors = dirty_sectors();
  }
  std::uint64_t dirty_sectors() const { return Base::dirty_sectors(); }
};

/// The sectors of an L1Private are its lines, and it does not report them.
struct L1PrivateBySectorsStats final : L1SectoredStats {
  void for_each_stat(StatVisitor& visitor) const override { for_each_stat_of_private(*this, visitor); }
};

/// L1Private access by access, with what L1Sectored knows of parts of lines.
class L1PrivateBySectors : public L1Sectored {
 public:
  using Params = L1PrivateParams;
  using Stats = L1PrivateBySectorsStats;

  explicit L1PrivateBySectors(const L1PrivateParams& params, std::uint64_t seed = 0)
      : L1Sectored(by_sectors(params), seed, &stats_) {}
  L1PrivateBySectorsStats& stats() override { return stats_; }
  void reset_stats() override { stats_ = {}; }

 private:
  static L1SectoredParams by_sectors(const L1PrivateParams& params) {
    L1SectoredParams sectored;
    static_cast<L1PrivateParams&>(sectored) = params;
    sectored.sector = params.line;
    return sectored;
  }
  L1PrivateBySectorsStats stats_;
};

}  // namespace strata
