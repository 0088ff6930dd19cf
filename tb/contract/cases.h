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

/// What a module says to values of its parameters.
struct ParameterReport {
  Findings findings;
  int values = 0;             ///< that were tried
  std::vector<Case> allowed;  ///< the ends of all ranges and every choice, as far as they are not refused
};

/// Tries, for each parameter: a value below the documented range and one above, a wrong unit, a word, a name
/// with a slip: each is one fault that names key, value and what is allowed. What the documentation allows is
/// taken, or refused by one clear fault. `plain`: a case in which the module runs as it is.
ParameterReport try_parameters(const ModuleKind& kind, const Case& plain, const ModuleTable& modules);

/// Sets a parameter of the module or, if that is refused, of all modules that have it.
/// False, with the faults in `refusal`, if both are refused.
bool set_where_it_fits(const ModuleKind& kind, Case& what, const std::string& name, const std::string& value,
                       const ModuleTable& modules, Faults& refusal);

}  // namespace strata::contract
