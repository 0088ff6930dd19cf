#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace strata::tb {

/// How many accesses a property test makes: `usual`, or more where STRATA_PROPERTY_ACCESSES asks for them.
inline std::uint64_t accesses_of_property(std::uint64_t usual) {
  const char* more = std::getenv("STRATA_PROPERTY_ACCESSES");
  return more == nullptr ? usual : std::max<std::uint64_t>(usual, std::strtoull(more, nullptr, 10));
}

/// Core cycles that a test of deadlocks lasts: `usual`, or more where STRATA_DEADLOCK_CYCLES asks for them.
inline std::uint64_t cycles_without_deadlock(std::uint64_t usual) {
  const char* more = std::getenv("STRATA_DEADLOCK_CYCLES");
  return more == nullptr ? usual : std::max<std::uint64_t>(usual, std::strtoull(more, nullptr, 10));
}

}  // namespace strata::tb
