#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// Which inputs and outputs of a network have a turn in which of the next 64 cycles: a ring of bitmaps. Later
/// turns are entered at the horizon and looked at again there.
class PortCalendar {
 public:
  PortCalendar(std::size_t inputs, std::size_t outputs)
      : input_words_(static_cast<std::uint32_t>((inputs + 63) / 64)),
        words_(input_words_ + static_cast<std::uint32_t>((outputs + 63) / 64)),
        ring_(horizon * words_) {}

  /// Enter a turn; returns the cycle in which it will come up.
  Cycle book_input(std::size_t input, Cycle cycle, Cycle now) {
    return book(input / 64, input % 64, cycle, now);
  }
  Cycle book_output(std::size_t output, Cycle cycle, Cycle now) {
    return book(input_words_ + output / 64, output % 64, cycle, now);
  }
  /// The turns of cycle `now`: words of inputs, then words of outputs; null if there are none. The caller
  /// clears them.
  std::uint64_t* take(Cycle now) {
    const std::size_t slot = now % horizon;
    if ((occupied_ >> slot & 1) == 0) return nullptr;
    occupied_ &= ~(std::uint64_t{1} << slot);
    return &ring_[slot * words_];
  }
  std::size_t input_words() const { return input_words_; }
  std::size_t output_words() const { return words_ - input_words_; }

  /// First cycle after `now` with a turn, or never.
  Cycle next(Cycle now) const {
    // The turns of `now` itself, if not taken yet, are not after it.
    const std::uint64_t later = occupied_ & ~(std::uint64_t{1} << now % horizon);
    if (later == 0) return never;
    const unsigned first = static_cast<unsigned>((now + 1) % horizon);
    const std::uint64_t turned = first == 0 ? later : later >> first | later << (horizon - first);
    return now + 1 + static_cast<Cycle>(__builtin_ctzll(turned));
  }
  bool empty() const { return occupied_ == 0; }

 private:
  static constexpr std::size_t horizon = 64;

  [[gnu::always_inline]] Cycle book(std::size_t word, std::size_t bit, Cycle cycle, Cycle now) {
    if (cycle - now - 1 >= horizon - 1) cycle = cycle <= now ? now + 1 : now + horizon - 1;
    const std::size_t slot = cycle % horizon;
    ring_[slot * words_ + word] |= std::uint64_t{1} << bit;
    occupied_ |= std::uint64_t{1} << slot;
    return cycle;
  }

  std::uint64_t occupied_ = 0;
  std::uint32_t input_words_;
  std::uint32_t words_;
  std::vector<std::uint64_t> ring_;
};

}  // namespace strata
