#pragma once

#include <cstdint>

#include "models/common/access.h"

namespace strata {

/// One outstanding fill of a MshrFile.
struct alignas(64) MshrRegister {
  static constexpr std::uint16_t nil = 0xffff;

  std::uint64_t number = 0;  // of the line
  AccessFifo waiters;
  std::uint32_t set = 0;
  std::uint16_t next = nil;  // in the bucket's chain, or in the free list
  std::uint16_t merged = 0;  // accesses that have waited, the first miss included
  std::uint8_t issued = 0;   // chunks; caches without sectors leave it
  bool closed = false;
};

}  // namespace strata
