#pragma once

#include <string>
#include <vector>

#include "models/noc/router/router_stage_params.h"

namespace strata::platforms {

/// What a network is driven with, and how long.
struct NocOptions {
  enum class Topology { xbar, fly, hxbar };
  enum class Traffic { uniform, permutation, hotspot, all_to_one, private_llc };

  Topology topology = Topology::xbar;
  int inputs = 8;    ///< sources
  int outputs = 8;   ///< destinations
  int clusters = 1;  ///< hxbar: clusters of inputs, and slices of a controller
  int arity = 8;     ///< fly: ports of a router on each side
  int stages = 1;    ///< fly: routers on the way
  int packet_flits = 1;
  Traffic traffic = Traffic::uniform;
  double hotspot = 0;  ///< share of the packets that go to destination 0, beside its part of the rest
  Cycle warmup = 5000;
  Cycle cycles = 20000;
  std::uint64_t seed = 1;
  RouterStageParams router;  ///< ports, packets and route aside
};

/// `xbar`, `fly:KxN` or `hxbar:CxAxM`. Throws ConfigError.
void read_topology(const std::string& text, NocOptions& options);
/// `uniform`, `permutation`, `hotspot:F`, `all-to-one` or `private-llc`. Throws ConfigError.
void read_traffic(const std::string& text, NocOptions& options);
/// `0.2`, `0.1,0.2,0.4` or `FIRST:LAST:STEP`, all above 0 and at most 1. Throws ConfigError.
std::vector<double> read_loads(const std::string& text);
/// Everything that cannot be: throws ConfigError with all of it.
void check(const NocOptions& options);
/// The parameters of one router: packets of options.packet_flits are stores of `sectors` sectors of 32 B.
RouterStageParams router_of(const NocOptions& options, int inputs, int outputs, int divide);
int sectors_in(const NocOptions& options);

}  // namespace strata::platforms
