#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/common/units.h"

namespace strata {

/// Marks of the next `cycles` cycles, in a ring of bits: in which of them there is something to do. The cycle
/// that was taken last and the marks lie less than `cycles` apart.
template <std::size_t cycles>
class CycleRing {
  static_assert(cycles >= 64 && (cycles & (cycles - 1)) == 0);

 public:
  void mark(Cycle cycle) { words_[cycle % cycles / 64] |= std::uint64_t{1} << cycle % 64; }
  /// Whether the cycle is marked; it is no more.
  bool take(Cycle cycle) {
    std::uint64_t& word = words_[cycle % cycles / 64];
    const std::uint64_t bit = std::uint64_t{1} << cycle % 64;
    if ((word & bit) == 0) return false;
    word ^= bit;
    return true;
  }
  /// The first marked cycle after `now`, or never. A mark of `now` itself does not count.
  Cycle next(Cycle now) const {
    const std::size_t start = (now + 1) % cycles;
    if constexpr (cycles == 64) {
      const std::uint64_t later = words_[0] & ~(std::uint64_t{1} << now % 64);
      const std::uint64_t turned = later >> start | later << (64 - start) % 64;
      return turned == 0 ? never : now + 1 + static_cast<Cycle>(__builtin_ctzll(turned));
    }
    std::size_t word = start / 64;
    std::uint64_t bits = words_[word] & ~std::uint64_t{0} << start % 64;
    for (std::size_t n = 0; bits == 0; ++n) {  // comes back to the first word, whose lower bits are left then
      if (n == words_.size()) return never;
      word = (word + 1) % words_.size();
      bits = words_[word];
    }
    const Cycle ahead = (word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)) - start) % cycles;
    return ahead == cycles - 1 ? never : now + 1 + ahead;
  }
  bool empty() const {
    std::uint64_t marks = 0;
    for (const std::uint64_t word : words_) marks |= word;
    return marks == 0;
  }

 private:
  std::array<std::uint64_t, cycles / 64> words_{};
};

}  // namespace strata
