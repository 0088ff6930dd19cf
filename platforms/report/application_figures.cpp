#include "platforms/report/application_figures.h"

#include <algorithm>
#include <set>
#include <utility>

#include "models/common/llc_choices_if.h"
#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

/// L1s bound only to SMs of this application: the bindings name the SMs.
std::set<const Block*> own_l1s(const Platform& platform, const ApplicationFigures& figures) {
  const ResolvedNetlist& netlist = platform.netlist();
  const auto group = [&](const ResolvedEnd& end) -> const ResolvedGroup& {
    return netlist.groups[static_cast<std::size_t>(end.group)];
  };
  std::set<std::pair<std::string, int>> own;
  std::set<std::pair<int, int>>
      ways;  // what passes their requests on, routers apart: L1s behind those are shared
  const auto reach = [&](const ResolvedEnd& end) {
    const Role role = group(end).kind->role;
    if (role == Role::l1) own.emplace(group(end).name, end.index);
    return passes(role) && role != Role::router && ways.emplace(end.group, end.index).second;
  };
  for (const ResolvedConnection& connection : netlist.connections) {
    const int sm = connection.from.socket;
    if (group(connection.from).kind->role == Role::sm && sm >= figures.first_sm &&
        sm < figures.first_sm + figures.sms)
      reach(connection.to);
  }
  for (bool more = !ways.empty(); more;) {
    more = false;
    for (const ResolvedConnection& connection : netlist.connections)
      if (connection.tlm && ways.count({connection.from.group, connection.from.index}) != 0)
        more = reach(connection.to) || more;
  }
  std::set<const Block*> blocks;
  for (const PlatformInstance& instance : platform.of_role(Role::l1))
    if (own.count({instance.name, instance.index}) != 0) blocks.insert(instance.block);
  return blocks;
}

}  // namespace

void measure(const Platform& platform, int application, Cycle now, ApplicationFigures& figures) {
  figures.cycles = now;
  const std::set<const Block*> l1s = own_l1s(platform, figures);
  for (const PlatformInstance& instance : platform.instances()) {
    Block& block = *instance.block;
    block.settle(block.clock().now());
    const StatSet* stats = block.application_stats(application);
    if (stats == nullptr && l1s.count(&block) != 0) stats = &block.stats();
    if (stats != nullptr) figures.tables.push_back(read_stats(instance.full_name(), *instance.kind, *stats));
    if (const LedgerTotals* ledger = block.ledger(application)) figures.ledger += *ledger;
    if (const auto* control = dynamic_cast<const LlcChoicesIf*>(&block))
      figures.organization = control->organization_of(application);
  }
}

Summary summarize(const ApplicationFigures& f) {
  Summary summary;
  const auto whole = [&](const char* name, const char* unit, const char* sentence, std::uint64_t value) {
    summary.rows.push_back({name, unit, sentence, true, value, std::nullopt});
  };
  const auto real = [&](const char* name, const char* unit, const char* sentence,
                        std::optional<double> value) {
    summary.rows.push_back({name, unit, sentence, false, 0, value});
  };
  const auto row = [&](const char* name, const char* sentence) {
    summary.rows.push_back(figure(name, f.tables, f.cycles));
    summary.rows.back().sentence = sentence;
  };
  row("cycles", "until it had issued its budget or ended its program");
  row("thread_instructions", "issued until then");
  row("warp_instructions", "issued until then");
  row("ipc", "thread_instructions / cycles");
  whole("kernels_done", "kernels", "kernels ended until then", f.kernels_done);
  whole("ctas_done", "CTAs", "CTAs ended until then", f.count(Role::sm, "ctas_done"));
  row("line_accesses", "accesses that its SMs sent");
  row("l1_accesses", "loads that its L1s took");
  row("l1_hits", "loads that found their line in the L1");
  row("l1_merges", "loads that merged with a fill of their line in flight");
  row("l1_misses", "loads whose line the L1 had to fetch");
  row("l1_hit_rate", "l1_hits / l1_accesses");
  row("llc_accesses", "its requests that the LLC slices looked up");
  row("llc_hits", "of these: found their line");
  row("llc_misses", "of these: for lines neither present nor in flight");
  row("llc_hit_rate", "llc_hits / llc_accesses");
  std::uint64_t count = 0, latency = 0;
  for (const LedgerTotals::Sums& sums : f.ledger.groups) count += sums.count, latency += sums.latency;
  real("mean_latency", "core cycles", "of its line accesses", quotient(latency, count));
  const LedgerTotals::Sums& loads = f.ledger.groups[LedgerTotals::loads];
  real("mean_load_latency", "core cycles", "of its loads", quotient(loads.latency, loads.count));
  real("private_share", "", "share of its cycles in which the LLC was private for it",
       quotient(f.count(Role::control, "private_cycles"), f.cycles));
  return summary;
}

std::string applications_text(const std::vector<ApplicationFigures>& applications) {
  TextTable table;
  table.add({"application", "SMs of a cluster", "LLC", "instructions", "cycles", "IPC", "L1 hits", "LLC hits",
             "load latency"});
  const auto share = [](const SummaryRow& row) { return row.real ? percent(*row.real) : std::string("-"); };
  for (std::size_t a = 0; a < applications.size(); ++a) {
    const ApplicationFigures& f = applications[a];
    const LedgerTotals::Sums& loads = f.ledger.groups[LedgerTotals::loads];
    table.add(
        {std::to_string(a) + (f.measured ? "" : " (cut short)"),
         std::to_string(f.first_sm) + " to " + std::to_string(f.first_sm + f.sms - 1),
         f.organization.empty() ? "shared" : f.organization,
         grouped(f.count(Role::sm, "thread_instructions")), grouped(f.cycles),
         rounded(figure("ipc", f.tables, f.cycles).value()), share(figure("l1_hit_rate", f.tables, f.cycles)),
         share(figure("llc_hit_rate", f.tables, f.cycles)),
         loads.count == 0 ? "-"
                          : rounded(static_cast<double>(loads.latency) / static_cast<double>(loads.count))});
  }
  return table.text();
}

}  // namespace strata::platforms
