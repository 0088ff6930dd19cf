#pragma once

namespace strata::platforms {

/// Exit codes of the `strata` program: a stable interface for scripts.
enum ExitCode : int {
  exit_ok = 0,
  exit_config = 1,         ///< usage, netlist, or results that cannot be written
  exit_trace = 2,          ///< the trace is missing or broken
  exit_deadlock = 3,       ///< no progress is possible
  exit_internal = 4,       ///< a failed law, an inconsistent ledger, an error of a model
  exit_interrupted = 130,  ///< SIGINT or SIGTERM
};

}  // namespace strata::platforms
