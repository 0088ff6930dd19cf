#pragma once

#include <cstdint>

#include "models/common/access.h"
#include "models/common/address_map.h"
#include "models/common/dsmem_window.h"

namespace strata {

/// The part of a request that names its destination.
enum class DestinationKind : int {
  slice,      ///< its LLC slice
  line,       ///< the number of its line
  partition,  ///< the number of its partition within its channel
  hash,       ///< the number of its line with the higher bits folded in
  sm          ///< the SM whose shared memory it is for
};

/// The number of a request's destination. The slice must be chosen before.
inline std::uint64_t destination_of(DestinationKind kind, const AddressMap& map, const Access& access) {
  if (kind == DestinationKind::slice) return static_cast<std::uint64_t>(access.slice);
  if (kind == DestinationKind::sm) return access.line >> dsmem_window_bits;
  if (kind == DestinationKind::partition) return map.local_line(access.line) / map.lines_per_partition();
  const std::uint64_t number = access.line / map.line_bytes();
  return kind == DestinationKind::line ? number : number ^ number >> 7 ^ number >> 13 ^ number >> 19;
}

}  // namespace strata
