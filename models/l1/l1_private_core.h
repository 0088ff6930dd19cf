#pragma once

#include "models/cache/mshr_file.h"
#include "models/cache/tag_array.h"
#include "models/common/access_watch.h"
#include "models/l1/l1_private_params.h"
#include "models/l1/l1_private_stats.h"

namespace strata {

enum class L1Outcome : std::uint8_t {
  hit,
  miss_new,     // the caller fetches the line: MSHR `mshr` waits for it
  miss_merged,  // waits for a fetch under way
  forward,      // store, atomic or bypassing load: the caller sends the access itself on
  stall,        // nothing changed; try again after a fill or a departure
};

enum class L1Stall : std::uint8_t { none, mshr_full, merge_limit, miss_queue };

struct L1Decision {
  L1Outcome outcome;
  L1Stall stall = L1Stall::none;
  int mshr = MshrFile::none;
};

/// State and decisions of a private L1: tags, MSHRs and the occupancy of the miss queue.
///
/// Lines are allocated when their fill arrives. Stores and atomics do not allocate; what they write makes a
/// fetch under way stale, so that its fill serves its waiters but is not kept, and later loads of the line do
/// not join it.
class L1PrivateCore {
 public:
  explicit L1PrivateCore(const L1PrivateParams& params);

  L1Decision begin(Access& access, Cycle now) {
    if (access.access_class == AccessClass::store || access.access_class == AccessClass::atomic ||
        access.bypass_l1)
      return begin_past(access);
    const std::uint64_t number = access.line >> line_bits_;
    const std::uint32_t set = index_(number);
    const int position = tags_.find(set, number);
    if (position == TagArray::absent) return begin_miss(access, number, set, now);
    tags_.promote(set, position);
    ++stats_.requests;
    ++stats_.accesses;
    ++stats_.hits;
    if (watch_ != nullptr) watch_->seen(access, now);
    return {L1Outcome::hit};
  }
  /// One request of the miss queue has left.
  void departed() { --queued_; }
  /// The line that `mshr` waits for is here. Returns the waiters in order of arrival, the first miss in
  /// front.
  AccessFifo fill(int mshr);
  /// Drop every line. Needs `idle()`.
  void flush();
  /// No fetch under way.
  bool idle() const { return mshrs_.empty(); }
  void count_stall(L1Stall reason, Cycle cycles);
  /// Loads that are served here from now on; null: nobody watches.
  void watch(AccessWatchIf* watch) { watch_ = watch; }

  bool contains(Address line) const;
  std::uint64_t valid_lines() const;
  int queued() const { return queued_; }
  const MshrFile& mshrs() const { return mshrs_; }
  const L1PrivateParams& params() const { return params_; }
  L1PrivateStats& stats() { return stats_; }
  const L1PrivateStats& stats() const { return stats_; }

 private:
  L1Decision begin_miss(Access& access, std::uint64_t number, std::uint32_t set, Cycle now);
  L1Decision begin_past(Access& access);
  L1Decision forward(const Access& access);

  L1PrivateParams params_;
  int line_bits_;
  SetIndex index_;
  TagArray tags_;
  MshrFile mshrs_;
  int queued_ = 0;
  AccessWatchIf* watch_ = nullptr;
  L1PrivateStats stats_;
};

}  // namespace strata
