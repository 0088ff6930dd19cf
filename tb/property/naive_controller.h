#pragma once

#include <vector>

#include "models/memory_controller/replay.h"

namespace strata::tb {

/// The scheduling rules of docs/blocks/memory-controller.md, written down as plainly as possible: every
/// cycle, every queue is searched from end to end. Slow and obvious; the event-driven core must give the same
/// commands and replies. No atomics, one CAS a request.
ReplayResult replay_plainly(const MemoryControllerParams& params, const std::vector<ReplayRequest>& requests);

}  // namespace strata::tb
