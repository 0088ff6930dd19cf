#include "tb/contract/run.h"

#include <algorithm>

#include "platforms/engine/netlist/platform.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/digest.h"
#include "platforms/report/laws.h"
#include "platforms/report/stat_table.h"
#include "tb/support/child.h"
#include "traces/open.h"

namespace strata::contract {

namespace {

using namespace platforms;

constexpr Cycle quiet_cycles = 100'000;

/// What passed a group of sockets of one instance.
struct Passed {
  std::uint64_t requests = 0, replies = 0;
  bool known = false;  ///< of replies
};

std::uint64_t sum_of(const std::vector<std::string_view>& names, const InstanceStats& table) {
  std::uint64_t sum = 0;
  for (const std::string_view name : names) {
    const bool less = name.front() == '-';
    const CounterRow* row = table.counter(name.substr(less ? 1 : 0));
    if (row != nullptr) sum += less ? 0 - row->value : row->value;
  }
  return sum;
}

Passed passed(const PortSpec& port, const InstanceStats& table) {
  return {sum_of(port.hop.requests, table), sum_of(port.hop.replies, table), !port.hop.replies.empty()};
}

std::size_t group_of(const Platform& platform, const PlatformInstance& instance) {
  const auto& groups = platform.netlist().groups;
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const ResolvedGroup& group) { return group.name == instance.name; });
  return static_cast<std::size_t>(found - groups.begin());
}

/// Calls `look` with every instance of a kind, its statistics and its sockets.
template <class Look>
void for_each_of(const Platform& platform, const Tables& tables, const ModuleKind& kind, Look look) {
  const auto& instances = platform.instances();
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (instances[i].kind != &kind) continue;
    const ResolvedGroup& group = platform.netlist().groups[group_of(platform, instances[i])];
    look(instances[i], tables.empty() ? InstanceStats{} : tables[i],
         *group.members[static_cast<std::size_t>(instances[i].index)].ports);
  }
}

void check_laws_and_hops(const Platform& platform, const Tables& tables, const Blame& blame) {
  for (const Fault& fault : check_laws(tables)) blame("laws", fault.message);
  for (const Fault& fault : check_hops(platform.netlist(), tables)) blame("laws", fault.message);
  for (const std::string& line : unanswered(platform.netlist(), tables)) blame("laws", "at the end " + line);
}

void check_idle(const Platform& platform, const Blame& blame) {
  for (const PlatformInstance& instance : platform.instances()) {
    for (const Fault& fault : instance.block->check_idle())
      blame("idle", instance.full_name() + " is not idle at the end: " + fault.message);
    for (const WaitNote& note : instance.block->waits())
      blame("idle", instance.full_name() + " still waits at the end: " + note.what);
  }
}

void check_quiet(const Platform& platform, const Blame& blame) {
  const Cycle until = platform.core_clock().now() + quiet_cycles;
  if (sc_core::sc_pending_activity())
    sc_core::sc_start(platform.core_clock().delay_to(until), sc_core::SC_EXIT_ON_STARVATION);
  if (sc_core::sc_pending_activity())
    blame("idle",
          "something is still booked " + std::to_string(quiet_cycles) + " cycles after all work was done");
}

}  // namespace

void check_sockets(const Platform& platform, const ModuleKind& kind, const Blame& blame) {
  for_each_of(platform, {}, kind, [&](const PlatformInstance& instance, const auto&, const auto& ports) {
    for (const PortBase* port : instance.block->ports())
      if (std::none_of(ports.begin(), ports.end(), [&](const PortSpec& spec) {
            return spec.name == port->group() && spec.role == port->role() && port->index() < spec.count;
          }))
        blame("declarations", port->full_name() + " is a socket that the module does not describe");
  });
}

void check_ended(Platform& platform, const Tables& tables, const Blame& blame) {
  check_laws_and_hops(platform, tables, blame);
  check_idle(platform, blame);
  check_quiet(platform, blame);
}

void check_used(const Platform& platform, const Tables& tables, const ModuleKind& kind, const Blame& blame) {
  std::uint64_t requests = 0;
  bool has_sockets = false;
  for_each_of(platform, tables, kind,
              [&](const PlatformInstance&, const InstanceStats& table, const auto& ports) {
                for (const PortSpec& port : ports) {
                  if (port.protocol != "tlm") continue;
                  has_sockets = true;
                  requests += passed(port, table).requests;
                }
              });
  if (has_sockets && requests == 0) blame("runs", "not one request passed the module's sockets");
}

void check_busy(Platform& platform, const Tables& tables, const ModuleKind& kind, const Blame& blame) {
  for_each_of(platform, tables, kind,
              [&](const PlatformInstance& instance, const InstanceStats& table, const auto& ports) {
                for (const PortSpec& port : ports) {
                  const Passed all = passed(port, table);
                  if (port.role != PortRole::target || !all.known || all.requests <= all.replies) continue;
                  if (instance.block->check_idle().empty())
                    blame("idle", instance.full_name() + " calls itself idle while " +
                                      std::to_string(all.requests - all.replies) + " requests of " +
                                      port.name + " have no answer");
                }
              });
}

void check_ledgers(Platform& platform, const Tables& tables, bool ended, const Blame& blame) {
  const auto& instances = platform.instances();
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const LedgerTotals* ledger = instances[i].block->ledger();
    const CounterRow* errors = tables[i].counter("ledger_errors");
    if (errors != nullptr && errors->value != 0)
      blame("ledger", tables[i].instance + " got " + std::to_string(errors->value) +
                          " answers whose ledger is not their latency");
    if (ledger == nullptr) continue;
    std::uint64_t count = 0;
    for (const LedgerTotals::Sums& sums : ledger->groups) {
      count += sums.count;
      std::uint64_t cycles = 0;
      for (const Place place : platform.ledger_places().on_the_way()) cycles += sums.cycles[place];
      if (cycles != sums.latency)
        blame("ledger", tables[i].instance + ": the causes add up to " + std::to_string(cycles) +
                            " cycles, the latencies to " + std::to_string(sums.latency));
    }
    std::uint64_t answers = 0;
    for (const PortSpec& port : *platform.netlist().groups[group_of(platform, instances[i])].base.ports)
      if (port.role == PortRole::initiator && port.protocol == "tlm")
        answers += passed(port, tables[i]).replies;
    if (ended && count != answers)
      blame("ledger", tables[i].instance + ": " + std::to_string(answers) + " answers, of which " +
                          std::to_string(count) + " are in its ledger");
  }
}

void check_reset(Platform& platform, const ModuleKind& kind, const Blame& blame) {
  for (const PlatformInstance& instance : platform.instances())
    if (instance.kind == &kind) instance.block->reset_stats();
  const Tables tables = read_stats(platform);
  for_each_of(platform, tables, kind, [&](const auto&, const InstanceStats& table, const auto& ports) {
    for (const Fault& fault : check_laws({table})) blame("laws", "after reset_stats(): " + fault.message);
    for (const PortSpec& port : ports)
      if (const Passed all = passed(port, table); all.requests + all.replies != 0)
        blame("laws", table.instance + " still counts requests of " + port.name + " after reset_stats()");
  });
}

namespace {

using namespace platforms;

// Longer than anything takes that a parameter's range allows, short enough to find a hang soon.
constexpr Cycle watchdog_cycles = 300'000;

const std::string finding_mark = "finding ", digest_mark = "digest ", refused_mark = "refused ",
                  about_mark = "about ";

/// The machine of a case while it runs and afterwards.
class Trial {
 public:
  Trial(const ModuleKind& kind, const Case& what, const ModuleTable& modules, const RunOptions& options,
        const tb::Say& say)
      : kind_(kind),
        what_(what),
        say_(say),
        platform_(netlist_of(kind, what, modules), {what.seed, options.check_protocol}) {
    session_options_.epoch_cycles = options.epoch_cycles;
    session_options_.watchdog_cycles = watchdog_cycles;
    // Asked every thousand cycles. A drawn value may say how much there is to do.
    const int looks = what.stop_early ? 1 : what.may_be_refused ? 500 : 0;
    if (looks != 0) session_options_.enough = [left = looks]() mutable { return --left == 0; };
  }

  void run() {
    std::unique_ptr<InstructionSource> source;
    std::unique_ptr<Session> session;
    if (what_.shape.traffic) {
      session = std::make_unique<Session>(platform_, session_options_);
    } else {
      source = traces::open_trace(what_.trace);
      session = std::make_unique<Session>(platform_, *source, session_options_);
    }
    check_sockets(platform_, kind_, blame());
    platform_.finish_elaboration();
    outcome_ = session->run();
    if (outcome_.exit_code == exit_trace && outcome_.messages.size() == 1 &&
        outcome_.messages[0].find("fits no SM") != std::string::npos) {
      say_(refused_mark + outcome_.messages[0]);  // the kernel is too large for the SMs of the case
      return;
    }
    const std::vector<InstanceStats> tables = read_stats(platform_);
    say_(digest_mark + digest_text(digest(tables, read_ledger(platform_), platform_.ledger_places())));
    judge(tables);
    if (outcome_.reason == "enough") check_busy(platform_, tables, kind_, blame());
    if (!outcome_.partial) check_ended(platform_, tables, blame());
    if (!what_.may_be_refused) check_used(platform_, tables, kind_, blame());
    if (findings_ == 0 && (outcome_.exit_code != exit_ok || outcome_.warnings != 0))
      add("runs", "exit code " + std::to_string(outcome_.exit_code) + ", " +
                      std::to_string(outcome_.warnings) + " warnings" + messages());
    if (!outcome_.partial) check_reset(platform_, kind_, blame());
  }

 private:
  void add(const std::string& check, const std::string& text) {
    ++findings_;
    say_(to_line({check, text}));
  }
  Blame blame() {
    return [this](const std::string& check, const std::string& text) { add(check, text); };
  }
  std::string messages() const {
    std::string text;
    for (const std::string& message : outcome_.messages) text += "; " + message;
    return text;
  }

  /// What ended the run, or should not have happened in it.
  void judge(const std::vector<InstanceStats>& tables) {
    if (platform_.protocol_violations() != 0)
      add("protocol", std::to_string(platform_.protocol_violations()) + " violations" + messages());
    check_ledgers(platform_, tables, !outcome_.partial, blame());
    if (outcome_.exit_code == exit_deadlock)
      add("idle", "does not come to its end: " + outcome_.reason + messages());
    if (outcome_.reason == "model error" && findings_ == 0) add("runs", "a model error" + messages());
  }

  const ModuleKind& kind_;
  const Case& what_;
  const tb::Say& say_;
  Platform platform_;
  SessionOptions session_options_;
  RunOutcome outcome_;
  int findings_ = 0;
};

}  // namespace

std::string to_text(const Case& what) {
  std::string text = what.name + " (" + to_text(what.shape) + ", seed " + std::to_string(what.seed);
  if (!what.shape.traffic) text += ", " + what.trace;
  for (const auto& [name, value] : what.shape.traffic ? what.drive : Settings{})
    text += ", " + name + " " + value;
  for (const auto& [name, value] : what.subject) text += ", " + name + "=" + value;
  for (const auto& [name, value] : what.machine) text += ", " + name + "=" + value;
  return text + (what.stop_early ? ", stopped early)" : ")");
}

Netlist netlist_of(const ModuleKind& kind, const Case& what, const ModuleTable& modules) {
  Netlist netlist = surround(kind, what.subject, what.shape, modules, what.drive);
  for (const auto& [key, value] : what.machine) netlist.set_param(key, value);
  return netlist;
}

std::string to_line(const Finding& finding) {
  return finding_mark + finding.check + " " + finding.text;
}

void read_line(const std::string& line, RunResult& result) {
  const auto rest = [&](const std::string& mark) { return line.substr(mark.size()); };
  if (line.rfind(digest_mark, 0) == 0) result.digest = rest(digest_mark);
  if (line.rfind(about_mark, 0) == 0) result.about = rest(about_mark);
  if (line.rfind(refused_mark, 0) == 0) result.refused = rest(refused_mark);
  if (line.rfind(finding_mark, 0) != 0) return;
  const std::string text = rest(finding_mark);
  const std::size_t space = text.find(' ');
  result.findings.push_back({text.substr(0, space), text.substr(space + 1)});
}

RunResult run_case(const ModuleKind& kind, const std::function<Case()>& make, const ModuleTable& modules,
                   const RunOptions& options) {
  RunResult result;
  const tb::WorkEnding ending = tb::in_child([&](const tb::Say& say) {
    const Case what = make();
    say(about_mark + to_text(what));
    const auto refuse = [&](const std::string& why) {
      say(what.may_be_refused ? refused_mark + why : to_line({"runs", "the machine is refused: " + why}));
    };
    try {
      Trial(kind, what, modules, options, say).run();
    } catch (const ConfigError& error) {
      refuse(error.what());
    } catch (const TooLarge& error) {
      refuse(error.what());
    }
  });
  for (const std::string& line : ending.said) read_line(line, result);
  if (!ending.broke.empty()) result.findings.push_back({"runs", "the program " + ending.broke});
  return result;
}

}  // namespace strata::contract
