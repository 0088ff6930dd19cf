#pragma once

#include <cstdint>

#include "traces/accelsim/instruction_parser.h"

namespace strata::traces {

// Marks between the parser and MBarriers, in the fields of an instruction.
constexpr std::uint16_t known_parity = 2;  ///< operand of a wait: 2 + the parity that it is for; 0: not known
constexpr std::int32_t barrier_lost = 2;   ///< stride of the end of a bulk load whose barrier the line lacks

/// Finds out who waits for what at the barriers in shared memory (mbarriers) of a thread block whose warps
/// are all known. The trace has the addresses; phases, counts and bytes follow from who waits how often, who
/// arrives how often, and which bulk copies belong to an arrival, as docs/guide/trace-formats.md says. Tries
/// that fail are taken out. What cannot be found out waits for nothing and is marked as unknown. Returns how
/// many bulk copies report to a barrier of another thread block, which does not wait for them.
std::uint64_t resolve_mbarriers(CtaTrace& cta, const KernelHeader& header);

/// Stride of a barrier instruction of which the tracer has noted the number of threads and not the barrier.
constexpr std::int32_t number_lost = 1;

/// What can be said of instructions of a thread block only when all of its warps are known.
class ThreadBlockFinish {
 public:
  explicit ThreadBlockFinish(const KernelHeader& header) : header_(header) {}

  /// Barriers by number get the number of warps that meet there, barriers in shared memory who waits for
  /// what; offsets in local memory become addresses. Returns what resolve_mbarriers() does.
  std::uint64_t finish(CtaTrace& cta) const;

 private:
  void resolve_barriers(CtaTrace& cta) const;
  void place_local(CtaTrace& cta) const;
  Address offset_of(Address address) const {
    return header_.local_base != 0 && address >= header_.local_base ? address - header_.local_base : address;
  }

  const KernelHeader& header_;
};

}  // namespace strata::traces
