#pragma once

#include "platforms/engine/netlist/resolved_netlist.h"
#include "tb/machines/catalog.h"
#include "tb/machines/machine.h"
#include "tb/machines/random.h"

namespace strata::tb {

/// Counts of clusters, SMs, slices and controllers that fit together: most machines are small ones.
Part draw_shape(const platforms::ResolvedNetlist& netlist, Random& random);

/// One change of the machine: a parameter of a group or of some of its members, a clock, a timing, the
/// address map.
Part draw_setting(const platforms::ResolvedNetlist& netlist, const Catalog& catalog, Random& random);

/// `key` of every group that has such a parameter: what the whole machine has to agree on.
Part set_everywhere(const platforms::ResolvedNetlist& netlist, const std::string& key,
                    const std::string& value);

/// What the machine runs; traffic generators need nothing.
std::vector<Part> draw_programs(const platforms::ResolvedNetlist& netlist, const Catalog& catalog,
                                Random& random);

/// The values of the `--set` options of all parts.
std::vector<std::string> settings_of(const std::vector<Part>& parts);

/// The group built of that module kind, or null.
const platforms::ResolvedGroup* group_of_kind(const platforms::ResolvedNetlist& netlist,
                                              std::string_view kind);

}  // namespace strata::tb
