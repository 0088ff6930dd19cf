#pragma once

#include "traces/record/lane_form.h"

namespace strata::traces::record {

/// What is known of the lines of an access without its address.
struct AccessShape {
  bool global = false, shared = false;
  bool dense = false;      ///< of global memory: no line is left out between the first byte and the last one
  std::uint32_t span = 0;  ///< dense: from the first byte to the last one
};

/// What recorded instructions access, counted while they are encoded: for summaries.
struct AccessCounts {
  static constexpr unsigned line_bytes = 128;
  std::uint64_t accesses = 0;  ///< of memory
  std::uint64_t lines = 0;     ///< that these touch
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

  /// Of a dense shape that does not pass the last address.
  static std::uint64_t dense_lines(Address address, const AccessShape& shape) {
    return (address + shape.span) / line_bytes - address / line_bytes + 1;
  }

  /// Of an access with a stride and of others, `times` in all, each `step` behind the one before.
  void add_steps(WarpInstruction instruction, const AccessShape& shape, Address step, std::uint64_t times);

  /// Of an access of all lanes whose list is a grid of this form.
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
