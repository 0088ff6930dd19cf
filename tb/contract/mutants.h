#pragma once

#include <string>
#include <vector>

#include "models/tlm/module_kind.h"

namespace strata::contract {

/// A module with one fault, and what the list must say of it.
struct Mutant {
  const ModuleKind* kind;
  std::string check;  ///< empty: the module is sound, and nothing may be said
  std::string says;   ///< part of the finding
};

/// Slices of an LLC without a memory, each with another fault; the first has none.
const std::vector<Mutant>& mutants();

}  // namespace strata::contract
