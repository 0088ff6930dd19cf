#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "platforms/engine/netlist/netlist.h"
#include "platforms/engine/netlist/platform.h"
#include "platforms/studies/noc/noc_ends.h"
#include "platforms/studies/noc/noc_options.h"

namespace strata::platforms {

/// What a network does at one load; rates in flits per cycle of one source or destination.
struct NocPoint {
  double load = 0;
  double accepted = 0;  ///< per source
  double latency_min = 0;
  double latency_mean = 0;
  double latency_p50 = 0;
  double latency_p95 = 0;
  double latency_p99 = 0;
  double wait_mean = 0;  ///< cycles in the queue in front of the network
  double source_min = 0;
  double source_max = 0;
  double dest_min = 0;
  double dest_max = 0;
  double dest0 = 0;
  std::uint64_t packets = 0;
};

/// A network of router stages between sources and sinks, one a SystemC process.
class NocExperiment {
 public:
  /// Builds it. The options have passed check().
  explicit NocExperiment(const NocOptions& options);
  ~NocExperiment();
  /// Fills the network at `load`, measures, and empties it.
  NocPoint run(double load, std::uint64_t seed);

 private:
  std::vector<int> permutation() const;
  void advance_to(Cycle cycle);

  NocOptions options_;
  NocMeter meter_;
  Platform platform_;
  std::vector<NocSource*> sources_;
  Cycle now_ = 0;
};

/// The header line, then one line a point.
void write_csv_header(std::ostream& out);
void write_csv(std::ostream& out, const NocPoint& point);

/// Sources `src`, sinks `snk` (noc_ends.h) and between them the routers of the topology: `net0`, `net1`, ...,
/// a name for each of their levels.
Netlist noc_netlist(const NocOptions& options);

}  // namespace strata::platforms
