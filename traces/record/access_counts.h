#pragma once

#include "traces/record/lane_form.h"

namespace strata::traces::record {

/// Properties of the lines of an access that do not depend on its address.
struct AccessShape {
  bool global = false, shared = false;
  bool dense = false;      ///< global memory without a gap of a line between the first and last byte
  std::uint32_t span = 0;  ///< dense: distance from the first byte to the last
};

/// Totals of recorded accesses, counted while they are encoded, for summaries.
struct AccessCounts {
  static constexpr unsigned line_bytes = 128;
  std::uint64_t accesses = 0;  ///< of memory
  std::uint64_t lines = 0;     ///< lines touched
  std::uint64_t shared = 0;    ///< of shared memory

  static AccessShape shape_of(const WarpInstruction& instruction);
  void add(const WarpInstruction& instruction, const Address* addresses) {
    add(instruction, addresses, shape_of(instruction));
  }
  void add(const WarpInstruction& instruction, const Address* addresses, const AccessShape& shape) {
    if (shape.dense && instruction.address != 0 && instruction.address + shape.span >= instruction.address) {
      ++accesses;
      lines += dense_lines(instruction.address, shape);
    } else if (shape.shared) {
      ++shared;
    } else if (shape.global) {
      ++accesses;
      lines += lines_of(instruction, addresses);
    }
  }

  /// Lines of a dense shape that does not wrap around.
  static std::uint64_t dense_lines(Address address, const AccessShape& shape) {
    return (address + shape.span) / line_bytes - address / line_bytes + 1;
  }

  /// Counts `times` accesses, each `step` behind the one before.
  void add_steps(WarpInstruction instruction, const AccessShape& shape, Address step, std::uint64_t times);

  /// Counts an access of all lanes whose address list is a grid of this form.
  void add_grid(const WarpInstruction& instruction, const Address* addresses, const LaneForm& form,
                const AccessShape& shape) {
    shared += shape.shared ? 1 : 0;
    if (!shape.global) return;
    ++accesses;
    lines += lines_of_grid(instruction, addresses, form);
  }

 private:
  static std::uint64_t lines_of_grid(const WarpInstruction& instruction, const Address* addresses,
                                     const LaneForm& form);
  static std::uint64_t lines_of(const WarpInstruction& instruction, const Address* addresses);
};

}  // namespace strata::traces::record
