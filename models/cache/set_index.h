#pragma once

#include <cstdint>
#include <vector>

#include "models/common/named.h"
#include "models/common/reciprocal.h"

namespace strata {

/// Which set a line belongs to, for any number of sets. `plain`: the number modulo the sets. `hashed`: the
/// number's higher bits are first folded onto its lowest ones by XOR, which spreads power-of-two strides.
/// `polynomial`: the lowest bits become the remainder of the number by a primitive polynomial over GF(2)
/// (B. R. Rau, Pseudo-randomly interleaved memory, ISCA 1991), which spreads all strides.
class SetIndex {
 public:
  enum class Kind : int { plain, hashed, polynomial };

  SetIndex(std::uint64_t sets, Kind kind)
      : reciprocal_(sets),
        fold_(kind == Kind::plain ? 0 : fold_bits(sets)),
        fold_mask_((std::uint64_t{1} << fold_) - 1),
        power_((sets & (sets - 1)) == 0),
        remainders_(kind == Kind::polynomial && fold_ != 0 ? remainders(fold_)
                                                           : std::vector<std::uint16_t>()) {}

  std::uint64_t sets() const { return reciprocal_.divisor(); }

  [[gnu::always_inline]] std::uint32_t operator()(std::uint64_t number) const {
    if (fold_ != 0) {
      // Only the lowest bits change, so blocks of consecutive numbers still fill all sets evenly.
      const std::uint64_t high = number >> fold_;
      if (!remainders_.empty()) {
        number ^= remainder(high);
      } else {
        std::uint64_t folded = high ^ high >> fold_;
        folded ^= folded >> 2 * fold_;
        folded ^= folded >> 4 * fold_;
        number ^= folded & fold_mask_;
      }
    }
    return static_cast<std::uint32_t>(power_ ? number & (reciprocal_.divisor() - 1)
                                             : reciprocal_.remainder(number));
  }

 private:
  /// Bits that the fold may change: the largest power of two not above the number of sets.
  static int fold_bits(std::uint64_t sets) { return 63 - __builtin_clzll(sets); }
  /// By byte of the number above its `bits` lowest bits: what it adds to the remainder of degree `bits`.
  static std::vector<std::uint16_t> remainders(int bits);
  std::uint64_t remainder(std::uint64_t high) const {
    std::uint64_t sum = 0;
    for (std::size_t byte = 0; byte < mixed_bytes; ++byte)
      sum ^= remainders_[byte << 8 | (high >> 8 * byte & 0xff)];
    return sum;
  }

  static constexpr std::size_t mixed_bytes = 6;  // of a line's number: all that an address of 48 bits has
  Reciprocal reciprocal_;
  int fold_;
  std::uint64_t fold_mask_;
  bool power_;
  std::vector<std::uint16_t> remainders_;  // empty: no polynomial
};

constexpr Named<SetIndex::Kind> set_index_kinds[] = {{SetIndex::Kind::plain, "plain"},
                                                     {SetIndex::Kind::hashed, "hashed"},
                                                     {SetIndex::Kind::polynomial, "polynomial"}};

}  // namespace strata
