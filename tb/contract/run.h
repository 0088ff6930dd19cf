#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platforms/engine/netlist/platform.h"
#include "platforms/report/stat_table.h"
#include "tb/contract/test_bench.h"

namespace strata::contract {

/// What is wrong with a module, and which check of the list says so.
struct Finding {
  std::string
      check;  ///< "protocol", "laws", "idle", "ledger", "digest", "parameters", "declarations", "runs"
  std::string text;
};
using Findings = std::vector<Finding>;

/// One run: a machine around the module and what it does.
struct Case {
  std::string name;
  Shape shape;
  Settings subject;                                          ///< parameters of the module
  std::vector<std::pair<std::string, std::string>> machine;  ///< further ones, as of --set
  std::string trace;                                         ///< kernels; else
  Settings drive;                                            ///< traffic
  std::uint64_t seed = 1;
  bool stop_early = false;      ///< in the midst of its work
  bool may_be_refused = false;  ///< parameters were drawn: a clear refusal is no fault
};

/// A case as text, to find it again: shape, parameters and work.
std::string to_text(const Case& what);

/// What must not matter.
struct RunOptions {
  bool check_protocol = true;
  Cycle epoch_cycles = 10'000;
};

struct RunResult {
  std::string about;  ///< the case as text
  Findings findings;
  std::string digest;   ///< empty when it did not come to one
  std::string refused;  ///< why the machine was not built
};

/// Runs a case in a process of its own, where it is made, too: to draw one asks the module's checks of its
/// parameters.
RunResult run_case(const ModuleKind& kind, const std::function<Case()>& make, const ModuleTable& modules,
                   const RunOptions& options);

/// The machine of a case: that around the module, with everything that the case sets.
platforms::Netlist netlist_of(const ModuleKind& kind, const Case& what, const ModuleTable& modules);

/// Findings and results on their way from a child process, a line each.
std::string to_line(const Finding& finding);
void read_line(const std::string& line, RunResult& result);

using Blame = std::function<void(const std::string& check, const std::string& text)>;
using Tables = std::vector<platforms::InstanceStats>;

/// Every socket of the module is one that its description promises.
void check_sockets(const platforms::Platform& platform, const ModuleKind& kind, const Blame& blame);

/// After all work is done: laws and hop laws hold, every block is idle and blocks no other, nothing is
/// scheduled any more.
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
