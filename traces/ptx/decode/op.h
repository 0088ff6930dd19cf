#pragma once

#include <cstdint>

#include "models/common/instruction_source.h"
#include "traces/ptx/text/module.h"

/// The decoded form of an instruction. Files that are compiled once per instruction set include only this and
/// nothing with inline functions of the standard library, of which the linker keeps one copy.
namespace strata::traces::ptx {

struct Op;
struct Warp;
/// Executes one operation and returns the next. Null: the warp stops (barrier, end, end of its turn).
using Handler = const Op* (*)(Warp&, const Op*);

/// A row of 32 values: bit 0 chooses the warp's registers (0) or the kernel's constants (1), the rest is a
/// byte offset. Predicates are one 32-bit word.
using Row = std::uint32_t;
constexpr Row no_row = ~Row{0} & ~Row{3};
constexpr std::uint32_t all_lanes = 0xffffffff;
constexpr std::uint32_t no_op = 0xffffffff;

// Windows of generic addresses.
constexpr std::uint64_t shared_window = 0x7e0000000000, local_window = 0x7d0000000000,
                        param_window = 0x7c0000000000, window_bytes = 0x10000000000,
                        function_window = 0x7b0000000000;
/// Shared memory of the thread block of rank r of a cluster begins at (r + 1) << cluster_shift, in the window
/// and in addresses of shared memory. A block's own shared memory is at 0 as well.
constexpr unsigned cluster_shift = 24;
/// Address of function number `n` of a module.
constexpr std::uint64_t function_address(std::uint64_t n) {
  return function_window + 16 * (n + 1);
}

struct Op {
  Handler fn = nullptr;
  Handler inner = nullptr;  ///< the guarded handler
  Row d = no_row, a = no_row, b = no_row, c = no_row;
  std::int64_t offset = 0;       ///< of an address; also a code of the operation
  std::uint32_t target = no_op;  ///< of a branch
  std::uint32_t join = no_op;    ///< where a branch's lanes reconverge
  const Row* rows = nullptr;     ///< of `count` elements
  std::uint32_t pc = 0;          ///< index of the kernel's instruction
  std::uint32_t seq = 0;         ///< counted instructions of the block before it
  std::uint32_t executed = 0;    ///< of a block's last operation: the block's PTX instructions
  std::uint32_t recorded = 0;    ///< of a block's last operation: its machine instructions without accesses
  Row guard = no_row;
  std::int32_t slot = -1;  ///< of a load, until its result is read
  std::uint8_t count = 1;  ///< elements of a vector
  std::uint8_t width = 0;  ///< bytes an element
  Space space = Space::generic;
  OpClass op_class = OpClass::alu;
  std::uint8_t flags = 0;
  std::uint8_t code = 0;           ///< boolean of setp, kind of an atomic, rounding...
  std::uint8_t weight = 1;         ///< machine instructions that it counts for
  std::uint8_t address_bytes = 8;  ///< of the row `a` of a memory operation
  Row d2 = no_row;
  Sync sync = Sync::none;     ///< of its records
  std::uint16_t operand = 0;  ///< of a marked record; for others the cell before has it
  bool async = false, bulk = false;
  Unit unit = Unit::integer;  ///< on which its machine instructions execute
  bool marked = false;        ///< of a block's last operation: the block has marks
  std::uint16_t gaps =
      0;  ///< of a block's last operation: index in DecodedKernel::gaps plus 1; 0: fully modelled
  /// Counted instructions of the block up to this one, by the units that WarpInstruction::units counts.
  std::uint32_t units_seq[counted_units] = {};
  std::uint32_t number = 0;  ///< among the operations of its launch
};

// Op::flags
constexpr std::uint8_t negate_guard = 1, negate_c = 2, non_coherent = 4, bypass = 8, no_record = 16,
                       negate_a = 32, negate_b = 64, never_written = 128;

}  // namespace strata::traces::ptx
