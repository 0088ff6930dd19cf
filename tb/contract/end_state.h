#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platforms/engine/netlist/platform.h"
#include "platforms/report/stat_table.h"

namespace strata::contract {

using Blame = std::function<void(const std::string& check, const std::string& text)>;
using Tables = std::vector<platforms::InstanceStats>;

/// Every socket of the module is one that its description promises.
void check_sockets(const platforms::Platform& platform, const ModuleKind& kind, const Blame& blame);

/// After all work is done: laws and hop laws hold, every block is idle and holds nobody up, nothing is booked
/// any more.
void check_ended(platforms::Platform& platform, const Tables& tables, const Blame& blame);

/// The module has seen requests, if it has sockets for them.
void check_used(const platforms::Platform& platform, const Tables& tables, const ModuleKind& kind,
                const Blame& blame);

/// In the midst of work: a module that has taken requests which it has not answered must not call itself
/// idle.
void check_busy(platforms::Platform& platform, const Tables& tables, const ModuleKind& kind,
                const Blame& blame);

/// The cycles of all causes add up to the latencies; and, when all is `ended`, every answered access is in a
/// ledger.
void check_ledgers(platforms::Platform& platform, const Tables& tables, bool ended, const Blame& blame);

/// When all work is done and reset_stats() was called, nothing that passed the sockets is counted any more,
/// and the laws hold.
void check_reset(platforms::Platform& platform, const ModuleKind& kind, const Blame& blame);

}  // namespace strata::contract
