#pragma once

#include <cstdint>

#include "traces/accelsim/instruction_parser.h"

namespace strata::traces {

// Values that the parser passes to MBarriers in fields of an instruction.
constexpr std::uint16_t known_parity = 2;  ///< operand of a wait: 2 + its parity; 0: not known
constexpr std::int32_t barrier_lost = 2;   ///< stride of the end of a bulk load whose line has no barrier

/// Resolves the barriers in shared memory (mbarriers) of a complete thread block. The trace has addresses;
/// phases, counts and bytes are derived from the numbers of waits and arrivals and from the bulk copies of
/// each arrival, as docs/guide/trace-formats.md says. Failed tries are removed. Waits that cannot be resolved
/// do not wait and are marked as unknown. Returns the number of bulk copies that report to a barrier of
/// another thread block, which does not wait for them.
std::uint64_t resolve_mbarriers(CtaTrace& cta, const KernelHeader& header);

/// Stride of a barrier instruction for which the tracer has noted the number of threads but not the barrier.
constexpr std::int32_t number_lost = 1;

/// Completes instructions that depend on all warps of their thread block.
class ThreadBlockFinish {
 public:
  explicit ThreadBlockFinish(const KernelHeader& header) : header_(header) {}

  /// Numbered barriers get the number of their warps, waits at barriers in shared memory are resolved, and
  /// offsets in local memory become addresses. Returns the result of resolve_mbarriers().
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
