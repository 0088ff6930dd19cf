#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace strata {

/// Lanes of an atomic, by 32 B sector of its line; its execution time depends on them. All 0 means unknown,
/// as for requests of traffic generators and external initiators.
struct AtomicLanes {
  static constexpr std::size_t sectors = 8;  ///< of the largest line
  /// That go to the sector. A lane of 8 or 16 B, one number or a vector, counts as two or four: as the 4 B
  /// words that it changes.
  std::array<std::uint8_t, sectors> all{};
  /// Of these, the most that go to one address; each lane counts as one.
  std::array<std::uint8_t, sectors> same{};

  /// Of these sectors.
  unsigned sum(unsigned mask) const {
    unsigned sum = 0;
    for (std::size_t i = 0; i < sectors; ++i) sum += (mask >> i & 1U) != 0 ? all[i] : 0U;
    return sum;
  }
  unsigned most_same(unsigned mask) const {
    unsigned most = 0;
    for (std::size_t i = 0; i < sectors; ++i) most = std::max(most, (mask >> i & 1U) != 0 ? same[i] : 0U);
    return most;
  }
  /// Those of `count` sectors from `first` on, as of a line that begins there.
  AtomicLanes part(unsigned first, unsigned count) const {
    AtomicLanes part;
    for (unsigned i = 0; i < count && first + i < sectors; ++i) {
      part.all[i] = all[first + i];
      part.same[i] = same[first + i];
    }
    return part;
  }
};

}  // namespace strata
