#pragma once

#include "models/l1/l1_private.h"

namespace strata {

[[gnu::always_inline]] inline L1Decision L1Private::begin(Access& access, Cycle, bool room) {
  if (carries_request_data(access.access_class) || access.bypass_l1) return begin_past(access, room);
  const std::uint64_t number = access.line >> line_bits_;
  const std::uint32_t set = index_(number);
  const int position = tags_.find(set, entry(number));
  if (position == TagArray::absent)
    return perfect_ ? L1Decision{L1Outcome::hit} : miss(access, number, set, room);
  tags_.hit(set, position);
  return {L1Outcome::hit};
}

[[gnu::always_inline]] inline L1Decision L1Private::miss(Access& access, std::uint64_t number,
                                                         std::uint32_t set, bool room) {
  const int pending = mshrs_.find(number);
  if (pending != MshrFile::none) {
    if (!mshrs_.can_merge(pending)) return {L1Outcome::stall, L1Stall::merge_limit};
    mshrs_.merge(pending, access);
    return {L1Outcome::miss_merged, L1Stall::none, 0, static_cast<std::int16_t>(pending)};
  }
  if (mshrs_.has_closed(number)) {
    // The fetch under way may bring data from before a store of this very warp.
    if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
    ++stats_.ordering_bypasses;
    return {L1Outcome::forward};
  }
  if (mshrs_.full()) return {L1Outcome::stall, L1Stall::mshr_full};
  if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
  const int fetch = mshrs_.allocate(number, access, set);
  return {L1Outcome::miss_new, L1Stall::none, line_chunks_, static_cast<std::int16_t>(fetch)};
}

[[gnu::always_inline]] inline AccessFifo L1Private::fill(int fetch) {
  if (mshrs_.closed(fetch)) {
    ++stats_.dropped_fills;
  } else if (tags_.insert(mshrs_.set(fetch), entry(mshrs_.number(fetch))).valid()) {
    ++stats_.evictions;
  }
  return mshrs_.release(fetch);
}

}  // namespace strata
