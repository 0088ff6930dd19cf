#pragma once

#include <cstdint>

#include "traces/ptx/tensor_map.h"

/// Codes of bulk copies from the decoder to the operations, which share one list of rows.
namespace strata::traces::ptx {

enum class BulkReduction : std::uint8_t { none, add, min, max, inc, dec, bit_and, bit_or, bit_xor };

/// Content of Op::offset.
struct BulkCode {
  std::uint8_t dimensions = 0;  ///< of a tensor; 0: plain bytes
  bool im2col = false, multicast = false, prefetch = false;
  bool once = false;  ///< one copy for all lanes
  BulkReduction reduction = BulkReduction::none;
  TensorMap::Element element = TensorMap::Element::u8;  ///< of a reduction of plain bytes

  std::int64_t packed() const {
    return dimensions | (im2col ? 8 : 0) | (multicast ? 16 : 0) | (prefetch ? 32 : 0) |
           static_cast<int>(reduction) << 6 | static_cast<int>(element) << 10 | (once ? 1 << 14 : 0);
  }
  static BulkCode of(std::int64_t packed) {
    BulkCode code;
    code.dimensions = packed & 7;
    code.im2col = (packed & 8) != 0;
    code.multicast = (packed & 16) != 0;
    code.prefetch = (packed & 32) != 0;
    code.reduction = static_cast<BulkReduction>(packed >> 6 & 15);
    code.once = (packed >> 14 & 1) != 0;
    code.element = static_cast<TensorMap::Element>(packed >> 10 & 15);
    return code;
  }
};

/// Field that tensormap.replace changes, in Op::offset; bits from 8 on hold the dimension.
enum class MapField : std::uint8_t {
  address,
  rank,
  box,
  dim,
  stride,
  step,
  element,
  interleave,
  swizzle,
  fill
};

/// Places in Op::rows. Addresses have 64 bits, coordinates 32, offsets of im2col and the mask of thread
/// blocks 16.
enum BulkRow : std::uint8_t {
  bulk_to,
  bulk_from,
  bulk_size,
  bulk_barrier,
  bulk_ctas,
  bulk_map,
  bulk_coordinates,
  bulk_offsets = bulk_coordinates + TensorMap::most_dimensions,
  bulk_rows = bulk_offsets + 3
};

}  // namespace strata::traces::ptx
