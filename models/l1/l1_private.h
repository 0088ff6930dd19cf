#pragma once

#include "models/cache/mshr_file.h"
#include "models/cache/set_index.h"
#include "models/cache/tag_array.h"
#include "models/l1/cache_design.h"
#include "models/l1/l1_carve_out.h"

namespace strata {

/// A private L1 data cache. Defaults: 48 KiB, 6 ways, 128 B, LRU (ISCA 2019, Table 1).
struct L1PrivateParams : L1Params {
  enum class Write : int { evict, through };

  Bytes size{48 * KiB};
  int ways = 6;
  Bytes line{128};
  SetIndex::Kind set_index = SetIndex::Kind::hashed;
  int replacement = 0;  // row of the table of policies: LRU
  Write write = Write::evict;
  bool perfect = false;
  int mshrs = 64;
  int merges = 8;
  std::string carve_out;  // of L1CarveOut

  bool is_carved() const override { return !carve_out.empty(); }
  std::uint64_t sets() const { return size / (line * static_cast<std::uint64_t>(ways)); }
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

/// What an L1 of whole lines reports.
void for_each_stat_of_private(const L1Stats& stats, StatVisitor& visitor);
struct L1PrivateStats final : L1Stats {
  void for_each_stat(StatVisitor& visitor) const override;
};

/// Tags of whole lines and MSHRs, each of which is a fetch.
///
/// Lines are allocated when their fill arrives. Stores and atomics do not allocate; what they write makes a
/// fetch under way stale, so that its fill serves its waiters but is not kept, and later loads of the line do
/// not join it.
class L1Private final : public CacheDesignOf<L1PrivateParams, L1PrivateStats> {
 public:
  /// `seed`: of this L1.
  explicit L1Private(const L1PrivateParams& params, std::uint64_t seed = 0);
  static StorageFields storage(const L1PrivateParams& params);

  L1Decision lookup(Access& access, Cycle now, bool room) override;
  bool hit(Address line, std::uint8_t sectors) override;
  AccessFifo fill(int fetch) override;
  void expect_fill(Address line, int fetch) const override {
    mshrs_.prefetch(fetch);
    tags_.prefetch(index_(line >> line_bits_));
  }
  void flush() override;
  void share(std::uint64_t shared_bytes) override;
  int fetching() const { return mshrs_.in_use(); }
  MshrFile* mshrs() override { return &mshrs_; }
  Address victim(Address line) const override;
  bool contains(Address line, std::uint8_t sectors = 0xf) const override;

  std::uint64_t valid_lines() const { return tags_.valid_lines(); }

 private:
  static TagEntry entry(std::uint64_t number) { return {number, 0, false}; }

  L1Decision miss(Access& access, std::uint64_t number, std::uint32_t set, bool room);
  L1Decision begin_bypass(const Access& access, bool room);

  SetIndex index_;
  std::uint8_t line_bits_;
  std::uint8_t line_sectors_;
  bool perfect_;
  TagArray tags_;
  MshrFile mshrs_;
  L1CarveOut carve_out_;
};

}  // namespace strata
