#pragma once

#include "models/l1/l1_by_chunks.h"

namespace strata {

// What every access of an L1 of chunks passes: for the designs that are one.

template <class Tags>
[[gnu::always_inline]] inline L1Decision L1ByChunks<Tags>::lookup(Access& access, Cycle, bool room) {
  if (access.access_class == AccessClass::store || access.access_class == AccessClass::atomic ||
      access.bypass_l1)
    return begin_past(access, room);
  const std::uint64_t number = access.line >> line_bits_;
  const std::uint32_t set = index_(number);
  const ChunkMask asked = tags_.asked(set, scale_.of(access));
  const auto found = tags_.find(set, number, asked);
  if ((asked & ~found.present) != 0) return miss(access, number, set, asked, found, room);
  tags_.use(set, found);
  return {L1Outcome::hit};
}

template <class Tags>
L1Decision L1ByChunks<Tags>::miss(Access& access, std::uint64_t number, std::uint32_t set, ChunkMask asked,
                                  const typename Tags::Found& found, bool room) {
  int id = mshrs_.find(number);
  const auto missing = static_cast<ChunkMask>(asked & ~found.present);
  const bool open = id != ChunkMshrs::none;
  if (!open && mshrs_.has_closed(number)) {
    // The fetch under way may bring data from before a store of this very warp.
    if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
    ++stats_.ordering_bypasses;
    tags_.missed(set, missing, 0);
    return {L1Outcome::forward};
  }
  if (open && !mshrs_.can_join(id)) return {L1Outcome::stall, L1Stall::merge_limit};
  const auto fresh = static_cast<ChunkMask>(open ? missing & ~mshrs_.under_way(id) : missing);
  if (fresh == 0) {
    tags_.use(set, found);
    tags_.missed(set, missing, 0);
    mshrs_.join(id, access, missing);
    return {L1Outcome::miss_merged, L1Stall::none, 0, static_cast<std::int16_t>(mshrs_.last(id, missing))};
  }
  if (!open && mshrs_.full()) return {L1Outcome::stall, L1Stall::mshr_full};
  if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
  const auto places = tags_.room(set, number, found, fresh);
  if (!places) return {L1Outcome::stall, L1Stall::set_full};
  if (missing != asked) ++stats_.partial_misses;
  stats_.fetched_chunks += chunk_count(fresh);
  tags_.missed(set, missing, fresh);
  const int more_cycles = tags_.reserve(set, number, fresh, places, found);
  if (open)
    mshrs_.join(id, access, missing);
  else
    id = mshrs_.allocate(number, set, access, missing);
  const int fetch = mshrs_.ask(id, fresh, places.ways());
  return {L1Outcome::miss_new,
          L1Stall::none,
          scale_.in_32_bytes(fresh),
          static_cast<std::int16_t>(fetch),
          static_cast<std::uint8_t>(more_cycles),
          scale_.in_parts(fresh)};
}

template <class Tags>
L1Decision L1ByChunks<Tags>::begin_past(const Access& access, bool room) {
  if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
  const std::uint64_t number = access.line >> line_bits_;
  const bool store = access.access_class == AccessClass::store;
  const bool writes = store || access.access_class == AccessClass::atomic;
  const std::uint32_t set = index_(number);
  const ChunkMask gone = params_.evict == L1ByChunksParams::Evict::line ? scale_.all() : scale_.of(access);
  const auto found = tags_.find(set, number, gone);
  if ((found.present & gone) != 0) {
    if (store) ++stats_.write_hits;
    ++stats_.write_evictions;
    tags_.drop(set, number, static_cast<ChunkMask>(found.present & gone));
  }
  const int pending = writes ? mshrs_.find(number) : ChunkMshrs::none;
  if (pending != ChunkMshrs::none && (mshrs_.under_way(pending) & gone) != 0) {
    tags_.drop(set, number, mshrs_.under_way(pending));
    mshrs_.close(pending);
  }
  return {L1Outcome::forward};
}

template <class Tags>
AccessFifo L1ByChunks<Tags>::fill(int fetch) {
  if (mshrs_.closed(fetch))
    ++stats_.dropped_fills;
  else
    tags_.arrive(mshrs_.set(fetch), mshrs_.number(fetch), mshrs_.chunks(fetch), mshrs_.ways(fetch));
  return mshrs_.arrive(fetch);
}

}  // namespace strata
