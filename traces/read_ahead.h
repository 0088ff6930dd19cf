#pragma once

#include <memory>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// How far a worker reads ahead, plus one CTA.
struct ReadAheadLimits {
  std::size_t ctas = 64;
  std::size_t bytes = std::size_t{8} << 20;
};

/// `source` with a thread that fetches CTAs ahead of use: those after the ones fetched, kernel after kernel.
/// CTAs are unchanged; a fault is thrown by the fetch of its CTA. Only that thread uses `source`, except for
/// its constant parts: kernels, copies, description, number of instructions. `source` must outlive the
/// result. If no thread can be started, `fetch` is that of `source`.
std::unique_ptr<InstructionSource> read_ahead(InstructionSource& source, const ReadAheadLimits& limits = {});

}  // namespace strata::traces
