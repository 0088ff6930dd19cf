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
      : ways_(shape.ways), length_(length(ways_)), distance_(length_), own_(shape.sets * length_) {
    begin(own_.data(), shape.sets);
  }
  /// The same in memory of the caller's: the order of a set lies `distance` bytes behind that of the one
  /// before.
  ReplacementLru(const ReplacementShape& shape, std::uint8_t* orders, std::size_t distance)
      : ways_(shape.ways), length_(length(ways_)), distance_(distance) {
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

  void hit(std::uint32_t set, int way) override {
    std::uint8_t* place = of(set);
    if (*place == way) return;
    int carried = way;
    do {
      const int next = *place;
      *place++ = static_cast<std::uint8_t>(carried);
      carried = next;
    } while (carried != way);
  }
  void fill(std::uint32_t set, int way) override { hit(set, way); }
  void invalidate(std::uint32_t set, int way) override {
    std::uint8_t* const end = of(set) + ways_;
    std::uint8_t* const here = std::find(of(set), end, way);
    std::rotate(here, here + 1, end);
  }
  void invalidate_all() override {}  // empty ways are all alike
  int victim(std::uint32_t set, WayMask candidates) const override {
    const std::uint8_t* place = order(set) + ways_ - 1;
    while ((candidates & only_way(*place)) == 0) --place;
    return *place;
  }
  /// The way that makes room if any may.
  int last(std::uint32_t set) const { return order(set)[ways_ - 1]; }
  /// It is filled: all others move back, a word at a time.
  int fill_last(std::uint32_t set) {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte of a word is its lowest");
    std::uint8_t* place = of(set);
    const int way = place[ways_ - 1];
    auto carried = static_cast<std::uint64_t>(way);
    std::uint8_t* const end = place + length_;
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
  const std::uint8_t* order(std::size_t set) const { return orders_ + set * distance_; }

 private:
  std::uint8_t* of(std::size_t set) { return orders_ + set * distance_; }
  void begin(std::uint8_t* orders, std::size_t sets) {
    orders_ = orders;
    for (std::size_t set = 0; set < sets; ++set) std::iota(of(set), of(set) + length_, std::uint8_t{0});
  }

  int ways_;
  std::size_t length_;
  std::uint8_t* orders_ = nullptr;
  std::size_t distance_;
  std::vector<std::uint8_t> own_;
};

}  // namespace strata
