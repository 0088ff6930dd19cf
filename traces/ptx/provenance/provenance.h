#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/ptx/decode/decoded_kernel.h"

/// Where the addresses of a kernel's accesses may come from.
namespace strata::traces::ptx {

/// What a pointer can come from: 8 bytes of a parameter, or a `.global` variable.
struct Origin {
  enum class Kind : std::uint8_t { parameter, variable } kind = Kind::parameter;
  std::uint32_t index = 0;   ///< parameter: its position; variable: of the module
  std::uint32_t offset = 0;  ///< parameter: of the 8 bytes inside it
  bool pointer = false;      ///< surely: a variable, `.ptr`, or converted by cvta
};

/// One bit an origin, and the bits below.
using OriginSet = std::uint64_t;
constexpr OriginSet from_nowhere = OriginSet{1} << 63;  ///< loaded from memory, or computed from no pointer
constexpr OriginSet from_local = OriginSet{1} << 62, from_shared = OriginSet{1} << 61;
constexpr OriginSet from_part =
    OriginSet{1} << 60;  ///< loaded 32 bits or fewer: half a pointer, perhaps; not in addresses
constexpr OriginSet device_origins = from_part - 1;

struct TracedAccess {
  enum class Kind : std::uint8_t { load, store, atomic, escape } kind = Kind::load;
  std::uint32_t pc = 0;   ///< index of DecodedKernel::code
  OriginSet origins = 0;  ///< of the address; of an escape: of the pointer that is stored
};

struct Provenance {
  std::vector<Origin> origins;
  std::vector<TracedAccess> accesses;  ///< those that may touch global memory, and escapes; ascending PC
};

/// Flow-insensitive, to a fixpoint. Follows 64-bit values and their halves through moves, sums, addends of
/// mad, bit operations, selects, loops, packing, local memory, parameters in memory and arguments of calls.
/// Products, quotients and shifts are indices, not pointers. Sound for programs whose pointers stay inside
/// the object that they are made from, as C++ demands; docs/guide/ptx.md says what that excludes.
Provenance trace_pointers(const DecodedKernel& kernel);

}  // namespace strata::traces::ptx
