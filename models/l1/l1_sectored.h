#pragma once

#include <optional>
#include <vector>

#include "models/cache/fill_units.h"
#include "models/common/ring_queue.h"
#include "models/l1/l1_private.h"

namespace strata {

/// A private L1 whose lines have sectors: LAMAR (Rhu et al., MICRO 2013) fetches and keeps 32 B of 128 B.
struct L1SectoredParams : L1PrivateParams, SectorParams {
  bool line_valid = false;

  L1SectoredParams() { sector = Bytes(32); }
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

struct L1SectoredStats : L1Stats {
  std::uint64_t asked_sectors = 0;
  std::uint64_t missed_sectors = 0;
  std::uint64_t sector_misses = 0;
  std::uint64_t fetched_sectors = 0;
  void for_each_stat(StatVisitor& visitor) const override;
};

/// Tags of lines that are here sector by sector. An MSHR is a line under way: up to a fetch for each of its
/// sectors, each asked for once.
///
/// Stores, atomics and bypassing loads do to their sectors what L1Private does to lines. Where lines are
/// allocated on misses, a set whose ways are all reserved stalls those that need one.
class L1Sectored : public CacheDesign {
 public:
  using Params = L1SectoredParams;
  using Stats = L1SectoredStats;

  /// `seed`: of this L1. `stats`: counters of the L1 that derives from it; null: its own.
  explicit L1Sectored(const L1SectoredParams& params, std::uint64_t seed = 0,
                      L1SectoredStats* stats = nullptr);
  L1Sectored(const L1Sectored&) = delete;
  L1Sectored& operator=(const L1Sectored&) = delete;
  static StorageFields storage(const L1SectoredParams& params);

  L1Decision lookup(Access& access, Cycle now, bool room) override;
  bool hit(Address line, std::uint8_t sectors) override;
  AccessFifo fill(int fetch) override;
  void flush() override;
  void share(std::uint64_t shared_bytes) override;
  int fetching() const { return fetching_; }
  MshrFile* mshrs() override { return &mshrs_; }
  Address victim(Address line) const override;
  bool contains(Address line, std::uint8_t sectors = 0xff) const override;
  const L1SectoredParams& params() const override { return params_; }
  L1SectoredStats& stats() override { return stats_; }
  void reset_stats() override { stats_ = {}; }

  std::uint64_t valid_lines() const;

 protected:
  // Of an L1 that keeps stores to local memory (L1WithLocal): dirty sectors are valid as well.
  void keep_local() { writers_.resize(static_cast<std::size_t>(tags_.lines())); }
  /// A store to local memory, or a load of what such stores have left dirty; nothing: as any other access.
  std::optional<L1Decision> begin_local(Access& access, bool room);
  bool take_dirty(L1WriteBack& out);
  void write_back_dirty();
  std::uint64_t dirty_sectors() const;

 private:
  /// Where a line is, and which sectors of those that are wanted are missing.
  struct Found {
    std::uint64_t number;
    std::uint32_t set;
    int way;
    std::uint8_t missing;
  };
  /// What is known of a register beside its waiters: masks of what is under way.
  struct UnderWay {
    std::uint8_t stale = 0;  // a store or atomic has overtaken it: it is not kept, and no access may join
    int last = 0;            // fetch
  };

  Found find(Address line, std::uint8_t sectors) const;
  L1Decision begin_load(Access& access, bool room);
  L1Decision miss(Access& access, const Found& found, bool room);
  L1Decision begin_bypass(const Access& access, bool room);
  L1Decision keep_store(const Access& access, bool room);
  void install(std::uint32_t set, int way, std::uint64_t number, std::uint8_t valid, const Access* by);
  void let_go(std::uint32_t set, int way, std::uint64_t number, std::uint8_t dirty);
  void drop(const Found& found, std::uint8_t sectors);
  void keep(int mshr, std::uint8_t sectors);
  AccessFifo serve(int mshr, std::uint8_t sectors);
  int fetch_of(int mshr, std::uint8_t sectors) const;
  bool can_merge(int mshr, std::uint8_t sectors) const {
    if (params_.mshr_sectors == 0) return mshrs_.can_merge(mshr);
    return mshrs_.can_merge(mshr, sectors, [](const Access& waiter) { return waiter.tag; });
  }
  UnderWay& under_way(int mshr) { return under_way_[static_cast<std::size_t>(mshr)]; }
  std::uint8_t& fetched_by(int fetch) { return fetches_[static_cast<std::size_t>(fetch)]; }

  SetIndex index_;
  int line_bits_;
  FillUnits units_;
  SectoredTags tags_;
  MshrFile mshrs_;
  SectorLimit limit_;
  std::vector<UnderWay> under_way_;    // by register
  std::vector<std::uint8_t> fetches_;  // by register and first sector: what is fetched; 0 = no such fetch
  int fetching_ = 0;
  L1SectoredStats own_stats_;
  L1SectoredStats& stats_;
  L1SectoredParams params_;
  L1CarveOut carve_out_;
  std::vector<LocalWriter> writers_;  // by set and way; empty: stores to local memory do not stay here
  RingQueue<L1WriteBack> leaving_;    // dirty, and gone
};

}  // namespace strata
