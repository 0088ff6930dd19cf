#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "models/cache/replacement.h"
#include "models/common/storage.h"

namespace strata {

/// Exact LRU. The ways of a set in order of use: most recent first, empty ones last.
class ReplacementLru final : public Replacement {
 public:
  explicit ReplacementLru(const ReplacementShape& shape)
      : distance_(length(shape.ways)), ways_(shape.ways), own_(shape.sets * distance_) {
    begin(own_.data(), shape.sets);
  }
  /// The same in memory of the caller's: the order of a set lies `distance` bytes behind that of the one
  /// before.
  ReplacementLru(const ReplacementShape& shape, std::uint8_t* orders, std::size_t distance)
      : distance_(distance), ways_(shape.ways) {
    begin(orders, shape.sets);
  }
  ReplacementLru(const ReplacementLru&) = delete;  // orders_ may point into it
  ReplacementLru(ReplacementLru&&) = default;

  /// Bytes of the order of a set: whole words.
  static std::size_t length(int ways) { return static_cast<std::size_t>(ways + 7) / 8 * 8; }

  static std::uint64_t bits(int ways) {
    const auto count = static_cast<std::uint64_t>(ways);
    return count * bits_for(count);
  }

  void hit(std::uint32_t set, int way, const ReplacementContext&) override { hit_in(order(set), way); }
  /// The same in the order of a set.
  static void hit_in(std::uint8_t* place, int way) {
    if (*place == way) return;
    int carried = way;
    do {
      const int next = *place;
      *place++ = static_cast<std::uint8_t>(carried);
      carried = next;
    } while (carried != way);
  }
  void fill(std::uint32_t set, int way, const ReplacementContext&) override { hit_in(order(set), way); }
  void invalidate(std::uint32_t set, int way) override {
    std::uint8_t* const end = order(set) + ways_;
    std::uint8_t* const here = std::find(order(set), end, way);
    std::rotate(here, here + 1, end);
  }
  int victim(std::uint32_t set, WayMask candidates) const override {
    const std::uint8_t* place = order(set) + ways_ - 1;
    while ((candidates & only_way(*place)) == 0) --place;
    return *place;
  }
  /// The last way is filled: all others move back, a word at a time.
  static int fill_last_in(std::uint8_t* place, int ways) {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte of a word is its lowest");
    const int way = place[ways - 1];
    auto carried = static_cast<std::uint64_t>(way);
    std::uint8_t* const end = place + length(ways);
    do {
      std::uint64_t word;
      std::memcpy(&word, place, sizeof word);
      const std::uint64_t moved = word << 8 | carried;
      std::memcpy(place, &moved, sizeof moved);
      carried = word >> 56;
    } while ((place += sizeof(std::uint64_t)) != end);
    return way;
  }
  /// The ways of a set, most recently used first.
  std::uint8_t* order(std::size_t set) const { return orders_ + set * distance_; }

 private:
  void begin(std::uint8_t* orders, std::size_t sets) {
    orders_ = orders;
    for (std::size_t set = 0; set < sets; ++set)
      std::iota(order(set), order(set) + length(ways_), std::uint8_t{0});
  }

  std::uint8_t* orders_ = nullptr;
  std::size_t distance_;
  int ways_;
  std::vector<std::uint8_t> own_;
};

}  // namespace strata
