#include "tb/contract/end_state.h"

#include <algorithm>

#include "platforms/report/hop_laws.h"
#include "platforms/report/laws.h"

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

}  // namespace strata::contract
