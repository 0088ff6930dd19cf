#pragma once

#include <cstdint>
#include <vector>

#include "models/common/access.h"
#include "models/common/coalesce.h"
#include "models/common/instruction_source.h"

namespace strata {

/// What the lanes of an instruction ask of the shared memory of one other CTA of their cluster.
struct RemotePart {
  std::uint8_t rank = 0;    ///< of that CTA in the cluster
  std::uint8_t cycles = 1;  ///< of its shared memory
  std::uint16_t words = 0;  ///< different 4 B words
  std::uint16_t bytes = 0;  ///< of all lanes
};

/// An access to shared memory of which some lanes name other CTAs of the cluster.
struct RemoteAccess {
  AccessClass access_class = AccessClass::load;  ///< load, store, or atomic: one whose result is wanted
  std::vector<RemotePart> parts;                 ///< by rank
  SharedPasses own;                              ///< of the lanes that name their own CTA
};

/// Some lanes of an access to shared memory name another CTA than the one of this rank: from bit 24 on their
/// addresses hold 1 + its rank.
bool names_other_cta(const WarpInstruction& instruction, const CtaTrace& cta, unsigned rank);
/// The instruction wants a result.
bool wants_result(const WarpInstruction& instruction);
RemoteAccess remote_access(const WarpInstruction& instruction, const CtaTrace& cta, unsigned rank);

}  // namespace strata
