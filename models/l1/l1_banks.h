#pragma once

#include <algorithm>
#include <vector>

#include "models/common/access.h"
#include "models/l1/l1_params.h"

namespace strata {

/// From when on the banks of an L1 take accesses. They hold its bytes in turn, a word of each; an access
/// begins when all banks that it needs are free, and takes one of them for each word that it touches there.
class L1Banks {
 public:
  L1Banks(const L1Params& params, Bytes line)
      : word_sectors_(std::max(1U, static_cast<unsigned>(params.bytes_or(line) / sector_bytes) /
                                       static_cast<unsigned>(params.banks))),
        word_cycles_(static_cast<Cycle>(params.port_cycles)) {
    if (params.banks != 1 || params.bytes_or(line) < line)
      free_.resize(static_cast<std::size_t>(params.banks));
  }

  /// A line a cycle, whatever it touches: there is nothing to know.
  bool plain() const { return free_.empty(); }
  /// The first cycle in which the sectors of a line can be had.
  [[gnu::noinline, gnu::cold]] Cycle free(Address line, std::uint8_t sectors) const {
    Cycle latest = 0;
    for_each_word(line, sectors, [&](std::size_t bank) { latest = std::max(latest, free_[bank]); });
    return latest;
  }
  [[gnu::noinline, gnu::cold]] void occupy(Address line, std::uint8_t sectors, Cycle now) {
    for_each_word(line, sectors,
                  [&](std::size_t bank) { free_[bank] = std::max(free_[bank], now) + word_cycles_; });
  }

 private:
  template <class Visit>
  void for_each_word(Address line, std::uint8_t sectors, Visit&& visit) const {
    std::uint64_t last = ~std::uint64_t{0};
    for (unsigned left = sectors; left != 0; left &= left - 1) {
      const std::uint64_t word =
          (line / sector_bytes + static_cast<unsigned>(__builtin_ctz(left))) / word_sectors_;
      if (word == last) continue;
      last = word;
      visit(static_cast<std::size_t>(word % free_.size()));
    }
  }

  unsigned word_sectors_;
  Cycle word_cycles_;
  std::vector<Cycle> free_;  // by bank; empty when plain
};

}  // namespace strata
