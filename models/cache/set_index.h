#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/common/named.h"
#include "models/common/reciprocal.h"

namespace strata {

/// How lines are shared out among caches: `run` neighbouring ones have the same home, the next ones the next
/// of `homes`. One home has all of them.
struct HomeInterleave {
  int homes = 1;
  int run = 1;
};

/// Which set a line belongs to, for any number of sets. `plain`: the number modulo the sets. `hashed`: the
/// number's higher bits are first folded onto its lowest ones by XOR, which spreads power-of-two strides.
/// `polynomial`: the lowest bits become the remainder of the number by a primitive polynomial over GF(2)
/// (B. R. Rau, Pseudo-randomly interleaved memory, ISCA 1991), which spreads all strides. `fermi`: the hash
/// of 32 or 64 sets that C. Nugteren et al. found in Fermi's L1 (A detailed GPU cache model based on reuse
/// distance theory, HPCA 2014), which GPGPU-Sim has too: bits 6, 7, 8, 10 and 12 of the number (13, 14, 15,
/// 17 and 19 of the address where lines are 128 B) change bits 0 to 4 of the set by XOR. Of several homes
/// each counts its own lines, so that what chose the home does not choose the set too.
class SetIndex {
 public:
  enum class Kind : int { plain, hashed, polynomial, fermi };

  /// Whether `kind` is defined for so many sets: any number, but `fermi` for 32 and 64 only.
  static bool allows(std::uint64_t sets, Kind kind) {
    return kind != Kind::fermi || sets == 32 || sets == 64;
  }

  SetIndex(std::uint64_t sets, Kind kind, HomeInterleave shared = {});

  std::uint64_t sets() const { return reciprocal_.divisor(); }

  [[gnu::always_inline]] std::uint32_t operator()(std::uint64_t number) const {
    if (usual_) return static_cast<std::uint32_t>((number ^ folds(number)) & (reciprocal_.divisor() - 1));
    if (special_ == nullptr) return static_cast<std::uint32_t>(reciprocal_.remainder(folded(number)));
    return modulo(special_->homes.divisor() == 1 ? number ^ added(special_->added.data(), number >> fold_)
                                                 : mixed_own(number));
  }

 private:
  static constexpr std::size_t mixed_bytes = 6;  // of a line's number: all that an address of 48 bits has
  /// What a polynomial, Fermi's hash or several homes need.
  struct Special {
    Kind kind;
    Reciprocal homes;
    Reciprocal run;
    /// By byte of the number above its lowest bits: what it adds to them by XOR. Empty: neither of the two.
    std::vector<std::uint16_t> added;
  };
  static std::vector<std::uint16_t> added_by_polynomial(int bits);
  static std::vector<std::uint16_t> added_by_fermi(int bits);
  /// Of several homes: the number among a home's own lines, its lowest bits changed.
  std::uint64_t mixed_own(std::uint64_t number) const;

  [[gnu::always_inline]] std::uint32_t modulo(std::uint64_t number) const {
    return static_cast<std::uint32_t>(power_ ? number & (reciprocal_.divisor() - 1)
                                             : reciprocal_.remainder(number));
  }
  /// The higher bits on top of each other; nothing where none of the lowest change (`fold_` is 0).
  [[gnu::always_inline]] std::uint64_t folds(std::uint64_t number) const {
    const std::uint64_t high = number >> fold_;
    std::uint64_t sum = high ^ high >> fold_;
    sum ^= sum >> 2 * fold_;
    return sum ^ sum >> 4 * fold_;
  }
  /// Only the lowest bits change, so blocks of consecutive numbers still fill all sets evenly.
  std::uint64_t folded(std::uint64_t number) const { return number ^ (folds(number) & fold_mask_); }
  static std::uint64_t added(const std::uint16_t* table, std::uint64_t high) {
    std::uint64_t sum = 0;
    for (std::size_t byte = 0; byte < mixed_bytes; ++byte)
      sum ^= table[byte << 8 | (high >> 8 * byte & 0xff)];
    return sum;
  }

  std::shared_ptr<const Special> special_;  // nothing for one home without a polynomial or Fermi's hash
  Reciprocal reciprocal_;
  std::uint32_t fold_mask_;
  std::uint8_t fold_;  // bits that change: the largest power of two not above the number of sets; 0: none do
  bool power_;
  bool usual_;  // a power of two, and nothing special
};

constexpr Named<SetIndex::Kind> set_index_kinds[] = {{SetIndex::Kind::plain, "plain"},
                                                     {SetIndex::Kind::hashed, "hashed"},
                                                     {SetIndex::Kind::polynomial, "polynomial"},
                                                     {SetIndex::Kind::fermi, "fermi"}};

}  // namespace strata
