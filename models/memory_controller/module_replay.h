#pragma once

#include "models/memory_controller/replay.h"

namespace strata {

/// Replays a request list like replay_dram(), but through a MemoryControllerAt and a DramChannelAt behind
/// their sockets, with the channel checking every command. Commands and replies are the same. Elaborates and
/// runs a simulation: once a process. `params.slices`, `line`, `interleave` and `bank_xor` are its own, as
/// the list names banks, rows and columns. Throws ConfigError when a CAS of the timing set is no line that
/// the module can serve.
ReplayResult replay_through_modules(MemoryControllerParams params,
                                    const std::vector<ReplayRequest>& requests);

}  // namespace strata
