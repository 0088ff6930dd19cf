#pragma once

#include <string>
#include <vector>

#include "platforms/engine/netlist/resolved_netlist.h"
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

/// What a design stores besides lines and the tags of a plain cache, in one instance of a group: the
/// predictors of an LLC control (ISCA 2019: auxiliary tag directory; SelRep: replication degree directory),
/// and in an L1 the tag and state bits that an `l1_private` of its size and ways does not have. Entries are
/// rows.
StorageFields added_storage(const ResolvedNetlist& netlist, const ResolvedGroup& group);

/// Bits of an L1 besides its lines and MSHRs; no value if it does not declare its storage.
std::uint64_t tag_bits(const StorageFields& fields);

}  // namespace strata::platforms
