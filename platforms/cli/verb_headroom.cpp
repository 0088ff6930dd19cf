#include <algorithm>
#include <filesystem>
#include <iostream>
#include <unistd.h>

#include "models/common/access_watch_if.h"
#include "models/llc_predictors/headroom.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/open_source.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/headroom_machine.h"
#include "platforms/report/headroom_report.h"
#include "platforms/report/results_reader.h"
#include "platforms/report/stat_table.h"
#include "platforms/report/summary.h"
#include "platforms/report/text_table.h"
#include "traces/read_ahead.h"

namespace strata::cli {
namespace {

using platforms::HeadroomMachine;
using platforms::HeadroomRun;
using platforms::JudgedRun;

// A recorded lookup takes 40 bytes, and about 100 more while OPT looks into its future.
constexpr std::uint64_t bytes_per_lookup = 140;

Arguments headroom_arguments() {
  Arguments a(
      "headroom PLATFORM {--trace TRACE | --workload NAME@SCALE} [--with FILE]... [--set KEY=VALUE]... "
      "[--limit N]\n       [--copies all|read-only] [--judge RESULTS]...",
      "Simulates a trace, records every lookup of the LLC, and replays them offline: under LRU, Belady's "
      "OPT\n"
      "and infinite capacity, from full sharing over every number of copies to full replication, each behind "
      "a\n"
      "network without limits. Shows an upper bound of the speed-up, and with --judge how much of "
      "that\n"
      "each policy reaches. docs/guide/headroom.md explains the table. Ctrl-C ends the simulation early and "
      "reports "
      "on\n"
      "the recorded lookups.",
      "  strata headroom isca19/shared --workload an@quick\n"
      "  strata headroom isca19/shared --workload nn@quick --max-instructions 50000000 --limit 1000000\n"
      "  strata run isca19/private --workload an@quick --out results/private\n"
      "  strata headroom isca19/shared --workload an@quick --judge results/private\n"
      "  strata headroom selrep20/selrep --workload an@quick --read-only analysis\n");
  a.options().add_options()("trace", po::value<std::string>(), "trace to simulate, as for `strata run`")(
      "workload", po::value<std::string>(), "kernels to interpret and simulate: NAME, NAME@SCALE, FILE.yaml")(
      "with", po::value<std::vector<std::string>>(),
      "a netlist file whose keys override the platform's; may be repeated")(
      "set", po::value<std::vector<std::string>>(), "set a key of the netlist: llc.ways=8; may be repeated")(
      "max-instructions", po::value<std::string>(), "end after this many thread instructions")(
      "seed", po::value<std::string>(), seed_help().c_str())(
      "limit", po::value<std::string>()->default_value("4000000"),
      "end the simulation after this many lookups; each takes about 140 bytes of memory")(
      "copies", po::value<std::string>(),
      "accesses whose lines may have copies: all but atomics, or read-only loads; default: read-only under "
      "static and "
      "selrep")(
      "judge", po::value<std::vector<std::string>>(),
      "results of another organization on the same work, compared with the ceilings; may be repeated")(
      "quiet", "no progress line");
  add_plugin_option(a);
  add_selection_options(a);
  add_ptx_options(a);
  add_cache_options(a);
  add_worker_option(a);
  return a;
}

/// Records the lookups of the slices.
class Watch final : public AccessWatchIf {
 public:
  Watch(const platforms::Platform& platform, const HeadroomMachine& machine, std::uint64_t limit)
      : recorder_(platform.address_map(), static_cast<std::uint64_t>(machine.params.slice_sets),
                  machine.set_index, limit + last_sector(machine)),
        limit_(limit) {
    for (const platforms::PlatformInstance& instance : platform.of_role(Role::llc))
      dynamic_cast<WatchedAccesses&>(*instance.block).watch_accesses(this);
  }
  /// Lookups until the session next checks the limit: one per cycle and slice.
  static std::uint64_t last_sector(const HeadroomMachine& machine) {
    return 1000U * static_cast<std::uint64_t>(machine.params.channels * machine.params.slices);
  }
  void seen(const Access& access, Cycle now) override { recorder_.record(access, now); }
  bool full() const { return recorder_.lookups().size() >= limit_; }
  const LookupRecorder& recorder() const { return recorder_; }

 private:
  LookupRecorder recorder_;
  std::uint64_t limit_;
};

struct Plan {
  std::vector<std::string> files, sets;
  std::string trace;
  std::optional<std::uint64_t> seed;
  std::uint64_t limit = 0;
  std::optional<bool> only_read_only;
  platforms::SessionOptions session;
  SourceOptions sources;
  std::vector<JudgedRun> judged;
};

std::vector<JudgedRun> judged_runs(const std::vector<std::string>& directories) {
  std::vector<JudgedRun> judged;
  for (const std::string& directory : directories) {
    const auto stats = platforms::read_results(directory);
    const double cycles = platforms::required_figure(stats, directory, "cycles");
    const double instructions = platforms::required_figure(stats, directory, "thread_instructions");
    if (cycles == 0 || instructions == 0)
      throw ConfigError("--judge " + directory + ": the run has executed no instructions");
    judged.push_back({std::filesystem::path(directory).lexically_normal().string(), cycles, instructions});
  }
  return judged;
}

Plan plan_of(const Arguments& a) {
  Plan plan;
  if (a.has("trace") == a.has("workload")) throw ConfigError("--trace or --workload: give one of them");
  plan.files = require_platforms(a.words().front(), a.has("with") ? a.get<std::vector<std::string>>("with")
                                                                  : std::vector<std::string>());
  plan.trace = a.has("trace") ? a.get<std::string>("trace") : "workload:" + a.get<std::string>("workload");
  plan.sets = settings(a);
  if (a.has("seed")) plan.seed = whole_number("seed", a.get<std::string>("seed"), 0);
  plan.limit = whole_number("limit", a.get<std::string>("limit"), 1);
  if (a.has("max-instructions"))
    plan.session.max_instructions =
        whole_number("max-instructions", a.get<std::string>("max-instructions"), 1);
  if (a.has("copies")) {
    const auto copies = a.get<std::string>("copies");
    if (copies != "all" && copies != "read-only")
      throw ConfigError("--copies: '" + copies + "' is no choice; allowed: all, read-only" +
                        suggestion(copies, {"all", "read-only"}));
    plan.only_read_only = copies == "read-only";
  }
  plan.session.progress = !a.has("quiet") && ::isatty(STDERR_FILENO) != 0;
  plan.sources.ptx = ptx_options(a);
  plan.sources.cache = record_cache(a);
  plan.sources.worker = has_worker(a);
  plan.sources.selection = selection_of(a);
  if (a.has("judge")) plan.judged = judged_runs(a.get<std::vector<std::string>>("judge"));
  return plan;
}

std::string how_it_ended(const Plan& plan, const platforms::RunOutcome& outcome) {
  if (!outcome.partial) return "";
  if (outcome.reason == "enough")
    return "The simulation was ended after " + platforms::grouped(plan.limit) +
           " lookups: the report covers only the recorded ones. --limit N records more, at about " +
           std::to_string(bytes_per_lookup) + " bytes of memory each.\n";
  if (outcome.reason == "max-instructions") return "The simulation was ended by the limit of instructions.\n";
  return "The simulation ended early (" + outcome.reason + "): the report covers only the recorded ones.\n";
}

/// Prints the figures of the run, and returns those that the ceilings need.
HeadroomRun describe(const platforms::Platform& platform, const platforms::RunOutcome& outcome,
                     const std::string& trace, const HeadroomMachine& machine) {
  const platforms::Summary summary = platforms::summarize(
      platforms::read_stats(platform), platforms::read_ledger(platform), outcome.cycles, {});
  HeadroomRun run;
  run.cycles = outcome.cycles;
  run.thread_instructions = summary.find("thread_instructions")->count;
  run.warp_instructions = summary.find("warp_instructions")->count;
  run.issue_slots = machine.issue_slots;
  run.hit_rate = summary.find("llc_hit_rate")->value();
  std::cout << platform.title() << "; " << trace << ": " << platforms::grouped(run.cycles) << " cycles, IPC "
            << platforms::rounded(summary.find("ipc")->value()) << "\n"
            << "A slice delivers at most " << platforms::rounded(machine.params.bandwidth.slice)
            << " bytes per core cycle, memory " << platforms::rounded(machine.params.bandwidth.memory) << "; "
            << (machine.params.replicate_read_only ? "read-only loads" : "all but atomics")
            << " may have copies.\n";
  return run;
}

int report_on(Plan& plan) {
  const platforms::Netlist netlist = platforms::Netlist::load(plan.files, plan.sets);
  const platforms::ResolvedNetlist resolved = netlist.resolve();
  std::cerr << resolved.timing_note();
  HeadroomMachine machine = platforms::headroom_machine(resolved);
  if (plan.only_read_only) machine.params.replicate_read_only = *plan.only_read_only;
  const std::uint64_t seed = plan.seed.value_or(resolved.run.seed.value_or(platforms::default_seed));
  if (plan.session.max_instructions == 0)
    plan.session.max_instructions = resolved.run.max_instructions.value_or(0);
  plan.sources.seed = seed;
  plan.sources.plugins = netlist.plugins();
  const auto source = open_source(plan.trace, plan.sources).source;
  const auto ahead = plan.sources.worker ? traces::read_ahead(*source) : nullptr;
  platforms::Platform platform(netlist, {seed, false});
  Watch watch(platform, machine, plan.limit);
  plan.session.enough = [&watch] { return watch.full(); };
  platforms::Session session(platform, ahead != nullptr ? *ahead : *source, plan.session);
  platform.finish_elaboration();
  const platforms::RunOutcome outcome = session.run();
  for (const std::string& message : outcome.messages) std::cerr << "strata: " << message << "\n";
  if (outcome.exit_code != platforms::exit_ok && outcome.exit_code != platforms::exit_interrupted)
    return outcome.exit_code;
  const HeadroomRun run = describe(platform, outcome, source->description(), machine);
  std::cout << how_it_ended(plan, outcome);
  if (watch.recorder().lookups().empty()) throw ConfigError("nothing was looked up in the LLC");
  std::cout << platforms::headroom_report(watch.recorder().lookups(), machine.params, run, plan.judged);
  return outcome.exit_code;
}

}  // namespace

int run_headroom(const std::vector<std::string>& arguments) {
  Arguments a = headroom_arguments();
  if (!a.read(arguments, 1, 1)) return 0;
  Plan plan = plan_of(a);
  return report_on(plan);
}

}  // namespace strata::cli
