#pragma once

#include "tb/contract/run.h"

namespace strata::contract {

/// What a module says of itself: a sentence and a unit for all that it has, laws and hops that name counters
/// it has, the figures of its role, and that `strata modules`, `strata explain` and drawings show it. `docs`:
/// the folder whose pages hold its table; empty: it need not have one.
Findings check_declarations(const ModuleKind& kind, const Case& plain, const ModuleTable& modules,
                            const std::string& docs);

}  // namespace strata::contract
