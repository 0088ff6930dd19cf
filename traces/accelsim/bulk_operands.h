#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/accelsim/scanner.h"

namespace strata::traces {

/// Copies by an engine, whose operands traces of Accel-Sim 2.0 write out.
bool is_bulk_copy(std::string_view opcode);
/// What such a copy does in global memory: load, store, or nothing (other). A prefetch is a load; a reduction
/// a store, as Accel-Sim has it.
OpClass bulk_access(std::string_view opcode);

/// What the tracer of Accel-Sim 2.0 writes behind the memory width of a bulk copy:
/// `mbarrier multicast [mask] bytes outside mode ...`, with mode 3: `count` and so many addresses, or mode 4:
/// the first address, `count` and the differences of the others, each to the one before.
struct BulkOperands {
  std::uint32_t mbarrier = 0;   ///< address in shared memory of the barrier that gets the bytes; 0: none
  std::uint32_t ctas = 0;       ///< of the cluster, that get the data: a bit each; 0: this one alone
  std::uint64_t bytes = 0;      ///< that the barrier gets
  std::uint64_t outside = 0;    ///< of these, that lie outside of the tensor and are not read
  std::vector<Address> places;  ///< what it reads or writes in global memory, a request each

  /// Bytes that each of `places` stands for: an equal part of what is read, in steps of 16. Where the trace
  /// does not count bytes (stores, prefetches), up to the next place, 128 at most.
  unsigned place_bytes() const;
  /// Appends the accesses: `copy` in pieces of up to 32 lanes of 16 bytes, past the L1. At least one place.
  void add_pieces(WarpInstruction copy, OpClass access, CtaTrace& cta) const;
  /// False when the text is something else; `in` is then where it failed.
  bool read(Scanner& in);
};

}  // namespace strata::traces
