#pragma once

#include "tb/contract/run.h"

namespace strata::contract {

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

/// Sets a parameter where the machine needs it: for the module, or, when that alone is refused, for everybody
/// who has it. False, with what is said of it, when neither goes.
bool set_where_it_fits(const ModuleKind& kind, Case& what, const std::string& name, const std::string& value,
                       const ModuleTable& modules, Faults& refusal);

}  // namespace strata::contract
