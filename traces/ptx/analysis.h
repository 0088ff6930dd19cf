#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "traces/ptx/decode.h"

namespace strata::traces::ptx {

/// Where the addresses of a kernel's global accesses may come from: sets of origins, one bit each. An origin
/// is a 64-bit parameter (or a part of a structure) or a variable of the module.
struct Provenance {
  static constexpr std::uint64_t unknown = std::uint64_t{1}
                                           << 63;  ///< a value from memory or of no known origin
  std::vector<std::uint32_t> origin_rows;          ///< constant row (byte offset) of each origin
  std::map<std::uint32_t, std::uint64_t> loads;    ///< PC -> origins
  std::vector<std::uint64_t> stores;  ///< origins of every store and atomic that may touch global memory
};

/// Flow-insensitive, to a fixpoint; sound for pointers that stay 64 bits wide. Pointers that pass through
/// memory (local memory and arguments of calls included) are unknown.
Provenance trace_pointers(const DecodedKernel& kernel);

}  // namespace strata::traces::ptx
