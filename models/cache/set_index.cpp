#include "models/cache/set_index.h"

#include "models/common/gf2_matrix.h"

namespace strata {

std::vector<std::uint16_t> SetIndex::remainders(int bits) {
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

}  // namespace strata
