#pragma once

#include <cstdint>

#include "models/common/named.h"
#include "models/common/reciprocal.h"

namespace strata {

/// Which set a line belongs to, for any number of sets. `plain`: the number modulo the sets. `hashed`: the
/// number's higher bits are first folded onto its lowest ones by XOR, which spreads power-of-two strides.
class SetIndex {
 public:
  enum class Kind : int { plain, hashed };

  SetIndex(std::uint64_t sets, Kind kind)
      : reciprocal_(sets),
        fold_(kind == Kind::hashed ? fold_bits(sets) : 0),
        fold_mask_((std::uint64_t{1} << fold_) - 1),
        power_((sets & (sets - 1)) == 0) {}

  std::uint64_t sets() const { return reciprocal_.divisor(); }

  [[gnu::always_inline]] std::uint32_t operator()(std::uint64_t number) const {
    if (fold_ != 0) {
      // Only the lowest bits change, so blocks of consecutive numbers still fill all sets evenly.
      const std::uint64_t high = number >> fold_;
      std::uint64_t folded = high ^ high >> fold_;
      folded ^= folded >> 2 * fold_;
      folded ^= folded >> 4 * fold_;
      number ^= folded & fold_mask_;
    }
    return static_cast<std::uint32_t>(power_ ? number & (reciprocal_.divisor() - 1)
                                             : reciprocal_.remainder(number));
  }

 private:
  /// Bits that the fold may change: the largest power of two not above the number of sets.
  static int fold_bits(std::uint64_t sets) { return 63 - __builtin_clzll(sets); }

  Reciprocal reciprocal_;
  int fold_;
  std::uint64_t fold_mask_;
  bool power_;
};

constexpr Named<SetIndex::Kind> set_index_kinds[] = {{SetIndex::Kind::plain, "plain"},
                                                     {SetIndex::Kind::hashed, "hashed"}};

}  // namespace strata
