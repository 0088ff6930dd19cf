#include "models/cache/set_index.h"

#include "models/common/gf2_matrix.h"

namespace strata {

SetIndex::SetIndex(std::uint64_t sets, Kind kind, HomeInterleave shared)
    : reciprocal_(sets),
      fold_mask_(0),
      fold_(static_cast<std::uint8_t>(kind == Kind::plain && shared.homes == 1 ? 0
                                                                               : 63 - __builtin_clzll(sets))),
      power_((sets & (sets - 1)) == 0) {
  fold_mask_ = (std::uint32_t{1} << fold_) - 1;
  usual_ = power_;
  const bool by_table = kind == Kind::polynomial || kind == Kind::fermi;
  if (fold_ == 0 || (!by_table && shared.homes == 1)) return;
  const auto special = std::make_shared<Special>(Special{kind,
                                                         Reciprocal(static_cast<std::uint64_t>(shared.homes)),
                                                         Reciprocal(static_cast<std::uint64_t>(shared.run)),
                                                         {}});
  if (by_table) special->added = kind == Kind::fermi ? added_by_fermi(fold_) : added_by_polynomial(fold_);
  special_ = special;
  usual_ = false;
}

std::uint64_t SetIndex::mixed_own(std::uint64_t number) const {
  const std::uint64_t turn = special_->run.quotient(number);
  number -= (turn - special_->homes.quotient(turn)) * special_->run.divisor();
  switch (special_->kind) {
    case Kind::plain:
      return number;
    case Kind::hashed:
      return folded(number);
    case Kind::polynomial:
    case Kind::fermi:
      return number ^ added(special_->added.data(), number >> fold_);
  }
  return number;
}

std::vector<std::uint16_t> SetIndex::added_by_polynomial(int bits) {
  const Gf2Matrix matrix = default_pae_matrix(bits + 8 * static_cast<int>(mixed_bytes), bits);
  const std::uint64_t kept = (std::uint64_t{1} << bits) - 1;
  std::vector<std::uint16_t> table(mixed_bytes << 8);
  for (std::size_t byte = 0; byte < mixed_bytes; ++byte)
    for (unsigned value = 1; value < 256; ++value) {
      const auto lowest = static_cast<std::uint64_t>(__builtin_ctz(value)) + 8 * byte;
      const std::uint64_t column =
          matrix.multiply(std::uint64_t{1} << (lowest + static_cast<unsigned>(bits)));
      table[byte << 8 | value] =
          static_cast<std::uint16_t>(table[byte << 8 | (value & (value - 1))] ^ (column & kept));
    }
  return table;
}

std::vector<std::uint16_t> SetIndex::added_by_fermi(int bits) {
  constexpr int sources[] = {6, 7, 8, 10, 12};  // of the line's number, for bits 0 to 4 of the set
  std::vector<std::uint16_t> table(mixed_bytes << 8);
  for (unsigned value = 1; value < 256; ++value)
    for (int bit = 0; bit < 5; ++bit)
      table[value] = static_cast<std::uint16_t>(table[value] | (value >> (sources[bit] - bits) & 1) << bit);
  return table;
}

}  // namespace strata
