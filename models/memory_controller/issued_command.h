#pragma once

#include "models/dram_channel/dram_command.h"
#include "models/memory_controller/request_queues.h"

namespace strata {

/// One command on its way to the channel.
struct IssuedCommand {
  DramCommand command;
  int bank;
  std::int64_t row;
  int column;            ///< -1 unless RD or WR
  DramRequest* request;  ///< null for refreshes and for a PRE of refresh or page policy; valid until the
                         ///< core's next admit() or advance()
  bool last;             ///< the request's last burst: it has left the controller
};

}  // namespace strata
