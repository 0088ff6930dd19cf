#pragma once

#include <vector>

#include <tlm>

#include "platforms/engine/netlist/module_table.h"

namespace strata::tb {

/// What the masters of the library have seen: ModuleKind::make is a plain function, so it is told from here.
struct ExternalSeen {
  unsigned wrong_bytes = 0, checked_bytes = 0, errors = 0, dmi_granted = 0;
  std::vector<int> took;                           ///< ns, of each load of `load_master`
  std::vector<tlm::tlm_response_status> statuses;  ///< of what `burst_master` asked for
};
extern ExternalSeen seen;

/// Ours, and modules that know nothing of Strata, in the manner of other people's libraries, with plain
/// TLM-2.0 sockets of several kinds: `their_memory`, `their_bridge`, `data_master`, `load_master`,
/// `burst_master`.
const platforms::ModuleTable& external_modules();

}  // namespace strata::tb
