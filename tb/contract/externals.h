#pragma once

#include "tb/contract/run.h"

namespace strata::contract {

/// The module alone among modules that are none of ours: plain TLM-2.0 initiators in front of its target
/// sockets, plain targets behind its initiator sockets. What sends requests by itself has nobody in front of
/// it; SMs get their kernels from our dispatcher.
struct ExternalCase {
  bool blocking_masters = false;   ///< the initiators call b_transport
  bool blocking_memories = false;  ///< the targets know b_transport only
  bool driven = false;             ///< the module has no initiators in front: it sends requests by itself
  std::uint64_t seed = 1;
};
std::string to_text(const ExternalCase& what);

/// None where the sockets of its role allow no externals.
std::vector<ExternalCase> external_cases(const ModuleKind& kind);

/// In a process of its own. Every request must come back OK, calls keep to the protocol, and afterwards the
/// module is idle, keeps its laws, and has counted what the externals have.
Findings run_among_externals(const ModuleKind& kind, const ExternalCase& what);

}  // namespace strata::contract
