#pragma once

#include <vector>

#include "platforms/netlist/resolved_netlist.h"

namespace strata::platforms {

/// Lines that a chase visits to find DRAM rows as it needs them.
struct ProbePlaces {
  std::vector<Address> same_row;  ///< of one row of one bank: open from the second on
  std::vector<Address> banks;     ///< each of another bank, which is closed before it
};

/// Empty where no memory controller says where lines lie.
ProbePlaces probe_places(const ResolvedNetlist& netlist);

}  // namespace strata::platforms
