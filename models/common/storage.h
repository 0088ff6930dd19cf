#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata {

/// Bits of addresses that tags must tell apart: those of real traces have 47.
constexpr int address_bits = 47;

/// Storage of a block by field, worked out from its parameters.
struct StorageField {
  std::string name;
  std::uint64_t entries;
  std::uint64_t bits;  ///< of one entry
};
using StorageFields = std::vector<StorageField>;

/// Bits that tell `choices` things apart.
constexpr std::uint64_t bits_for(std::uint64_t choices) {
  return choices < 2 ? 0 : 64 - static_cast<std::uint64_t>(__builtin_clzll(choices - 1));
}

}  // namespace strata
