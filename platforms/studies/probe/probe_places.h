#pragma once

#include <vector>

#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::platforms {

/// Lines for a pointer chase that finds DRAM rows in the wanted state.
struct ProbePlaces {
  std::vector<Address> same_row;  ///< in one row of one bank: open from the second access on
  std::vector<Address> banks;     ///< each in another bank, which is closed before
};

/// Empty if no memory controller declares where lines lie.
ProbePlaces probe_places(const ResolvedNetlist& netlist);

}  // namespace strata::platforms
