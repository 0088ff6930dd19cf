#pragma once

#include <string>
#include <vector>

#include "platforms/studies/energy/machine_model.h"

namespace strata::platforms {

/// mm2 of one part, summed over all instances of a name.
struct PartArea {
  std::string name, module, part;
  EnergyGroup group = EnergyGroup::other;
  int count = 0;
  power::Interval area;
};

/// Areas of the blocks of a platform, by part, from the netlist alone.
std::vector<PartArea> area_of(const MachineModel& machine);

/// A table with a sum, the lengths of links, and a list of what is not counted.
std::string area_text(const MachineModel& machine);
std::string area_json(const MachineModel& machine);

}  // namespace strata::platforms
