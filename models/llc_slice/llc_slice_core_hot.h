#pragma once

#include "models/llc_slice/llc_slice_core.h"

namespace strata {

// What every load passes that hits: for the sources that decide. Inlined, since the calls would cost as much
// as the work.

[[gnu::always_inline]] inline LlcApplicationCounts& LlcSliceCore::count(const Access& access,
                                                                        std::uint8_t asked) {
  ++stats_.accesses;
  if (!whole_) stats_.asked_sectors += sectors_.count(sectors_.touched(asked));
  ++(access.access_class == AccessClass::store    ? stats_.writes
     : access.access_class == AccessClass::atomic ? stats_.atomics
                                                  : stats_.reads);
  LlcApplicationCounts& mine = counts_[application_place(access.application)];
  ++mine.accesses;
  return mine;
}

// The access has found the tag of its line.
[[gnu::always_inline]] inline TagEntry& LlcSliceCore::use(const LlcFound& found, const Access& access) {
  if (line_watch_ != nullptr) line_watch_->used(found.set, found.way, access);
  return tags_.hit(found.set, found.way);
}

[[gnu::always_inline]] inline void LlcSliceCore::hit_load(Access& access, const LlcFound& found) {
  TagEntry& entry = use(found, access);
  entry.set_owner(access.application);
  if (access.access_class == AccessClass::read_only_load) entry.set_read_only(true);
  LlcApplicationCounts& mine = counts_[application_place(access.application)];
  ++mine.accesses;
  ++mine.hits;
  ++stats_.accesses;
  ++stats_.reads;
  ++stats_.hits;
  ++stats_.read_hits;
  if (!whole_) stats_.asked_sectors += sectors_.count(sectors_.touched(found.asked));
}

[[gnu::always_inline]] inline LlcDecision LlcSliceCore::begin_in(std::uint32_t set, Access& access,
                                                                 bool reply_room) {
  const std::uint64_t number = access.line >> line_bits_;
  tags_.prefetch(set);  // the order of use, which is elsewhere, says only then where to look
  const int way = tags_.find(set, number);
  if (way == TagArray::absent || !whole_ || carries_request_data(access.access_class))
    return look(access, number, set, way, reply_room);
  if (!reply_room) return {LlcOutcome::stall, LlcStall::reply_queue};
  hit_load(access, {number, set, way, 0, 0});  // nothing of it is missing, whatever it asks for
  return {LlcOutcome::hit};
}

}  // namespace strata
