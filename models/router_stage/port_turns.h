#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "models/common/units.h"

namespace strata {

/// TurnRing of up to 64 inputs and 64 outputs: two words a cycle, so that nothing is multiplied.
class PortTurns {
 public:
  enum Side : std::size_t { inputs, outputs };
  using Turns = std::array<std::uint64_t, 2>;  ///< by side: bit i = port i

  /// A turn in `cycle` at best, after `now`. One that lies beyond the horizon comes there, to be looked at
  /// again. Returns the cycle in which it comes.
  template <Side side>
  [[gnu::always_inline]] Cycle book(std::size_t port, Cycle cycle, Cycle now) {
    if (cycle - now - 1 >= horizon) cycle = cycle <= now ? now + 1 : now + horizon;
    (*turns_)[cycle % 64][side] |= std::uint64_t{1} << port;
    busy_ |= std::uint64_t{1} << cycle % 64;
    return cycle;
  }
  /// The turns of a cycle, which the caller clears; null if there are none.
  Turns* take(Cycle cycle) {
    const std::uint64_t bit = std::uint64_t{1} << cycle % 64;
    if ((busy_ & bit) == 0) return nullptr;
    busy_ ^= bit;
    return &(*turns_)[cycle % 64];
  }
  /// First cycle after `now` with a turn, or never. Turns of `now` itself, if not taken yet, do not count.
  Cycle next(Cycle now) const {
    const std::uint64_t later = busy_ & ~(std::uint64_t{1} << now % 64);
    const std::size_t start = (now + 1) % 64;
    const std::uint64_t turned = later >> start | later << (64 - start) % 64;
    return turned == 0 ? never : now + 1 + static_cast<Cycle>(__builtin_ctzll(turned));
  }

 private:
  static constexpr Cycle horizon = 63;
  std::uint64_t busy_ = 0;  // cycles with turns
  std::unique_ptr<std::array<Turns, 64>> turns_ = std::make_unique<std::array<Turns, 64>>();
};

}  // namespace strata
