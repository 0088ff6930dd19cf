#pragma once

#include <type_traits>
#include <utility>

#include "models/cache/set_index.h"
#include "models/l1/cache_design.h"
#include "models/l1/chunk_mshrs.h"
#include "models/l1/chunk_scale.h"
#include "models/l1/l1_by_chunks_params.h"

namespace strata {

/// An L1 whose lines lie in it chunk by chunk: what follows from where chunks lie is here, where they lie is
/// `Tags`' to say.
///
/// A load that misses some of its chunks reserves places for them at once and fetches those that no earlier
/// load has requested, in a fetch of its own; what is there is read meanwhile. Reserved chunks are never
/// evicted: where only they are left, the load stalls. Stores and atomics do not allocate; what they write
/// drops chunks and makes a fetch under way stale, so that its fill serves its waiters but is not kept, and
/// later loads of the line do not join it.
///
/// Tags: types Params (derived from L1ByChunksParams), Stats (from L1ByChunksStats), Found and Room, and
///   asked()    the chunks that an access really asks for
///   find()     what is there of a line (`present`), and what is reserved (`coming`)
///   use()      an access has asked for what was found, and for nothing else that gets room
///   missed()   a load misses some chunks and fetches those of them that are not requested yet
///   room()     where some chunks could go; false in a test: nowhere now. Changes nothing
///   reserve()  they go there, and the same access has asked for what was found; in how many cycles more than
///              one
///   arrive()   reserved chunks are filled; with ways() of the room that they were given
///   drop()     chunks of a line go, present or reserved; whether there were any
///   clear()    all go; how many lines there were
template <class Tags>
class L1ByChunks final : public CacheDesignOf<typename Tags::Params, typename Tags::Stats> {
  using Base = CacheDesignOf<typename Tags::Params, typename Tags::Stats>;
  using Base::params_;
  using Base::stats_;

 public:
  using typename Base::Params;
  using typename Base::Stats;

  /// `others...`: what Tags takes beside its parameters, its counters and the seed of this L1.
  template <class... Others, class = std::enable_if_t<std::is_constructible_v<Tags, const Params&, Stats&,
                                                                              std::uint64_t, Others...>>>
  explicit L1ByChunks(const Params& params, std::uint64_t seed = 0, Others&&... others)
      : Base(params, params.mshrs * params.line_chunks()),
        index_(params.sets(), params.set_index, params.shared),
        line_bits_(__builtin_ctzll(params.line)),
        scale_(params.line, params.chunk),
        tags_(params, stats_, seed, std::forward<Others>(others)...),
        mshrs_(params.mshrs, params.merges, params.line_chunks()) {}
  L1ByChunks(const L1ByChunks&) = delete;
  L1ByChunks& operator=(const L1ByChunks&) = delete;
  static StorageFields storage(const Params& params) { return Tags::storage(params); }

  L1Decision lookup(Access& access, Cycle now, bool room) override;
  AccessFifo fill(int fetch) override;
  void flush() override {
    stats_.flushed_lines += tags_.clear();
    mshrs_.make_all_stale();
  }
  int fetching() const { return mshrs_.fetching(); }
  MshrFile* mshrs() override { return &mshrs_.file(); }
  bool contains(Address line, std::uint8_t chunks = 0xf) const override {
    const ChunkMask asked = scale_.of_line(chunks);
    return (asked & ~present(line, asked)) == 0;
  }
  bool contains_some(Address line, std::uint8_t chunks) const override {
    const ChunkMask asked = scale_.of_line(chunks);
    return (asked & present(line, asked)) != 0;
  }
  const Tags& tags() const { return tags_; }

 private:
  ChunkMask present(Address line, ChunkMask asked) const {
    return tags_.find(index_(line >> line_bits_), line >> line_bits_, asked).present;
  }
  L1Decision miss(Access& access, std::uint64_t number, std::uint32_t set, ChunkMask asked,
                  const typename Tags::Found& found, bool room);
  L1Decision begin_bypass(const Access& access, bool room);

  SetIndex index_;
  int line_bits_;
  ChunkScale scale_;
  Tags tags_;
  ChunkMshrs mshrs_;
};

template <class Tags>
L1Decision L1ByChunks<Tags>::lookup(Access& access, Cycle, bool room) {
  if (access.access_class == AccessClass::store || access.access_class == AccessClass::atomic ||
      access.bypass_l1)
    return begin_bypass(access, room);
  const std::uint64_t number = access.line >> line_bits_;
  const std::uint32_t set = index_(number);
  const ChunkMask asked = tags_.asked(set, scale_.of(access));
  const auto found = tags_.find(set, number, asked);
  if ((asked & ~found.present) != 0) return miss(access, number, set, asked, found, room);
  tags_.use(set, found, access);
  return {L1Outcome::hit};
}

template <class Tags>
L1Decision L1ByChunks<Tags>::miss(Access& access, std::uint64_t number, std::uint32_t set, ChunkMask asked,
                                  const typename Tags::Found& found, bool room) {
  int id = mshrs_.find(number);
  const auto missing = static_cast<ChunkMask>(asked & ~found.present);
  const bool open = id != ChunkMshrs::none;
  if (!open && mshrs_.has_stale(number)) {
    // The fetch under way may bring data from before a store of this very warp.
    if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
    ++stats_.ordering_bypasses;
    tags_.missed(set, missing, 0);
    return {L1Outcome::forward};
  }
  if (open && !mshrs_.can_join(id)) return {L1Outcome::stall, L1Stall::merge_limit};
  const auto fresh = static_cast<ChunkMask>(open ? missing & ~mshrs_.under_way(id) : missing);
  if (fresh == 0) {
    tags_.use(set, found, access);
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
  const int more_cycles = tags_.reserve(set, number, fresh, places, found, access);
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
L1Decision L1ByChunks<Tags>::begin_bypass(const Access& access, bool room) {
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
