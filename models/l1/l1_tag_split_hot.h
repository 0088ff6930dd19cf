#pragma once

#include "models/l1/l1_tag_split.h"

namespace strata {

// What misses pass: for the sources that make them only.

namespace detail {

/// The first `need` of some ways, which are then needed no more.
inline WayMask first_of(WayMask ways, int& need) {
  WayMask left = ways;
  for (; left != 0 && need > 0; --need) left &= left - 1;
  return ways ^ left;
}

}  // namespace detail

/// What groups are to a line. Its own: ways of groups with its shared tag.
[[gnu::always_inline]] inline WayMask TagSplitTags::own_groups(std::uint32_t set,
                                                               std::uint64_t number) const {
  const std::uint64_t shared = number >> shared_from_;
  const std::uint64_t* const tags = &shared_[groups_at(set)];
  WayMask own = 0, ways = first_group_;
  for (int group = 0;;) {
    if (tags[group] == shared) own |= ways;
    if (++group == group_count_) return own;
    ways <<= group_ways_;
  }
}

/// `kept`: ways that the access reads; `whole`: a line takes the rest of groups with its shared tag.
[[gnu::always_inline]] inline void TagSplitTags::choose_chunks(std::uint32_t set, WayMask own, WayMask kept,
                                                               bool whole, int& need, Room& room) const {
  const WayMask used = used_[set], reserved = reserved_[set];
  WayMask candidates = used & ~reserved & ~kept;
  // A group with something reserved must keep its tag.
  if ((reserved & ~own) != 0) candidates &= ~whole_groups(reserved & ~own);
  WayMask opened = 0;  // of groups that change their tag for the line
  while (need != 0 && candidates != 0) {
    const int victim = replacement_->victim(set, candidates);
    const WayMask way = only_way(victim);
    --need;
    candidates &= ~way;
    room.take |= way;
    room.drop |= way;
    room.chosen |= way;
    if ((own & way) != 0) {
      if (!whole) continue;
      const WayMask rest = detail::first_of(ways_of(victim / group_ways_) & candidates, need);
      room.take |= rest;
      room.drop |= rest;
      candidates &= ~rest;
      continue;
    }
    const WayMask group = ways_of(victim / group_ways_);
    room.drop |= used & group;
    if (together_) {
      room.take |= detail::first_of(group & ~room.take, need);
      candidates &= ~group;
    } else {
      opened |= group;
    }
  }
  if (need != 0) room.take |= detail::first_of(opened & ~room.take, need);
}

[[gnu::always_inline]] inline TagSplitTags::Room TagSplitTags::room(std::uint32_t set, std::uint64_t number,
                                                                    const Found& found,
                                                                    ChunkMask fresh) const {
  const WayMask used = used_[set];
  WayMask own = own_groups(set, number);
  auto need = static_cast<int>(chunk_count(fresh));
  Room room;
  if (const WayMask unused = all_ways_ & ~used; unused != 0) {
    const WayMask with_chunks = whole_groups(used);
    own &= with_chunks;
    room.take = detail::first_of(own & unused, need);
    if (need != 0) room.take |= detail::first_of(all_ways_ & ~with_chunks, need);
  }
  if (need != 0) {
    if (by_group_)
      choose_groups(set, found.ways, need, room);
    else
      choose_chunks(set, own, found.ways, whole_lines_ && fresh == all_, need, room);
  }
  room.enough = need == 0;
  return room;
}

/// One access for the policy. A victim may be unused and the rest of its group not: were their bits still set
/// when they are filled, it would look as if no way without the bit had been left.
[[gnu::always_inline]] inline int TagSplitTags::reserve(std::uint32_t set, std::uint64_t number,
                                                        ChunkMask fresh, const Room& room, const Found& found,
                                                        const Access& by) {
  if (fresh == all_) ++stats_.coarse_misses;
  if (room.drop != 0) {
    ++stats_.evictions;
    stats_.replaced_chunks += count_ways(room.drop);
    stats_.retagged_chunks += count_ways(room.drop & ~room.take);
    if (by_group_ || (room.drop & ~room.chosen) != 0) forget(set, room.drop, room.take, room.chosen);
  }
  const WayMask known = by_group_ ? units(used_[set]) & ~room.chosen : 0, taken = units(room.take);
  const std::uint64_t shared = number >> shared_from_;
  ChunkPlaces::Row places = places_.row(set);
  std::uint64_t* const tags = &shared_[groups_at(set)];
  unsigned left = fresh;
  for (WayMask ways = room.take; left != 0; left &= left - 1, ways &= ways - 1) {
    const int way = __builtin_ctzll(ways);
    places.put(way, number, static_cast<ChunkMask>(left & -left));
    tags[way / group_ways_] = shared;
  }
  used_[set] |= room.take;
  reserved_[set] |= room.take;
  replacement_->fills(set, taken & ~known, units(found.ways) | (taken & known), ReplacementContext::of(by));
  return 0;
}

}  // namespace strata
