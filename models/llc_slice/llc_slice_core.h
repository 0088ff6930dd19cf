#pragma once

#include <array>
#include <cstdint>

#include "models/cache/fill_units.h"
#include "models/cache/llc_set_index.h"
#include "models/cache/mshr_file.h"
#include "models/common/address_map.h"
#include "models/llc_control/llc_flush.h"
#include "models/llc_slice/line_use_if.h"
#include "models/llc_slice/llc_decision.h"
#include "models/llc_slice/llc_slice_params.h"
#include "models/llc_slice/llc_slice_stats.h"

namespace strata {

/// State and decisions of an LLC slice: tags, MSHRs and the occupancy of the queue of writes to memory.
///
/// Lines may have sectors (FillUnits): a miss fetches those that are missing and not requested yet, an
/// MSHR waits for all fetches of its line. A store of whole sectors needs no fetch. Requests may be smaller
/// than a line. Owners of lines are kept for contention trackers. Timing, replies and the order of requests
/// are the shell's.
class LlcSliceCore {
 public:
  /// `seed`: of this slice.
  LlcSliceCore(const LlcSliceParams& params, const AddressMap& map, std::uint64_t seed = 0);

  /// The observer of what accesses do to lines; null: none.
  void watch_lines(LineUseIf* watch) { line_watch_ = watch; }
  /// `reply_room`: whether a request that can be answered finds room for its reply.
  LlcDecision begin(Access& access, Cycle now, bool reply_room = true);
  /// The same of a load that this slice makes for a prefetch, of a line that is neither here nor under way.
  /// It is no request: `miss_new`, or a stall.
  LlcDecision begin_prefetch(Access& access);
  /// The line that leaves, whole, where one gets the way now that belongs to `line`; no_line: none leaves.
  Address victim(Address line) const;
  static constexpr Address no_line = ~Address{0};
  std::uint32_t set_of(Address line) const { return index_(line); }
  /// Prefetch the tags that an access of this line will need.
  void expect(Address line) const { tags_.prefetch(index_(line)); }
  /// False while the fill's victim or write finds no room in the write queue.
  bool can_fill(int mshr) const;
  /// `sectors` that were asked for are here.
  LlcFilled fill(int mshr, std::uint8_t sectors);
  /// One write of the write queue has left for memory.
  void write_departed() { --writes_queued_; }

  /// Flush: first every dirty line is written back and stays as a clean one, then lines are dropped. Needs
  /// `idle()`. Returns false when no dirty line is left, having dropped the lines. Needs `write_room()`. With
  /// fewer applications than all only theirs are concerned, and only they need to be idle.
  bool flush_step(LlcFlush what, ApplicationSet whose, MemoryWrite& write);
  /// Drop every line without writing: the slice is as before the first access. Needs `idle()`. Counts a
  /// flush.
  void drop_all();
  bool write_room() const { return writes_queued_ < params_.write_queue; }
  bool idle() const { return mshrs_.empty(); }
  /// Change the write policy of some applications, unless the parameters say `through`; only while none of
  /// their lines is dirty and nothing of theirs is under way.
  void set_write_through(ApplicationSet whose, bool on) {
    const bool through = on || params_.write == LlcSliceParams::Write::through;
    write_through_ = through ? write_through_ | whose : write_through_ & ~whose;
  }
  void count_stall(LlcStall reason, Cycle cycles);
  /// An atomic was decided: the cycles for which its lanes take the pipeline, counted. 1 where lanes cost
  /// nothing.
  Cycle execute(const Access& atomic);
  /// Lines that read-only loads of these applications bring may have replicas in other slices; this one is
  /// `slice` of the LLC.
  void expect_replicas(ApplicationSet whose, int slice) {
    own_slice_ = slice;
    replicating_ |= whose;
  }
  /// Between kernels: the next may write what the last only read.
  void forget_read_only(ApplicationSet whose);
  /// A store to a line that a read-only load has brought, since the last call: the analysis was wrong.
  /// Returns false when there was none.
  bool take_read_only_store(Address& line);
  bool has_read_only_store() const { return read_only_stored_; }

  /// Put a line here, clean and whole, unless its set has no room but that of dirty or reserved lines. Counts
  /// nothing.
  void warm(Address line);
  /// The sectors of its line that a request asks for.
  std::uint8_t asked_by(const Access& access) const {
    return static_cast<std::uint8_t>(access.sectors << (access.line / sector_bytes & sector_in_line_));
  }
  Address line_of(Address address) const { return address >> line_bits_ << line_bits_; }
  /// All of these sectors are here: an access would hit.
  bool contains(Address line, std::uint8_t sectors = 0xff) const;
  bool dirty(Address line) const;
  std::uint64_t valid_lines() const { return tags_.valid_lines(); }
  std::uint64_t dirty_lines(ApplicationSet whose) const;
  int writes_queued() const { return writes_queued_; }
  const TagArray& tags() const { return tags_; }
  const MshrFile& mshrs() const { return mshrs_; }
  const LlcSliceParams& params() const { return params_; }
  LlcSliceStats& stats() { return stats_; }
  const LlcSliceStats& stats() const { return stats_; }
  const LlcApplicationCounts& counts(int application) const {
    return counts_[static_cast<std::size_t>(application)];
  }
  /// The same of some applications together.
  LlcApplicationCounts counted(ApplicationSet whose) const { return sum_of(counts_, whose); }
  /// Lines of some applications that are being fetched now.
  int fetches(ApplicationSet whose) const;
  void reset_stats();

 private:
  LlcDecision look(Access& access, std::uint64_t number, std::uint32_t set, int way, bool reply_room);
  void hit_load(Access& access, const LlcFound& found);
  LlcDecision hit(Access& access, const LlcFound& found);
  LlcDecision miss(Access& access, const LlcFound& found, bool reply_room);
  LlcDecision fetch(Access& access, const LlcFound& found, std::uint8_t sectors, int pending);
  bool can_merge(int mshr, std::uint8_t sectors) const {
    if (params_.mshr_sectors == 0) return mshrs_.can_merge(mshr);
    return mshrs_.can_merge(mshr, sectors, [](const Access& waiter) { return waiter.tag & 0xffU; });
  }
  LlcDecision begin_fetch(Access& access, const LlcFound& found, std::uint8_t sectors, int pending,
                          std::uint8_t& fresh);
  LlcDecision reserve(const Access& access, const LlcFound& found);
  LlcDecision write_around(Access& access, const LlcFound& found);
  LlcDecision write_sectors(Access& access, const LlcFound& found);
  LlcApplicationCounts& count(const Access& access, std::uint8_t asked);
  void count_miss(const Access& access, const LlcFound& found);
  void count_store(const LlcFound& found, std::uint8_t fetched);
  void change(const LlcFound& found, const Access& access);
  TagEntry& use(const LlcFound& found, const Access& access);
  MemoryWrite install(std::uint32_t set, int way, TagEntry entry, LineState state, const Access& by);
  MemoryWrite write_back(const TagEntry& entry, const LineState& state);
  MemoryWrite queue_write(Address line, std::uint8_t sectors, unsigned application);
  bool through(const Access& access) const { return belongs(access.application, write_through_); }
  LlcServed serve(int mshr, std::uint8_t sectors);
  LlcServed serve_all(int mshr, std::uint8_t sectors);
  void note_read_only_store(const Access& access);
  bool is_replica(const TagEntry& entry) const;
  void drop_replicas(ApplicationSet whose);

  // What every load that hits touches lies in the first cache lines.
  alignas(64) LineUseIf* line_watch_ = nullptr;
  std::uint8_t line_bits_;
  std::uint8_t sector_in_line_;
  bool read_only_stored_ = false;
  const bool whole_;  // a line is here with its fill and all of it, or not at all
  SectoredTags tags_;
  LlcSetIndex index_;
  alignas(64) LlcSliceStats stats_;
  alignas(64) std::array<LlcApplicationCounts, max_applications> counts_{};
  FillUnits units_;
  LlcSliceParams params_;
  const AddressMap& map_;
  MshrFile mshrs_;
  SectorLimit limit_;
  int writes_queued_ = 0, own_slice_ = no_slice;  // the latter set where lines may have replicas
  std::uint32_t flush_set_ = 0;
  ApplicationSet replicating_ = 0, write_through_;
  Address read_only_line_ = 0;
};

}  // namespace strata
