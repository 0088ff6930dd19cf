#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

#include "platforms/netlist/netlist.h"
#include "platforms/probe/probe_kernel.h"

namespace strata::platforms {

/// What a probe sees of a run.
struct ProbeRun {
  Cycle cycles = 0;              ///< core cycles
  std::uint64_t dram_bytes = 0;  ///< moved by the channels
  std::string place;             ///< of the latency ledger: where accesses spent most of their time
  double share = 0;              ///< of it
};

/// A run in a process of its own, as SystemC builds one platform a process. Several may go on at once.
class ProbeProcess {
 public:
  /// Throws ConfigError when it cannot be started.
  ProbeProcess(const Netlist& netlist, const ProbeKernel& kernel);
  ProbeProcess(const ProbeProcess&) = delete;
  ProbeProcess& operator=(const ProbeProcess&) = delete;
  ~ProbeProcess();
  /// Waits for its end. Throws ConfigError with what it complained of.
  ProbeRun result();

 private:
  pid_t child_;
  int from_child_;
};

}  // namespace strata::platforms
