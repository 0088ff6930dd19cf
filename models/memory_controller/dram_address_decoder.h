#pragma once

#include <cstdint>

#include "models/common/address_map.h"
#include "models/memory_controller/field_order.h"
#include "models/memory_controller/memory_controller_params.h"

namespace strata {

/// Where a line lies in its channel.
struct DramLocation {
  int bank;  ///< group * banks_per_group + bank of the group
  std::int64_t row;
  int column;  ///< index of the line's first CAS in the row
};

/// Index of a line within its controller, dense, when the partitions of a channel rotate over `controllers`.
inline std::uint64_t index_in_controller(const AddressMap& map, Address line, int controllers) {
  const std::uint64_t index = map.local_line(line);
  if (controllers == 1) return index;
  const std::uint64_t lines = map.lines_per_partition();
  return index / lines / static_cast<std::uint64_t>(controllers) * lines + index % lines;
}

/// Decodes the dense index of a line within its channel (AddressMap::local_line) into bank, row and column.
/// Every field may have any size: powers of two are bit slices, anything else a modulo; the row takes what is
/// left. Or a text names the field of each bit (FieldOrder).
class DramAddressDecoder {
 public:
  explicit DramAddressDecoder(const MemoryControllerParams& params);
  DramLocation decode(std::uint64_t index) const {
    if (!order_.empty()) return decode_in_order(index);
    std::uint64_t group = 0;
    std::uint64_t bank = 0;
    std::uint64_t column = 0;
    switch (interleave_) {
      case Interleave::row_bank_column_group:
        group = group_.take(index);
        column = column_.take(index);
        bank = bank_.take(index);
        break;
      case Interleave::row_bank_group_column:
        column = column_.take(index);
        group = group_.take(index);
        bank = bank_.take(index);
        break;
      case Interleave::row_column_bank_group:
        group = group_.take(index);
        bank = bank_.take(index);
        column = column_.take(index);
        break;
    }
    return location(group, bank, index, static_cast<int>(column) * bursts_);
  }

 private:
  struct Digit {
    std::uint64_t size = 1;
    int shift = 0;  // -1: not a power of two
    std::uint64_t take(std::uint64_t& index) const {
      const std::uint64_t whole = index;
      index = shift >= 0 ? whole >> shift : whole / size;
      return shift >= 0 ? whole & (size - 1) : whole % size;
    }
  };
  static Digit digit(std::uint64_t size);
  DramLocation location(std::uint64_t group, std::uint64_t bank, std::uint64_t row, int column) const {
    if (bank_xor_) bank ^= row & (bank_.size - 1);
    return {static_cast<int>(group) * banks_per_group_ + static_cast<int>(bank),
            static_cast<std::int64_t>(row), column};
  }
  DramLocation decode_in_order(std::uint64_t index) const;

  FieldOrder order_;
  int line_bits_;
  std::uint64_t cas_bytes_;
  Interleave interleave_;
  bool bank_xor_;
  Digit group_;
  Digit bank_;
  Digit column_;
  int banks_per_group_;
  int bursts_;
};

}  // namespace strata
