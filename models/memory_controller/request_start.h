#pragma once

#include "models/dram_channel/dram_command.h"
#include "models/memory_controller/memory_controller_stats.h"
#include "models/memory_controller/request_queues.h"

namespace strata {

/// A command issues in cycle `at` on behalf of a request: the first one says whether it counts as row hit,
/// miss or conflict.
inline void start(DramRequest& request, DramCommand command, Cycle at, MemoryControllerStats& stats) {
  if (request.first_command != never) return;
  request.first_command = at;
  ++stats.started;
  if (command == DramCommand::pre) {
    ++stats.row_conflicts;
    request.conflict = true;
  } else {
    ++(command == DramCommand::act ? stats.row_misses : stats.row_hits);
  }
}

}  // namespace strata
