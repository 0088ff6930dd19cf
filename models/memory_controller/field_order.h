#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/dram_channel/timing_set.h"

namespace strata {

/// Which bits of a byte's address within its channel choose row, bank group, bank and column: a text with a
/// letter for each bit from the most significant one on, as in Accel-Sim's address maps. R row, G bank group,
/// B bank of the group, C column, S byte of a column; dots and blanks may stand anywhere. The first letter is
/// R: the row has all bits above, too.
class FieldOrder {
 public:
  /// Call no other function of an empty text, nor of one with faults.
  explicit FieldOrder(std::string_view text);

  /// Faults where the text and the channel's geometry differ.
  static Faults check(std::string_view text, Bytes line, const TimingSet& timing);

  bool empty() const { return row_.runs.empty(); }
  std::uint64_t row(Address address) const { return row_.of(address); }
  std::uint64_t group(Address address) const { return group_.of(address); }
  std::uint64_t bank(Address address) const { return bank_.of(address); }
  /// Byte within the row.
  std::uint64_t column(Address address) const { return column_.of(address); }

 private:
  struct Run {  // of adjacent bits
    int from;   // in the address
    int to;     // in the field
    std::uint64_t mask;
  };
  struct Field {
    std::vector<Run> runs;
    int bits = 0;
    std::uint64_t of(Address address) const {
      std::uint64_t value = 0;
      for (const Run& run : runs) value |= (address >> run.from & run.mask) << run.to;
      return value;
    }
  };
  Field& field(char letter);

  Field row_, group_, bank_, column_;
};

}  // namespace strata
