#pragma once

#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::platforms {

/// What a design stores besides lines and the tags of a plain cache, in one instance of a group: the
/// predictors of an LLC control (ISCA 2019: auxiliary tag directory; SelRep: replication degree directory),
/// and in an L1 the tag and state bits that an `l1_private` of its size and ways does not have. Entries are
/// rows.
StorageFields added_storage(const ResolvedNetlist& netlist, const ResolvedGroup& group);

/// Bits of an L1 besides its lines and MSHRs; no value if it does not declare its storage.
std::uint64_t tag_bits(const StorageFields& fields);

}  // namespace strata::platforms
