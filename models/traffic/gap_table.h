#pragma once

#include <array>
#include <cstdint>

#include "models/common/random_stream.h"
#include "models/common/units.h"

namespace strata {

/// Geometric gaps: cycles from one event to the next when every cycle brings one with the same chance.
class GapTable {
 public:
  explicit GapTable(double chance) {
    // Products only: every machine rounds them alike, which holds for no logarithm.
    double longer = 1;
    for (std::size_t i = 0; i < size; ++i) longer_[i] = RandomStream::threshold(longer *= 1 - chance);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint64_t last = ((i + 1) << row_shift) - 1;
      while (longer_[first_[i]] > last) ++first_[i];
    }
  }

  /// At least 1.
  Cycle draw(RandomStream& stream) const {
    for (Cycle before = 0;; before += size) {
      const std::uint64_t value = stream.next53();
      std::size_t cycles = first_[value >> row_shift];
      while (longer_[cycles] > value) ++cycles;
      if (cycles < size) return before + cycles + 1;
    }
  }

 private:
  static constexpr std::size_t size = 64;
  static constexpr std::size_t rows = 256;
  static constexpr int row_shift = 53 - 8;

  std::array<std::uint64_t, size + 1>
      longer_{};                            // 2^53 * chance that a gap is longer than i + 1; the last: 0
  std::array<std::uint8_t, rows> first_{};  // how many of them exceed all values that begin with i
};

}  // namespace strata
