#pragma once

#include <string_view>

#include "tb/contract/test_bench.h"

namespace strata::contract {

/// How many instances stand in a place, and with which parameters.
struct Size {
  int count = 1;
  Settings settings;
};

/// A place in the machine, by role: the module of Strata there when the module under test is elsewhere.
struct Neighbour {
  Role role;
  std::string_view module;
  int copies;                  ///< of a module under test that stands here
  Settings start;              ///< its parameters for a small machine, where it has them
  Size (*serve)(int sockets);  ///< for so many initiator sockets towards memory; null: nothing can
  Size (*take)(int sockets);   ///< for so many sockets that lead here; null: nothing leads here
  bool externals_before;       ///< its target sockets take requests of any TLM-2.0 initiator
  bool externals_behind;       ///< its initiator sockets send what any TLM-2.0 target understands
};

/// The row of a role; null where there is none.
const Neighbour* neighbour(Role role);

/// Roles on the way of a request, from those that send it.
const std::vector<Role>& way();

}  // namespace strata::contract
