#pragma once

#include <string>
#include <vector>

#include "platforms/energy/machine_model.h"

namespace strata::platforms {

/// mm2 of one part of all instances of a name.
struct PartArea {
  std::string name, module, part;
  EnergyGroup group = EnergyGroup::other;
  int count = 0;
  power::Interval area;
};

/// From the netlist alone: what the blocks of a platform take, by part.
std::vector<PartArea> area_of(const MachineModel& machine);

/// A table with a sum, lengths of links, and what is not counted.
std::string area_text(const MachineModel& machine);
std::string area_json(const MachineModel& machine);

}  // namespace strata::platforms
