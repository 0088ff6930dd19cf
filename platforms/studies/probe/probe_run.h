#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

#include "platforms/engine/netlist/netlist.h"
#include "platforms/studies/probe/probe_kernel.h"

namespace strata::platforms {

/// Results of a run of a probe.
struct ProbeRun {
  Cycle cycles = 0;              ///< core cycles
  std::uint64_t dram_bytes = 0;  ///< moved by the DRAM channels
  std::string place;             ///< place of the latency ledger with most of the time of accesses
  double share = 0;              ///< its share of that time
};

/// A run in its own process, because SystemC builds one platform per process. Several may run at once.
class ProbeProcess {
 public:
  /// Throws ConfigError if it cannot be started.
  ProbeProcess(const Netlist& netlist, const ProbeKernel& kernel);
  ProbeProcess(const ProbeProcess&) = delete;
  ProbeProcess& operator=(const ProbeProcess&) = delete;
  ~ProbeProcess();
  /// Waits for its end. Throws ConfigError with its error message.
  ProbeRun result();

 private:
  pid_t child_;
  int from_child_;
};

}  // namespace strata::platforms
