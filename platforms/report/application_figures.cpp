#include "platforms/report/application_figures.h"

#include <algorithm>

#include "models/llc_control/llc_control.h"
#include "models/llc_slice/llc_slice_shell.h"
#include "models/sm_cluster/sm_cluster_block.h"
#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

std::uint64_t value_of(const InstanceStats& table, const char* name) {
  const CounterRow* row = table.counter(name);
  return row == nullptr ? 0 : row->value;
}

/// The L1s are modules of their own: which SM each serves is in the bindings.
void add_l1s(const Platform& platform, ApplicationFigures& figures) {
  const ResolvedNetlist& netlist = platform.netlist();
  for (const ResolvedConnection& connection : netlist.connections) {
    const ResolvedGroup& from = netlist.groups[static_cast<std::size_t>(connection.from.group)];
    const ResolvedGroup& to = netlist.groups[static_cast<std::size_t>(connection.to.group)];
    const int sm = connection.from.socket;
    if (from.kind->name != "sm_cluster" || to.kind->name != "l1_private") continue;
    if (sm < figures.first_sm || sm >= figures.first_sm + figures.sms) continue;
    for (const PlatformInstance& instance : platform.instances()) {
      if (instance.name != to.name || instance.index != connection.to.index) continue;
      const InstanceStats table = read_stats(to.name, std::string(to.kind->name), instance.block->stats());
      figures.any_l1 = true;
      figures.l1_accesses += value_of(table, "accesses");
      figures.l1_hits += value_of(table, "hits");
      figures.l1_merges += value_of(table, "merges");
      figures.l1_misses += value_of(table, "misses");
    }
  }
}

template <class Shell>
bool add_slice(const Block& block, int application, ApplicationFigures& figures) {
  const auto* slice = dynamic_cast<const Shell*>(&block);
  if (slice == nullptr) return false;
  const LlcApplicationCounts& counts = slice->state().counts(application);
  LlcApplicationCounts& sum = figures.llc;
  figures.any_slice = true;
  sum.accesses += counts.accesses;
  sum.hits += counts.hits;
  sum.misses += counts.misses;
  return true;
}

std::optional<double> quotient(std::uint64_t over, std::uint64_t under) {
  if (under == 0) return std::nullopt;
  return static_cast<double>(over) / static_cast<double>(under);
}

const char* organization_name(LlcControlParams::Organization organization) {
  static constexpr const char* names[] = {"shared", "private", "static", "adaptive", "selrep"};
  return names[static_cast<int>(organization)];
}

}  // namespace

void measure(const Platform& platform, int application, Cycle now, ApplicationFigures& figures) {
  figures.cycles = now;
  for (const PlatformInstance& instance : platform.instances()) {
    instance.block->settle(instance.block->clock().now());
    if (const auto* cluster = dynamic_cast<const SmClusterBlock*>(instance.block)) {
      if (const SmClusterStats* stats = cluster->counters(application)) figures.sm += *stats;
      if (const LedgerTotals* ledger = cluster->ledger_totals(application)) figures.ledger += *ledger;
    } else if (const auto* control = dynamic_cast<const LlcControl*>(instance.block)) {
      figures.private_cycles = control->private_cycles(application);
      figures.organization = organization_name(
          control->params().of_application(application, control->application_count()).organization);
    } else if (!add_slice<LlcSliceShell<AtLinks>>(*instance.block, application, figures)) {
      add_slice<LlcSliceShell<LtLinks>>(*instance.block, application, figures);
    }
  }
  add_l1s(platform, figures);
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
  whole("cycles", "core cycles", "until it had issued its budget or ended its program", f.cycles);
  whole("thread_instructions", "thread instructions", "issued until then", f.sm.thread_instructions);
  whole("warp_instructions", "warp instructions", "issued until then", f.sm.warp_instructions);
  real("ipc", "thread instructions per core cycle", "thread_instructions / cycles",
       quotient(f.sm.thread_instructions, f.cycles));
  whole("kernels_done", "kernels", "kernels ended until then", f.kernels_done);
  whole("ctas_done", "CTAs", "CTAs ended until then", f.sm.ctas_done);
  whole("line_accesses", "line accesses", "accesses that its SMs sent", f.sm.line_accesses);
  whole("l1_accesses", "line accesses", "loads that its L1s took", f.l1_accesses);
  whole("l1_hits", "line accesses", "loads that found their line in the L1", f.l1_hits);
  whole("l1_merges", "line accesses", "loads that joined a fetch of their line under way", f.l1_merges);
  whole("l1_misses", "line accesses", "loads that made the L1 fetch their line", f.l1_misses);
  real("l1_hit_rate", "", "l1_hits / l1_accesses", quotient(f.l1_hits, f.l1_accesses));
  whole("llc_accesses", "requests", "its requests that the LLC slices decided", f.llc.accesses);
  whole("llc_hits", "requests", "of these: found their line", f.llc.hits);
  whole("llc_misses", "requests", "of these: for lines neither present nor on their way", f.llc.misses);
  real("llc_hit_rate", "", "llc_hits / llc_accesses", quotient(f.llc.hits, f.llc.accesses));
  std::uint64_t count = 0, latency = 0;
  for (const LedgerTotals::Sums& sums : f.ledger.groups) count += sums.count, latency += sums.latency;
  real("mean_latency", "core cycles", "of its line accesses", quotient(latency, count));
  const LedgerTotals::Sums& loads = f.ledger.groups[LedgerTotals::loads];
  real("mean_load_latency", "core cycles", "of its loads", quotient(loads.latency, loads.count));
  real("private_share", "", "share of its cycles in which the LLC was private for it",
       quotient(f.private_cycles, f.cycles));
  for (SummaryRow& row : summary.rows) {
    if (!f.any_l1 && row.name.rfind("l1_", 0) == 0) row.absent = "no l1_private serves its SMs";
    if (!f.any_slice && row.name.rfind("llc_", 0) == 0) row.absent = "the platform has no llc_slice";
  }
  return summary;
}

std::string applications_text(const std::vector<ApplicationFigures>& applications) {
  TextTable table;
  table.add({"application", "SMs of a cluster", "LLC", "instructions", "cycles", "IPC", "L1 hits", "LLC hits",
             "load latency"});
  const auto share = [](std::uint64_t over, std::uint64_t under) {
    return under == 0 ? std::string("-") : percent(static_cast<double>(over) / static_cast<double>(under));
  };
  for (std::size_t a = 0; a < applications.size(); ++a) {
    const ApplicationFigures& f = applications[a];
    const LedgerTotals::Sums& loads = f.ledger.groups[LedgerTotals::loads];
    table.add({std::to_string(a) + (f.measured ? "" : " (cut short)"),
               std::to_string(f.first_sm) + " to " + std::to_string(f.first_sm + f.sms - 1),
               f.organization.empty() ? "shared" : f.organization, grouped(f.sm.thread_instructions),
               grouped(f.cycles), rounded(f.ipc()), share(f.l1_hits, f.l1_accesses),
               share(f.llc.hits, f.llc.accesses),
               loads.count == 0
                   ? "-"
                   : rounded(static_cast<double>(loads.latency) / static_cast<double>(loads.count))});
  }
  return table.text();
}

}  // namespace strata::platforms
