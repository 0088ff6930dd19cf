#pragma once

#include "models/cache/set_index.h"
#include "models/llc_predictors/headroom.h"
#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::platforms {

/// The LLC of a platform, as the replays need it.
struct HeadroomMachine {
  HeadroomParams params;
  SetIndex::Kind set_index = SetIndex::Kind::hashed;
  std::uint64_t issue_slots = 0;  ///< warp instructions per core cycle, all SMs
};

/// From the netlist's parameters, by role. Slice bandwidth: that of the control if it states one, else the
/// narrowest link of the routers. Memory: the data buses of all channels. Throws ConfigError if there is no
/// LLC slice.
HeadroomMachine headroom_machine(const ResolvedNetlist& netlist);

}  // namespace strata::platforms
