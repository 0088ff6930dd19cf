#pragma once

#include "tb/contract/run.h"

namespace strata::contract {

/// The module as its defaults have it, in every shape of machine. Never empty.
std::vector<Case> plain_cases(const ModuleKind& kind);

/// The same, stopped in the midst of their work.
std::vector<Case> stopped_cases(const ModuleKind& kind);

/// `plain` with little to do.
Case small_case(const Case& plain);

/// Case `number` of `seed`: shape, work, and parameters of the module and of its stub_peers out of their
/// documented ranges.
Case drawn_case(const ModuleKind& kind, const ModuleTable& modules, std::uint64_t seed, std::uint64_t number);

}  // namespace strata::contract
