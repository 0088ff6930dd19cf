#pragma once

#include <cstdint>

#include "traces/accelsim/kernel_header.h"

namespace strata::traces {

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
