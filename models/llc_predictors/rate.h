#pragma once

#include <cstdint>

namespace strata {

/// part / whole, 0 of nothing.
inline double rate(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace strata
