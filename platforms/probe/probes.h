#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/netlist/netlist.h"
#include "platforms/probe/probe_kernel.h"

namespace strata::platforms {

/// A microbenchmark: a kernel of two lengths, so that what begins and ends it falls out of the difference.
struct Probe {
  enum class Measure {
    cycles_per_work,  ///< more cycles for each more of the kernel's work
    work_per_cycle,
    dram_per_cycle,  ///< bytes that the DRAM channels move, whatever the kernel's work
  };
  std::string name, unit, sentence;
  Measure measure = Measure::work_per_cycle;
  std::optional<double> peak;  ///< what the netlist allows
  std::string limit;           ///< what of it sets the peak
  ProbeKernel small, large;
};

/// All that a platform can be asked. Throws ConfigError when it has no SMs or no LLC.
std::vector<Probe> probes_of(const ResolvedNetlist& netlist);

struct ProbeFigure {
  Probe probe;
  double value = 0;
  std::string place;  ///< of the latency ledger, with most of the time of the longer run's accesses
  double share = 0;   ///< of it
  std::optional<double> of_peak() const {
    return probe.peak ? std::optional<double>(value / *probe.peak) : std::nullopt;
  }
};

/// Runs them, `jobs` processes at a time; `started(name)` is told of each. Throws ConfigError with the fault
/// of a run.
std::vector<ProbeFigure> run_probes(const Netlist& netlist, const std::vector<Probe>& probes, int jobs,
                                    const std::function<void(const std::string&)>& started);

}  // namespace strata::platforms
