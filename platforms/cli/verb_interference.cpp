#include <algorithm>
#include <filesystem>
#include <iostream>
#include <unistd.h>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "models/io/draft.h"
#include "platforms/cli/application_list.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/default_out.h"
#include "platforms/engine/session/children.h"
#include "platforms/studies/interference/interference_run.h"

namespace strata::cli {
namespace {

using platforms::Interference;
using Words = std::vector<std::string>;

constexpr const char idle[] = "idle";
constexpr const char json_name[] = "/interference.json";

Arguments interference_arguments() {
  Arguments a(
      "interference PLATFORM (--workload NAME@SCALE | --trace TRACE)... [--sm N:M:...] [--victim N] "
      "[--without N]\n       [--no-rerun] [--set KEY=VALUE] [--out DIR] [options]",
      "Simulates programs side by side until one of them, the victim, has ended (the others begin again "
      "when\n"
      "they end), and assigns LLC misses to aggressors: by demotions (GDC), by evictions (PLOB), and by\n"
      "Shapley values, which come from replaying the recorded stream of LLC requests for every set of "
      "programs.\n"
      "Then the victim is simulated again without each of its contenders: misses, cycles and time in queues\n"
      "that this saves. Writes interference.csv, .json and .svg. docs/guide/interference.md defines all of "
      "it.",
      "  strata interference gdc/xavier --workload vma --workload dadd --workload agg1 --workload agg2\n"
      "  strata interference gdc/xavier --workload mm --workload mt --sm 2:0 --victim 1 --no-rerun\n"
      "  strata interference isca19/multi --workload gemm --workload nn --max-instructions 200000 --set "
      "ctl.organizations=private:shared\n");
  add_application_options(a);
  a.options().add_options()("sm", po::value<std::string>(),
                            "SM of each program within its cluster, as in 0:1:2:3; other SMs idle")(
      "victim", po::value<std::string>()->default_value("0"),
      "number of the program whose end ends the run, from 0 in the order of the command line")(
      "without", po::value<std::string>(), "number of a program that does not run: its SMs idle")(
      "no-rerun", "do not simulate the victim again without each contender")(
      "limit", po::value<std::string>()->default_value("20000000"),
      "requests of the LLC that are kept for the replay, 16 bytes each")(
      "with", po::value<Words>(), "a netlist file whose keys override the platform's; may be repeated")(
      "set", po::value<Words>(), "set a key of the netlist: llc.ways=8; may be repeated")(
      "seed", po::value<std::string>(), seed_help().c_str())(
      "out", po::value<std::string>(),
      "folder for the results; default results/interference-PLATFORM-TRACES")(
      "jobs", po::value<std::string>(), "runs at a time; default: one a core")("quiet", "print no tables");
  add_plugin_option(a);
  add_ptx_options(a);
  add_cache_options(a);
  return a;
}

/// Placement of applications on SMs: the programs in the order of their SMs, with the idle SMs between them.
struct Placement {
  ApplicationList list;
  std::vector<std::size_t> programs;  ///< by application: number on the command line, or `none`
  static constexpr std::size_t none = ~std::size_t{0};

  void add(const std::string& trace, int sms, std::size_t program) {
    list.traces.push_back(trace);
    list.shares.push_back(sms);
    programs.push_back(program);
  }
  int application_of(std::size_t program) const {
    return static_cast<int>(std::find(programs.begin(), programs.end(), program) - programs.begin());
  }
};

Placement placed_by_share(const ApplicationList& list, int sms) {
  Placement placement;
  const std::vector<int> shares = share_out(list.shares, list.traces.size(), sms);
  for (std::size_t p = 0; p < list.traces.size(); ++p) placement.add(list.traces[p], shares[p], p);
  return placement;
}

Placement placed_on_sms(const ApplicationList& list, const std::string& text, int sms) {
  const std::vector<std::string> parts = split(text, ':');
  if (!list.shares.empty()) throw ConfigError("--sm and --share exclude each other");
  if (parts.size() != list.traces.size())
    throw ConfigError("--sm " + text + " names " + std::to_string(parts.size()) + " SMs for " +
                      std::to_string(list.traces.size()) + " programs; allowed: one for each");
  std::vector<std::size_t> program_of(static_cast<std::size_t>(sms), Placement::none);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::uint64_t sm = whole_number("sm", parts[p], 0);
    if (sm >= static_cast<std::uint64_t>(sms))
      throw ConfigError("--sm " + text + ": program " + std::to_string(p) + " is to run on SM " + parts[p] +
                        ", but a cluster has " + std::to_string(sms) + "; allowed: 0 to " +
                        std::to_string(sms - 1));
    std::size_t& program = program_of[sm];
    if (program != Placement::none)
      throw ConfigError("--sm " + text + ": programs " + std::to_string(program) + " and " +
                        std::to_string(p) + " are both to run on SM " + parts[p] +
                        "; allowed: one program an SM");
    program = p;
  }
  Placement placement;
  for (const std::size_t program : program_of) {
    if (program == Placement::none && !placement.programs.empty() &&
        placement.programs.back() == Placement::none)
      ++placement.list.shares.back();
    else
      placement.add(program == Placement::none ? idle : list.traces[program], 1, program);
  }
  return placement;
}

std::size_t program_number(const Arguments& a, const char* option, const ApplicationList& list) {
  const std::uint64_t number = whole_number(option, a.get<std::string>(option), 0);
  if (number >= list.traces.size())
    throw ConfigError(std::string("--") + option + " " + std::to_string(number) +
                      ": there is no such program; allowed: 0 to " + std::to_string(list.traces.size() - 1) +
                      ", in the order of the command line");
  return number;
}

/// Adds a tracker to slices of a platform without one.
void add_tracker(platforms::Netlist& netlist, const platforms::ResolvedNetlist& resolved) {
  std::vector<std::string> slices;
  for (const platforms::ResolvedGroup& group : resolved.groups) {
    if (group.kind->role == Role::observer) return;
    if (group.kind->role == Role::llc) slices.push_back(group.name);
  }
  if (slices.empty())
    throw ConfigError("the platform has no slice of an LLC: nothing is shared that could be looked at");
  netlist.add_instance("contention", "contention_tracker", 1);
  for (const std::string& slice : slices) netlist.bind(slice + "[i].tracker -> contention.slice");
}

struct Plan {
  platforms::Netlist netlist;
  ApplicationList list;  ///< as on the command line
  Placement placement;
  std::size_t victim = 0, without = Placement::none;
  SourceOptions sources;
  platforms::RunDefaults defaults;
  std::string out;
  std::uint64_t limit = 0;
};

Plan plan_of(const Arguments& a, const Words& arguments) {
  const Words with = a.has("with") ? a.get<Words>("with") : Words();
  Plan plan{platforms::Netlist::load(require_platforms(a.words().front(), with), settings(a)),
            {},
            {},
            0,
            Placement::none,
            {},
            {},
            {},
            0};
  plan.list = application_list(a, arguments);
  if (plan.list.traces.size() < 2)
    throw ConfigError("interference needs two programs or more (--workload, --trace), but there " +
                      std::string(plan.list.traces.empty() ? "is none" : "is one"));
  platforms::ResolvedNetlist resolved = plan.netlist.resolve();
  const int sms = sms_of_a_cluster(resolved);
  plan.placement = a.has("sm") && sms != 0 ? placed_on_sms(plan.list, a.get<std::string>("sm"), sms)
                                           : placed_by_share(plan.list, sms);
  plan.placement.list.budgets = plan.list.budgets;
  if (plan.list.budgets.size() > 1) {
    plan.placement.list.budgets.clear();
    for (const std::size_t program : plan.placement.programs)
      plan.placement.list.budgets.push_back(program == Placement::none ? 0 : plan.list.budgets[program]);
  }
  plan.victim = program_number(a, "victim", plan.list);
  if (a.has("without")) {
    plan.without = program_number(a, "without", plan.list);
    if (plan.without == plan.victim) throw ConfigError("--without names the victim itself");
    plan.placement.list.traces[static_cast<std::size_t>(plan.placement.application_of(plan.without))] = idle;
  }
  add_tracker(plan.netlist, resolved);
  plan.defaults = resolved.run;
  plan.sources.ptx = ptx_options(a);
  plan.sources.cache = record_cache(a);
  plan.sources.seed = a.has("seed") ? whole_number("seed", a.get<std::string>("seed"), 0)
                                    : resolved.run.seed.value_or(platforms::default_seed);
  plan.sources.plugins = resolved.plugins;
  plan.limit = whole_number("limit", a.get<std::string>("limit"), 1);
  DefaultOut out{"results/interference-",
                 require_platform(a.words().front()),
                 plan.list.traces,
                 {"share", "max-instructions", "sm", "victim", "without", "seed", "limit"}};
  plan.out = a.has("out") ? a.get<std::string>("out") : out.path(a, resolved);
  return plan;
}

/// As on the command line: without idle SMs.
Interference in_order(const Interference& found, const Placement& placement, std::size_t programs) {
  Interference ordered = found;
  std::vector<std::size_t> from;
  for (std::size_t p = 0; p < programs; ++p)
    from.push_back(static_cast<std::size_t>(placement.application_of(p)));
  const auto pick = [&](const auto& values) {
    auto picked = values;
    picked.clear();
    for (const std::size_t a : from)
      if (a < values.size()) picked.push_back(values[a]);
    return picked;
  };
  const auto pick_both = [&](const auto& rows) {
    auto picked = pick(rows);
    for (auto& row : picked) row = pick(row);
    return picked;
  };
  ordered.names = pick(found.names);
  ordered.accesses = pick(found.accesses);
  ordered.latency = pick(found.latency);
  ordered.queues = pick(found.queues);
  ordered.replayed = pick(found.replayed);
  ordered.counts.misses = pick(found.counts.misses);
  ordered.counts.demotions = pick_both(found.counts.demotions);
  ordered.counts.evictions = pick_both(found.counts.evictions);
  ordered.shapley = pick_both(found.shapley);
  return ordered;
}

std::string short_name(const std::string& trace) {
  constexpr const char prefix[] = "workload:";
  return trace.rfind(prefix, 0) == 0 ? trace.substr(sizeof prefix - 1) : trace;
}

/// The same program given twice counts as two kernels.
std::vector<std::string> kernel_names(const ApplicationList& list) {
  std::vector<std::string> names;
  for (const std::string& trace : list.traces) names.push_back(short_name(trace));
  std::vector<std::string> told = names;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::count(names.begin(), names.end(), names[i]) > 1) told[i] += " #" + std::to_string(i);
  return told;
}

/// Repeats the run without each of the contenders, each in its own process.
void rerun(const Arguments& a, const Words& arguments, const Plan& plan, Interference& found) {
  const int jobs = jobs_of(a);
  std::vector<platforms::ChildRun> runs;
  std::vector<std::pair<std::size_t, std::string>> folders;
  for (std::size_t p = 0; p < plan.list.traces.size(); ++p) {
    if (p == plan.victim) continue;
    const std::string folder = plan.out + "/without-" + std::to_string(p);
    Words words;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] == "--out" || arguments[i] == "--jobs") {
        ++i;
        continue;
      }
      if (arguments[i].rfind("--out=", 0) != 0 && arguments[i].rfind("--jobs=", 0) != 0 &&
          arguments[i] != "--quiet" && arguments[i] != "--no-rerun")
        words.push_back(arguments[i]);
    }
    words.insert(words.end(), {"--quiet", "--no-rerun", "--without", std::to_string(p), "--out", folder});
    runs.push_back({"/proc/self/exe", words, folder + ".log", "interference"});
    folders.emplace_back(p, folder);
  }
  platforms::run_children(runs, jobs);
  for (const auto& [program, folder] : folders) {
    const Interference without = platforms::read_interference(folder + json_name);
    found.without.push_back({static_cast<int>(program), without.cycles, without.counts.misses[plan.victim],
                             without.latency[plan.victim], without.queues[plan.victim]});
  }
}

}  // namespace

int run_interference(const std::vector<std::string>& arguments) {
  Arguments a = interference_arguments();
  if (!a.read(arguments, 1, 1)) return 0;
  pass_cache_on(a);
  Plan plan = plan_of(a, arguments);
  std::error_code error;
  std::filesystem::create_directories(plan.out, error);
  check_writable(plan.out + json_name);
  platforms::InterferenceOptions options;
  options.victim = plan.placement.application_of(plan.victim);
  options.limit = plan.limit;
  options.replay = plan.without == Placement::none;
  options.session.progress = !a.has("quiet") && ::isatty(STDERR_FILENO) != 0;
  options.session.repeat = !a.has("no-repeat");
  OpenApplications programs(plan.placement.list, plan.sources, sms_of_a_cluster(plan.netlist.resolve()),
                            plan.defaults);
  platforms::Platform platform(plan.netlist, {plan.sources.seed, false});
  platforms::RunOutcome outcome;
  const Interference all = platforms::interference_of(platform, programs.runs(), options, outcome);
  for (const std::string& message : outcome.messages) std::cerr << "strata: " << message << "\n";
  if (outcome.exit_code != platforms::exit_ok) return outcome.exit_code;
  Interference found = in_order(all, plan.placement, plan.list.traces.size());
  found.names = kernel_names(plan.list);
  found.victim = static_cast<int>(plan.victim);
  if (!a.has("no-rerun") && plan.without == Placement::none) rerun(a, arguments, plan, found);
  write_file(plan.out + json_name, platforms::interference_json(found));
  write_file(plan.out + "/interference.csv", platforms::interference_csv(found));
  write_file(plan.out + "/interference.svg", platforms::interference_svg(found));
  if (!a.has("quiet")) std::cout << "results   " << plan.out << "\n\n" << platforms::interference_text(found);
  return platforms::exit_ok;
}

}  // namespace strata::cli
