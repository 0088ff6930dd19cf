#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// Bits of cycles over a window that slides with time, and grows when it is told to: what calendars are made
/// of. Several bitmaps may lie side by side, as rows.
class CycleWindow {
 public:
  /// `words`: 64 cycles each; a power of two.
  explicit CycleWindow(std::size_t words, std::size_t rows = 1)
      : rows_(rows), mask_(words - 1), bits_(words * rows) {}

  Cycle begin() const { return base_ * 64; }
  Cycle end() const { return (base_ + mask_ + 1) * 64; }
  /// The words of the 64 cycles of `cycle`, one a row.
  std::uint64_t* at(Cycle cycle) { return &bits_[(cycle / 64 & mask_) * rows_]; }
  const std::uint64_t* at(Cycle cycle) const { return &bits_[(cycle / 64 & mask_) * rows_]; }
  bool test(std::size_t row, Cycle cycle) const { return (at(cycle)[row] >> cycle % 64 & 1) != 0; }
  void set(std::size_t row, Cycle cycle) { at(cycle)[row] |= std::uint64_t{1} << cycle % 64; }
  /// The cycles from `first` to `last`.
  void set(std::size_t row, Cycle first, Cycle last) {
    for (Cycle word = first / 64; word <= last / 64; ++word) {
      std::uint64_t cycles = ~std::uint64_t{0};
      if (word == first / 64) cycles <<= first % 64;
      if (word == last / 64) cycles &= ~std::uint64_t{0} >> (63 - last % 64);
      at(word * 64)[row] |= cycles;
    }
  }
  /// The first cycle from `from` on that is free, or that is not; none in the window: its end, or `from`.
  Cycle first_free(std::size_t row, Cycle from) const { return search(row, from, ~std::uint64_t{0}); }
  Cycle first_taken(std::size_t row, Cycle from) const { return search(row, from, 0); }

  /// Nobody will ask for cycles before the 64 of `now` any more. `gone(words)` gets the words of each 64
  /// cycles that leave.
  template <class Gone>
  void slide(Cycle now, Gone gone) {
    if (now / 64 <= base_) return;
    const Cycle end = std::min(now / 64, base_ + mask_ + 1);
    for (; base_ < end; ++base_) {
      std::uint64_t* const words = at(begin());
      gone(words);
      std::fill_n(words, rows_, std::uint64_t{0});
    }
    base_ = now / 64;
  }
  void slide(Cycle now) {
    slide(now, [](const std::uint64_t*) {});
  }
  /// Make the window hold `cycle`.
  void reach(Cycle cycle) {
    while (cycle >= end()) grow();
  }

 private:
  Cycle search(std::size_t row, Cycle from, std::uint64_t flip) const {
    for (; from < end(); from = (from / 64 + 1) * 64) {
      const std::uint64_t found = (at(from)[row] ^ flip) >> from % 64 << from % 64;
      if (found != 0) return from / 64 * 64 + static_cast<Cycle>(__builtin_ctzll(found));
    }
    return from;
  }
  [[gnu::noinline]] void grow() {
    CycleWindow wider(2 * (mask_ + 1), rows_);
    for (Cycle cycle = begin(); cycle < end(); cycle += 64) std::copy_n(at(cycle), rows_, wider.at(cycle));
    bits_.swap(wider.bits_);
    mask_ = wider.mask_;
  }

  std::size_t rows_;
  std::uint64_t mask_;  // words - 1
  Cycle base_ = 0;      // first word
  std::vector<std::uint64_t> bits_;
};

}  // namespace strata
