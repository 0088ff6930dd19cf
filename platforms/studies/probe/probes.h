#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/engine/netlist/netlist.h"
#include "platforms/studies/probe/probe_kernel.h"

namespace strata::platforms {

/// A microbenchmark: a kernel of two lengths; their difference cancels the cost of start and end.
struct Probe {
  enum class Measure {
    cycles_per_work,  ///< additional cycles per additional unit of work
    work_per_cycle,
    dram_per_cycle,  ///< bytes that the DRAM channels move, whatever the kernel's work
  };
  std::string name, unit, sentence;
  Measure measure = Measure::work_per_cycle;
  std::optional<double> peak;  ///< upper bound from the netlist
  std::string limit;           ///< the part of the netlist that sets the peak
  ProbeKernel small, large;
};

/// All probes of a platform. Throws ConfigError if it has no SMs or no LLC.
std::vector<Probe> probes_of(const ResolvedNetlist& netlist);

struct ProbeFigure {
  Probe probe;
  double value = 0;
  std::string place;  ///< place of the latency ledger with most of the access time of the longer run
  double share = 0;   ///< its share of that time
  std::optional<double> of_peak() const {
    return probe.peak ? std::optional<double>(value / *probe.peak) : std::nullopt;
  }
};

/// Runs probes, `jobs` processes at a time; `started(name)` is called for each. Throws ConfigError with the
/// fault of a run.
std::vector<ProbeFigure> run_probes(const Netlist& netlist, const std::vector<Probe>& probes, int jobs,
                                    const std::function<void(const std::string&)>& started);

}  // namespace strata::platforms
