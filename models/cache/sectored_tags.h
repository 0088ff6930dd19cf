#pragma once

#include <utility>
#include <vector>

#include "models/cache/tag_array.h"
#include "models/common/named.h"

namespace strata {

/// When a line gets its way.
enum class Allocation : int {
  on_fill,  // with the first data that comes: until then its set keeps what it has
  on_miss,  // at once: the way is reserved until all data under way is here, and no other line can have it
};

constexpr Named<Allocation> allocations[] = {{Allocation::on_fill, "on_fill"},
                                             {Allocation::on_miss, "on_miss"}};

/// What is here of a line, and of that, what memory does not have: masks of its 32 B sectors.
struct LineState {
  std::uint8_t valid = 0;
  std::uint8_t dirty = 0;
};

/// Tags of lines that may be here in part.
class SectoredTags : public TagArray {
 public:
  static constexpr int no_victim = -2;

  SectoredTags(std::uint64_t sets, int ways, Allocation allocation, int replacement, std::uint64_t seed)
      : TagArray(sets, ways, replacement, seed),
        states_(lines()),
        reserved_(allocation == Allocation::on_miss ? sets : 0) {}

  bool on_miss() const { return !reserved_.empty(); }
  LineState& state(std::uint32_t set, int way) { return states_[index(set, way)]; }
  const LineState& state(std::uint32_t set, int way) const { return states_[index(set, way)]; }

  /// The way for a new line; `no_victim` where all ways of the set are reserved.
  int victim_way(std::uint32_t set) const {
    if (!on_miss()) return victim(set);
    const WayMask free = usable() & ~reserved_[set];
    return free == 0 ? no_victim : victim(set, free);
  }
  /// Put a line there; returns what was there.
  std::pair<TagEntry, LineState> install(std::uint32_t set, int way, TagEntry line, LineState state,
                                         const Access* by = nullptr) {
    const LineState left = std::exchange(states_[index(set, way)], state);
    return {on_miss() ? replace(set, way, line, by) : insert(set, line, by), left};
  }
  /// Nothing happens where lines are allocated with their fills.
  void reserve(std::uint32_t set, int way) {
    if (on_miss()) reserved_[set] |= only_way(way);
  }
  void unreserve(std::uint32_t set, int way) {
    if (on_miss()) reserved_[set] &= ~only_way(way);
  }
  bool reserved(std::uint32_t set, int way) const {
    return on_miss() && (reserved_[set] & only_way(way)) != 0;
  }
  /// Lines are here no more, reserved or not.
  void invalidate_all() {
    TagArray::invalidate_all();
    reserved_.assign(reserved_.size(), 0);
  }

 private:
  std::size_t index(std::uint32_t set, int way) const {
    return set * static_cast<std::size_t>(ways()) + static_cast<std::size_t>(way);
  }

  std::vector<LineState> states_;
  std::vector<WayMask> reserved_;  // by set; empty where lines are allocated with their fills
};

}  // namespace strata
