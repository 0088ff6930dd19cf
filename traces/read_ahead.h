#pragma once

#include <memory>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// How far a worker reads ahead. What one CTA takes comes on top.
struct ReadAheadLimits {
  std::size_t ctas = 64;
  std::size_t bytes = std::size_t{8} << 20;
};

/// `source`, of which a thread fetches what is likely to be asked for next: the CTAs that follow those that
/// were asked for, kernel after kernel. Every CTA is as it would be without, and so is every fault: it is
/// thrown when the CTA is asked for that has it. `source` is used by that thread alone, but for what stays as
/// it is: kernels, copies, description, count of instructions. It must outlive the result. Without a thread
/// to be had, `fetch` is that of `source`.
std::unique_ptr<InstructionSource> read_ahead(InstructionSource& source, const ReadAheadLimits& limits = {});

}  // namespace strata::traces
