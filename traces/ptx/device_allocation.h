#pragma once

#include <cstdint>
#include <string>

#include "models/common/units.h"

namespace strata::traces {

/// A piece of a GlobalMemory.
struct DeviceAllocation {
  std::string name;  ///< for messages
  Address address = 0;
  std::uint64_t bytes = 0;
  bool constant = false;           ///< a kernel must not write it (`.const`)
  std::uint8_t* data = nullptr;    ///< byte `address + i` is data[i]
  std::uint64_t* set = nullptr;    ///< bit i: byte i has been written; one bit a byte
  std::uint64_t unset_bytes = 0;   ///< bytes that nobody wrote; 0 = `set` need not be looked at
  std::uint64_t mapped_bytes = 0;  ///< of `data` and `set` together, whole pages
  bool of_host = false;            ///< the host reads and writes it where it is: `data` is `address`
  bool lent = false;               ///< `data` is not ours to unmap
  bool placed = false;             ///< neither is `set`, and `free` does not know it
  Address end() const { return address + bytes; }
};

/// Mark [first, first + count) as set in a bitmap of one bit a byte; returns how many were not set before.
std::uint64_t mark_set(std::uint64_t* bitmap, std::uint64_t first, std::uint64_t count);

/// The opposite; returns how many were set before.
std::uint64_t mark_unset(std::uint64_t* bitmap, std::uint64_t first, std::uint64_t count);

}  // namespace strata::traces
