#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <unistd.h>

#include "models/common/faults.h"
#include "models/common/source_gaps.h"
#include "models/io/file_guard.h"
#include "platforms/cli/application_list.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/default_out.h"
#include "platforms/cli/dram_requests_run.h"
#include "platforms/cli/kernel_recorders.h"
#include "platforms/cli/launch_table.h"
#include "platforms/cli/open_source.h"
#include "platforms/cli/timeline_run.h"
#include "platforms/cli/what_if.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/engine/netlist/resolver.h"
#include "platforms/engine/session/interrupt_watch.h"
#include "platforms/engine/session/live_view.h"
#include "platforms/engine/session/process_usage.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/by_source/source_recorder.h"
#include "platforms/report/by_source/source_table.h"
#include "platforms/report/console_summary.h"
#include "platforms/report/digest.h"
#include "platforms/report/evidence.h"
#include "platforms/report/module_tables.h"
#include "platforms/report/results_directory.h"
#include "platforms/report/results_files.h"
#include "platforms/report/run_observer.h"
#include "platforms/studies/energy/energy_report.h"
#include "platforms/studies/energy/machine_model.h"

namespace strata::cli {
namespace {

using platforms::HostCost;
using platforms::RunOutcome;
using platforms::RunRecord;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  struct tm parts {};
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
  return text;
}

std::string command_line(const std::vector<std::string>& arguments) {
  std::string text = "strata run";
  for (const std::string& word : arguments) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$*?;&|<>()") == std::string::npos;
    text += plain ? " " + word : " '" + word + "'";
  }
  return text;
}

Arguments run_arguments() {
  Arguments a(
      "run PLATFORM [--trace TRACE | --workload NAME@SCALE]... [--with FILE]... [--set KEY=VALUE]... [--out "
      "DIR] "
      "[options]",
      "Simulates a trace on a platform. PLATFORM is a netlist file or the name of a shipped platform;\n"
      "TRACE a kernelslist.g or its directory, a .traceg or .tracez, a record file, or "
      "synthetic:SPEC;\n"
      "NAME a workload of `strata trace workloads` or a workload file (docs/guide/workloads.md), interpreted "
      "from "
      "PTX.\n"
      "Several traces or workloads are applications side by side, each on separate SMs of every cluster "
      "(docs/guide/multi-program.md).\n"
      "A platform of traffic generators brings its own traffic and takes neither (docs/blocks/traffic.md).\n"
      "Results go to a directory that appears when the run is over; Ctrl-C ends a run early and keeps the\n"
      "results so far, marked partial. They never replace results of a run that ended normally: then they "
      "go\n"
      "to DIR.partial.",
      "  strata run isca19/shared --trace traces/samples/matmul_512/kernelslist.g\n"
      "  strata run isca19/shared --workload gemm@quick\n"
      "  strata run isca19/shared --workload gemm@quick --workload nn@quick --share 6:4\n"
      "  strata run isca19/traffic_shared --set gen.load=0.2 --seed 3\n"
      "  strata run isca19/shared --workload gemm@quick --dram-requests gemm.dramsim3\n"
      "  strata run tiny --trace synthetic:random:footprint=1MiB --set l1.ways=4 --out results/small\n");
  add_application_options(a);
  a.options().add_options()(
      "with", po::value<std::vector<std::string>>(),
      "a netlist file whose keys override the platform's: isca19/variants/hynix; may be repeated")(
      "set", po::value<std::vector<std::string>>(), "set a key of the netlist: llc.ways=8, llc[3].ways=4")(
      "timing", po::value<std::string>(), "at or lt: timing of every instance that does not set its own")(
      "out", po::value<std::string>(),
      "results directory; default results/PLATFORM-TRACE, and a hash when options change the results")(
      "seed", po::value<std::string>(), seed_help().c_str())(
      "check-protocol", "check the TLM-2.0 base protocol on every binding")(
      "epoch", po::value<std::string>()->default_value("10000"), "core cycles of a line in epochs.csv")(
      "l1-epochs", "write l1s.csv too: the accesses of each L1 in the same epochs")(
      "watchdog-cycles", po::value<std::string>()->default_value("1000000"),
      "core cycles without progress that count as a hang")("progress",
                                                           "draw the progress line also when stderr is "
                                                           "no terminal")(
      "observe", po::value<std::string>(),
      "sharing: also count the lines that several SMs touch, and which part of their loads the LLC serves; "
      "replication: which lines several L1s hold; lines: the use of lines that L1s fetch; capacity: "
      "which misses L1s of twice the size would avoid")(
      "energy",
      "show the energy of the run: joules of NoC, caches, DRAM and SMs (docs/methods/energy-and-area.md)")(
      "by-kernel", "figures, ledger and verdict of each kernel too: kernels.json (docs/methods/verdict.md)")(
      "by-launch",
      "figures of each launch as a profiler counts them, in one table: by_launch.csv "
      "(docs/guide/running.md)")("cold-launches",
                                 "empty the caches and close open DRAM rows before each launch, and run "
                                 "launches one after the other, as "
                                 "Nsight Compute does")(
      "by-source",
      "which lines of the source wait for memory: accesses, lines, hits and latency of each instruction, "
      "by_source.csv (docs/guide/running.md)")(
      "live",
      "draw the state of the run on the terminal: progress, IPC, limit, ledger, queues, waits between blocks "
      "(docs/guide/running.md)")(
      "what-if",
      "then run the same work with about twice as much of each resource (docs/methods/verdict.md)")(
      "what-if-launches", po::value<std::string>(),
      "for --what-if run at most so many launches of each kernel, spread over the run: gains with the 95 % "
      "interval of that sample; default: all")("what-if-runs", text_or(WhatIf().runs),
                                               "runs of each machine for --what-if, with launches that "
                                               "jitter: gains as a mean with its 95 % interval")(
      "quiet", "print the digest and errors, and nothing else");
  add_timeline_options(a);
  add_dram_request_options(a);
  add_plugin_option(a);
  add_selection_options(a);
  add_ptx_options(a);
  add_cache_options(a);
  add_worker_option(a);
  return a;
}

/// The complete plan of a run, made before SystemC starts.
struct Plan {
  std::string platform_file, out;
  ApplicationList applications;
  std::vector<std::string> netlist_files;
  std::vector<std::string> sets;
  std::optional<std::uint64_t> seed;
  platforms::SessionOptions session;
  SourceOptions sources;
  bool check_protocol = false;
  std::string observe;  ///< one of observer_names(), or empty
  std::optional<platforms::TimelineOptions> timeline;
  std::optional<DramRequestOptions> dram_requests;
  bool by_source = false;
  bool by_kernel = false;
  bool by_launch = false;
  bool cold_launches = false;
  WhatIf what_if;
  std::string what_if_limit;  ///< "--launches 2:5": the options that leave launches out
  bool quiet = false;
  bool live = false;
  std::optional<power::Constants> energy;  ///< constants for the energy figures of the run
};

Plan plan_of(const Arguments& a, const std::vector<std::string>& arguments) {
  Plan plan;
  plan.netlist_files =
      require_platforms(a.words().front(),
                        a.has("with") ? a.get<std::vector<std::string>>("with") : std::vector<std::string>());
  plan.platform_file = plan.netlist_files.front();
  plan.applications = application_list(a, arguments);
  plan.session.repeat = !a.has("no-repeat");
  plan.sources.ptx = ptx_options(a);
  plan.sources.cache = record_cache(a);
  plan.sources.worker = has_worker(a);
  plan.sources.selection = selection_of(a);
  if (a.has("out")) plan.out = a.get<std::string>("out");
  if (a.has("out") && plan.out.empty())
    throw ConfigError("--out: the name of the results directory is empty");
  plan.sets = settings(a);
  if (a.has("timing")) plan.sets.push_back("run.timing=" + a.get<std::string>("timing"));
  if (a.has("seed")) plan.seed = whole_number("seed", a.get<std::string>("seed"), 0);
  plan.session.epoch_cycles = whole_number("epoch", a.get<std::string>("epoch"), 1);
  plan.session.l1_epochs = a.has("l1-epochs");
  plan.session.watchdog_cycles = whole_number("watchdog-cycles", a.get<std::string>("watchdog-cycles"), 1);
  plan.check_protocol = a.has("check-protocol");
  if (a.has("observe")) {
    const auto what = a.get<std::string>("observe");
    const std::vector<std::string> names = platforms::observer_names();
    if (std::find(names.begin(), names.end(), what) == names.end())
      throw ConfigError("--observe: '" + what + "' is no choice; allowed: " + comma_list(names) +
                        suggestion(what, names));
    plan.observe = what;
  }
  plan.timeline = timeline_options(a);
  plan.dram_requests = dram_request_options(a);
  plan.by_kernel = a.has("by-kernel");
  plan.by_launch = a.has("by-launch");
  plan.cold_launches = a.has("cold-launches");
  plan.by_source = a.has("by-source");
  check_by_source(a);
  if (plan.by_source) plan.sources.worker = false;  // the recorder notes trace lines while the trace is read
  plan.what_if = what_if_of(a, arguments);
  if (a.has("what-if") && plan.observe.empty()) plan.observe = "capacity";
  plan.quiet = a.has("quiet");
  plan.sources.notes = !plan.quiet;
  if (a.has("energy")) plan.energy = platforms::load_constants();
  plan.live = a.has("live");
  if (plan.live) check_live(a);
  for (const char* part : {"kernels", "launches"})
    if (a.has(part))
      plan.what_if_limit +=
          (plan.what_if_limit.empty() ? "--" : " --") + (part + (" " + a.get<std::string>(part)));
  if (plan.what_if.launches != 0 && plan.applications.traces.size() > 1)
    throw ConfigError("--what-if-launches: takes launches of one application");
  plan.session.progress = !plan.quiet && (a.has("progress") || ::isatty(STDERR_FILENO) != 0);
  return plan;
}

void fill(RunRecord& record, const platforms::Platform& platform, RunOutcome& outcome, const HostCost& host,
          double spared) {
  record.partial = outcome.partial;
  record.reason = outcome.reason;
  record.exit_code = outcome.exit_code;
  record.messages = outcome.messages;
  record.warnings = outcome.warnings;
  record.protocol_violations = platform.protocol_violations();
  record.protocol_transactions = platform.checked_transactions();
  record.cycles = outcome.cycles;
  record.tables = outcome.tables.empty() ? platforms::read_stats(platform) : std::move(outcome.tables);
  record.ledger = platforms::read_ledger(platform);
  record.places = platform.ledger_places();
  record.summary = platforms::summarize(record.tables, record.ledger, record.cycles, host);
  record.verdict = platforms::judge(
      {platform.netlist(), record.tables, record.ledger, record.places, record.cycles, spared});
  record.digest = platforms::digest(record.tables, record.ledger, record.places, record.applications);
}

/// The configuration and the run options of the command line: the same trace run with it gives the same
/// digest.
std::string effective_configuration(const platforms::Platform& platform, const RunRecord& record) {
  platforms::ResolvedNetlist netlist = platform.netlist();
  netlist.run.seed = record.seed;
  if (record.check_protocol) netlist.run.check_protocol = true;
  netlist.run.max_instructions.reset();
  if (record.max_instructions != 0) netlist.run.max_instructions = record.max_instructions;
  return platforms::effective_configuration(netlist);
}

void write_results(platforms::ResultsDirectory& results, const platforms::Platform& platform,
                   const platforms::Session& session, const std::vector<InstructionSource*>& sources,
                   const platforms::KernelRecorders& kernels, const Plan& plan, const Measured& measured,
                   const std::string& by_source, const RunOutcome& outcome, const RunRecord& record) {
  results.write("config.yaml", effective_configuration(platform, record));
  results.write("epochs.csv", session.epochs().csv());
  if (const std::string l1s = session.epochs().l1s_csv(); !l1s.empty()) results.write("l1s.csv", l1s);
  if (const std::string slices = session.epochs().slices_csv(); !slices.empty())
    results.write("slices.csv", slices);
  results.write("ledger.csv", platforms::ledger_csv(record.ledger, record.places));
  if (const std::string choices = platforms::llc_choices_csv(platform); !choices.empty())
    results.write("llc_choices.csv", choices);
  if (const std::string contention = platforms::contention_csv(platform); !contention.empty())
    results.write("contention.csv", contention);
  if (const std::string requesters = platforms::requesters_csv(platform); !requesters.empty())
    results.write("requesters.csv", requesters);
  if (!sources.empty())
    results.write("kernels.csv", platforms::kernels_csv(platform, sources, outcome.cycles));
  if (plan.by_kernel) results.write("kernels.json", platforms::kernels_json(kernels, record.places));
  if (plan.by_launch) results.write("by_launch.csv", by_launch_csv(platform, kernels, outcome.cycles));
  if (!by_source.empty()) results.write("by_source.csv", by_source);
  if (!measured.reliefs.empty()) results.write("what_if.json", what_if_json(measured));
  if (!outcome.wait_graph.empty()) results.write("wait_graph.txt", outcome.wait_graph);
  results.write("stats.json", platforms::stats_json(record));
  const std::string evidence =
      outcome.exit_code == platforms::exit_ok ? std::string() : platforms::write_evidence(results, platform);
  results.commit(!outcome.partial || outcome.exit_code == platforms::exit_ok);
  if (!results.fallback_path().empty())
    std::cerr << "strata: " << results.fallback_path() << "; the results are in " << results.path() << "\n";
  if (!evidence.empty()) std::cerr << "strata: " << results.path() << "/" << evidence << "\n";
}

void show(const RunRecord& record, bool quiet, const std::string& place) {
  if (quiet)
    std::cout << "digest: " << platforms::digest_text(record.digest) << "\n";
  else
    std::cout << "results   " << place << "\n" << platforms::console_summary(record);
}

/// A dispatcher runs a trace; traffic generators alone run none.
void check_trace_wanted(const platforms::ResolvedNetlist& netlist, bool given) {
  const auto is = [](Role role) {
    return [role](const platforms::ResolvedGroup& group) { return group.kind->role == role; };
  };
  const auto& groups = netlist.groups;
  const bool dispatcher = std::any_of(groups.begin(), groups.end(), is(Role::dispatcher));
  const bool traffic = std::any_of(groups.begin(), groups.end(), is(Role::generator));
  if (!given && (dispatcher || !traffic))
    throw ConfigError("--trace is missing: give a trace to simulate, or --workload NAME");
  if (given && !dispatcher && traffic)
    throw ConfigError("the platform has no cta_dispatcher to run a trace; its traffic generators need none");
}

/// Results must not overwrite an input of the run, such as the config.yaml of earlier results.
void check_inputs_stay(const Plan& plan, const platforms::Netlist& netlist, const OpenApplications& sources) {
  FileGuard files;
  files.reads(plan.netlist_files);
  files.reads(platforms::files_of(netlist));
  files.reads(sources.files());
  files.replaces("--out", plan.out);
  if (plan.timeline) files.writes("--timeline", plan.timeline->file);
  if (plan.dram_requests) files.writes("--dram-requests", plan.dram_requests->file);
}

/// Options that change the results, besides those that change the netlist and the seed.
const std::vector<std::string> result_options = {
    "share",   "max-instructions", "no-repeat", "loads-in-flight", "read-only",       "memcheck",
    "kernels", "launches",         "epoch",     "l1-epochs",       "watchdog-cycles", "observe"};

Measured measured_reliefs(const Plan& plan, const platforms::Platform& platform,
                          const std::vector<InstructionSource*>& sources, const RunRecord& record,
                          double seconds) {
  if (plan.what_if.arguments.empty() || record.exit_code != platforms::exit_ok) return {};
  const platforms::RunCounts run{platform.netlist(), record.tables, record.ledger, record.places,
                                 record.cycles};
  Measured measured;
  measured.reliefs = reliefs_of(run.netlist, platforms::resource_loads(run), plan.netlist_files, plan.sets);
  try {
    WhatIf asked = plan.what_if;
    asked.seed = record.seed;
    asked.progress = plan.session.progress;
    measured = measure_reliefs(measured.reliefs, asked, run,
                               platforms::kernels_csv(platform, sources, record.cycles), seconds);
  } catch (const ConfigError& error) {  // the results of the run itself stay
    std::cerr << "strata: --what-if: " << error.what() << "\n";
  }
  measured.limit = plan.what_if_limit;
  if (record.partial && record.max_instructions != 0)
    measured.limit += (measured.limit.empty() ? "" : " ") +
                      ("--max-instructions " + std::to_string(record.max_instructions));
  return measured;
}

/// Null if no live view is requested. The session that `plan` describes draws it.
std::unique_ptr<platforms::LiveView> live_view(Plan& plan, const platforms::Platform& platform,
                                               const RunRecord& record) {
  if (!plan.live) return nullptr;
  auto view = std::make_unique<platforms::LiveView>(
      platform, platform.title() + (record.trace.empty() ? "" : ", " + record.trace), STDERR_FILENO);
  plan.session.live = [v = view.get()](const auto& state, double seconds) { v->draw(state, seconds); };
  return view;
}

/// `--cold-launches` is a parameter of the dispatcher, under its name in this netlist.
void set_cold_launches(Plan& plan) {
  const platforms::ResolvedNetlist resolved =
      platforms::Netlist::load(plan.netlist_files, plan.sets).resolve();
  for (const platforms::ResolvedGroup& group : resolved.groups)
    if (group.kind->role == Role::dispatcher) {
      plan.sets.push_back(group.name + ".launches=cold");
      return;
    }
  throw ConfigError("--cold-launches: traffic generators launch no kernels");
}

/// Prints one line on what --cold-launches and --by-launch do to launches of several streams.
void note_streams(const Plan& plan, const std::vector<InstructionSource*>& sources) {
  std::set<std::uint64_t> streams;
  std::size_t launches = 0;
  for (const InstructionSource* source : sources)
    for (const KernelInfo& kernel : source->kernels()) {
      streams.insert(kernel.stream);
      ++launches;
    }
  if (plan.cold_launches && streams.size() > 1)
    std::cerr << "strata: --cold-launches: the " << launches << " launches of " << streams.size()
              << " streams run one after the other\n";
}

int simulate(const Arguments& arguments, Plan& plan, RunRecord& record) {
  if (plan.cold_launches) set_cold_launches(plan);
  record.sets = plan.sets;
  const platforms::Netlist netlist = platforms::Netlist::load(plan.netlist_files, plan.sets);
  const platforms::ResolvedNetlist resolved = netlist.resolve();
  std::cerr << resolved.timing_note();
  check_trace_wanted(resolved, !plan.applications.traces.empty());
  platforms::RunDefaults run = resolved.run;
  record.seed = plan.seed.value_or(run.seed.value_or(platforms::default_seed));
  run.seed = record.seed;
  record.check_protocol = plan.check_protocol || run.check_protocol.value_or(false);
  plan.sources.seed = record.seed;
  plan.sources.plugins = netlist.plugins();
  record.plugins = netlist.plugins();
  const OpenApplications sources(plan.applications, plan.sources, sms_of_a_cluster(resolved), run);
  record.max_instructions = sources.runs().empty()
                                ? std::max(plan.applications.only_budget(), run.max_instructions.value_or(0))
                                : sources.common_budget();
  if (sources.runs().size() < 2) plan.session.max_instructions = record.max_instructions;
  record.trace = sources.description();
  record.read_from = sources.origin();
  if (plan.out.empty())
    plan.out = DefaultOut{"results/", plan.platform_file, plan.applications.traces, result_options}.path(
        arguments, resolved);
  check_inputs_stay(plan, netlist, sources);
  const platforms::InterruptWatch interrupts;  // until the results are written
  for (std::size_t i = 1; i < plan.netlist_files.size(); ++i)
    record.withs.push_back(plan.netlist_files[i] + ": " + comma_list(netlist.set_by(plan.netlist_files[i])));
  platforms::ResultsDirectory results(plan.out);
  TimelineRun timeline(plan.timeline, record.seed);
  platforms::ElaborateOptions elaborate{record.seed, record.check_protocol};
  timeline.watch(elaborate);
  DramRequestsRun dram_requests(plan.dram_requests);
  dram_requests.watch(elaborate);
  platforms::SourceRecorder by_source;
  if (plan.by_source)
    elaborate.watch = [&by_source, before = std::move(elaborate.watch)](const PortBase& from,
                                                                        const PortBase& to) {
      return by_source.watch(from, before ? before(from, to) : nullptr);
    };
  platforms::SectorRecorder sectors;
  if (plan.by_launch)
    elaborate.watch = [&sectors, before = std::move(elaborate.watch)](const PortBase& from,
                                                                      const PortBase& to) {
      return sectors.watch(from, to, before ? before(from, to) : nullptr);
    };
  platforms::Platform platform(netlist, elaborate);
  if (plan.by_source) by_source.attach(platform);
  timeline.attach(platform);
  dram_requests.attach(platform);
  record.platform = platform.title();
  platforms::KernelRecorders kernels;
  if (plan.by_kernel || plan.by_launch)
    kernels = kernel_recorders(platform, sources.runs(), plan.by_kernel ? "--by-kernel" : "--by-launch",
                               plan.session);
  if (plan.by_launch)
    for (const auto& recorder : kernels) recorder->watch(sectors);
  if (!plan.quiet) note_streams(plan, sources.all());
  const auto view = live_view(plan, platform, record);
  platforms::Session session =
      sources.runs().empty() ? platforms::Session(platform, plan.session)
      : sources.runs().size() == 1
          ? platforms::Session(platform, *sources.runs().front().source, plan.session)
          : platforms::Session(platform, sources.runs(), plan.session);
  platform.finish_elaboration();
  const std::unique_ptr<platforms::RunObserver> observer =
      plan.observe.empty() ? nullptr : platforms::make_observer(plan.observe, platform);
  if (observer != nullptr)
    for (const auto& recorder : kernels) recorder->watch([o = observer.get()] { return o->spared(); });

  const double cpu_before = platforms::processor_seconds();
  const auto wall_before = std::chrono::steady_clock::now();
  RunOutcome outcome = session.run();
  if (view != nullptr) view->erase();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_before;
  for (const auto& recorder : kernels) recorder->end(outcome.cycles);
  record.applications = session.applications();
  fill(record, platform, outcome,
       {platforms::processor_seconds() - cpu_before, wall.count(), platforms::peak_memory_bytes(),
        platforms::processor_seconds()},
       observer == nullptr ? 0 : observer->spared());
  for (const InstructionSource* source : sources.all())
    for (SourceGap& gap : source->gaps()) record.source_gaps.push_back(std::move(gap));
  record.source_gaps = by_reason(record.source_gaps);
  for (std::string& sentence : gap_sentences(record.source_gaps))
    record.summary.uncounted.push_back(std::move(sentence));
  if (!record.partial) record.verdict.tail = session.epochs().tail(platforms::sms_of(platform.netlist()));
  for (const auto& recorder : kernels) recorder->set_tail(record.verdict.tail);
  if (observer != nullptr)
    for (platforms::SummaryRow& row : observer->figures()) record.summary.rows.push_back(std::move(row));
  const bool timeline_written = timeline.finish(plan.quiet);
  const bool all_written = dram_requests.finish(plan.quiet) && timeline_written;
  const Measured measured = measured_reliefs(plan, platform, sources.all(), record, wall.count());
  note_measured(record.verdict, measured.reliefs,
                {platform.netlist(), record.tables, record.ledger, record.places, record.cycles});
  std::vector<platforms::SourceRow> source_rows;
  if (plan.by_source) source_rows = platforms::source_rows(by_source.figures(), sources.all());
  if (plan.by_source) record.summary.rows.push_back(platforms::load_stalls(by_source.stall_cycles()));
  for (const std::string& message : outcome.messages) std::cerr << "strata: " << message << "\n";
  try {
    write_results(results, platform, session, sources.all(), kernels, plan, measured,
                  plan.by_source ? platforms::by_source_csv(source_rows) : std::string(), outcome, record);
  } catch (const ConfigError&) {  // prints at least the results of the simulation
    show(record, plan.quiet, "none: they could not be written");
    throw;
  }
  show(record, plan.quiet, results.path());
  if (const std::size_t beside = plan.by_launch ? overlapped_launches(kernels) : 0; beside != 0)
    std::cerr
        << "strata: by_launch.csv: " << beside
        << " launches overlapped others: counters of caches and DRAM cannot be separated, their columns are "
           "empty; --cold-launches runs them one after the other\n";
  if (plan.by_source && !plan.quiet) std::cout << platforms::by_source_text(source_rows);
  if (!measured.reliefs.empty() && !plan.quiet) std::cout << what_if_text(measured);
  if (plan.energy && !plan.quiet)
    std::cout << energy_summary(platforms::energy_of_results(results.path(), *plan.energy, {}));
  if (!measured.interrupted.empty()) {
    std::cerr << "strata: --what-if was interrupted by " << measured.interrupted
              << ": gains measured so far are kept\n";
    return platforms::exit_interrupted;
  }
  return all_written || outcome.exit_code != platforms::exit_ok ? outcome.exit_code : platforms::exit_config;
}

}  // namespace

void check_by_source(const Arguments& a) {
  if (a.has("by-source") && (a.has("observe") || a.has("what-if")))
    throw ConfigError(std::string("--by-source and ") + (a.has("observe") ? "--observe" : "--what-if") +
                      " both watch the L1s, and an L1 takes one watch: run twice, once with each");
}

void check_live(const Arguments& a) {
  if (a.has("quiet"))
    throw ConfigError("--live: cannot be combined with --quiet, which draws nothing; give one of them");
  if (::isatty(STDERR_FILENO) == 0)
    throw ConfigError("--live: draws on a terminal, and stderr is none; --progress writes a line instead");
}

int run_run(const std::vector<std::string>& arguments) {
  Arguments a = run_arguments();
  if (!a.read(arguments, 1, 1)) return 0;
  Plan plan = plan_of(a, arguments);
  RunRecord record;
  record.version = STRATA_VERSION;
  record.command = command_line(arguments);
  record.started = utc_now();
  record.platform_file = plan.platform_file;
  return simulate(a, plan, record);
}

}  // namespace strata::cli
