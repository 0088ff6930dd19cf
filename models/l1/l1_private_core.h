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
    std::uint32_t set;
    return hits(access, now, set) ? L1Decision{L1Outcome::hit} : miss(access, now, set);
  }
  // The same in two steps: when the access does not hit, nothing has changed but `set`, for the second.
  bool hits(Access& access, Cycle now, std::uint32_t& set);
  L1Decision miss(Access& access, Cycle now, std::uint32_t set);
  /// One request of the miss queue has left.
  void departed() { --queued_; }
  /// When the line will be here is known: the waiters so far are told before the fill. In order of arrival,
  /// the first miss in front.
  AccessFifo let_go(int mshr) { return mshrs_.let_go(mshr); }
  /// The line that `mshr` waits for is here. Returns the waiters that are left in order of arrival.
  AccessFifo fill(int mshr);
  /// Drop every line. Needs `idle()`.
  void flush();
  /// No fetch under way.
  bool idle() const { return mshrs_.empty(); }
  void count_stall(L1Stall reason, Cycle cycles);
  /// Loads that are served here from now on; null: nobody watches.
  void watch(AccessWatchIf* watch) { watch_ = watch; }

  bool contains(Address line) const;
  std::uint64_t valid_lines() const { return tags_.valid_lines(); }
  int queued() const { return queued_; }
  const MshrFile& mshrs() const { return mshrs_; }
  const L1PrivateParams& params() const { return params_; }
  L1PrivateStats& stats() { return stats_; }
  const L1PrivateStats& stats() const { return stats_; }

 private:
  static constexpr std::uint32_t no_set = ~std::uint32_t{0};  // of accesses that look nothing up

  static TagEntry entry(std::uint64_t number) { return {number, 0, false}; }

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

[[gnu::always_inline]] inline bool L1PrivateCore::hits(Access& access, Cycle now, std::uint32_t& set) {
  set = no_set;
  if (access.access_class == AccessClass::store || access.access_class == AccessClass::atomic ||
      access.bypass_l1)
    return false;
  const std::uint64_t number = access.line >> line_bits_;
  set = index_(number);
  const int position = tags_.find(set, entry(number));
  if (position == TagArray::absent) return false;
  tags_.hit(set, position);
  ++stats_.requests;
  ++stats_.accesses;
  ++stats_.hits;
  if (watch_ != nullptr) watch_->seen(access, now);
  return true;
}

[[gnu::always_inline]] inline L1Decision L1PrivateCore::miss(Access& access, Cycle now, std::uint32_t set) {
  if (set == no_set) return begin_past(access);
  const std::uint64_t number = access.line >> line_bits_;
  const int pending = mshrs_.find(number);
  if (pending != MshrFile::none) {
    if (!mshrs_.can_merge(pending)) return {L1Outcome::stall, L1Stall::merge_limit};
    mshrs_.merge(pending, access);
    ++stats_.requests;
    ++stats_.accesses;
    ++stats_.merges;
    if (watch_ != nullptr) watch_->seen(access, now);
    return {L1Outcome::miss_merged, L1Stall::none, pending};
  }
  if (mshrs_.has_closed(number)) {
    // The fetch under way may bring data from before a store of this very warp.
    const L1Decision decision = forward(access);
    if (decision.outcome == L1Outcome::forward) ++stats_.ordering_bypasses;
    return decision;
  }
  if (mshrs_.full()) return {L1Outcome::stall, L1Stall::mshr_full};
  if (queued_ >= params_.miss_queue) return {L1Outcome::stall, L1Stall::miss_queue};
  ++queued_;
  ++stats_.requests;
  ++stats_.accesses;
  ++stats_.misses;
  ++stats_.requests_to_llc;
  return {L1Outcome::miss_new, L1Stall::none, mshrs_.allocate(number, access, set)};
}

inline AccessFifo L1PrivateCore::fill(int mshr) {
  ++stats_.fills;
  if (mshrs_.closed(mshr)) {
    ++stats_.dropped_fills;
  } else if (tags_.insert(mshrs_.set(mshr), entry(mshrs_.number(mshr))).valid()) {
    ++stats_.evictions;
  }
  return mshrs_.release(mshr);
}

}  // namespace strata
