#include <algorithm>
#include <iostream>
#include <thread>
#include <unistd.h>

#include "models/common/faults.h"
#include "models/io/draft.h"
#include "platforms/cli/application_list.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/default_out.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/engine/pool/folder_claim.h"
#include "platforms/engine/pool/run_pool.h"
#include "platforms/engine/session/exit_codes.h"
#include "platforms/engine/session/interrupt_watch.h"
#include "platforms/studies/reproduce/throughput.h"

namespace strata::cli {
namespace {

using platforms::RunJob;
using Words = std::vector<std::string>;

constexpr const char together_name[] = "together";

Arguments multi_arguments() {
  Arguments a(
      "multi PLATFORM (--trace TRACE | --workload NAME@SCALE)... [--share N:M] [--max-instructions N] [--set "
      "KEY=VALUE]... [--out DIR] [options]",
      "Simulates programs side by side on one machine and each of them alone, and prints the slowdown of "
      "each\n"
      "and the system throughput STP, the sum over the programs of IPC together / IPC alone. Programs share\n"
      "the SMs of every cluster according to --share; alone, a program has all SMs. A program's figures "
      "cover it\n"
      "up to its budget of instructions or its end; it then starts again, until the slowest is done.\n"
      "docs/guide/multi-program.md defines the simulation.",
      "  strata multi isca19/shared --workload gemm@quick --workload nn@quick\n"
      "  strata multi isca19/multi --workload gemm@quick --workload nn@quick --solo-platform isca19/shared\n"
      "  strata multi isca19/multi --workload gemm@quick --workload nn@quick --set "
      "ctl.organizations=private:private\n"
      "  strata multi isca19/shared --workload lud@quick --trace synthetic:random --share 6:4 "
      "--max-instructions 5000000:2000000\n");
  add_application_options(a);
  a.options().add_options()("with", po::value<Words>(),
                            "a netlist file whose keys override the platform's; may be repeated")(
      "set", po::value<Words>(), "set a key of the netlist: ctl.organizations=shared:private")(
      "solo-platform", po::value<std::string>(),
      "platform of the programs alone, with the same --with and without --set; default: PLATFORM, with "
      "--set")("timing", po::value<std::string>(),
               "at or lt: timing of every instance that does not set its own")(
      "seed", po::value<std::string>(), seed_help().c_str())(
      "out", po::value<std::string>(),
      "folder for the results; default results/multi-PLATFORM-TRACES, and a hash when options change the "
      "results")("jobs", po::value<std::string>(), "runs at a time; default: one a core")(
      "quiet", "no progress lines");
  add_plugin_option(a);
  add_selection_options(a);
  add_ptx_options(a);
  add_cache_options(a);
  return a;
}

void append_each(const Arguments& a, const char* option, Words& words) {
  if (!a.has(option)) return;
  for (const std::string& value : a.get<Words>(option))
    words.insert(words.end(), {std::string("--") + option, value});
}

void append_one(const Arguments& a, const char* option, Words& words) {
  if (a.has(option)) words.insert(words.end(), {std::string("--") + option, a.get<std::string>(option)});
}

/// Arguments common to all runs, without the platform.
Words common_words(const Arguments& a) {
  Words words;
  append_each(a, "with", words);
  append_each(a, "plugin", words);
  for (const char* option : {"timing", "seed", "loads-in-flight", "read-only", "memcheck",
                             "launch-instructions", "launch-memory", "kernels", "launches"})
    append_one(a, option, words);
  return words;
}

/// `--workload NAME` or `--trace TRACE`
Words program_words(const std::string& trace) {
  constexpr const char prefix[] = "workload:";
  if (trace.rfind(prefix, 0) == 0) return {"--workload", trace.substr(sizeof prefix - 1)};
  return {"--trace", trace};
}

void append(Words& to, const Words& from) {
  to.insert(to.end(), from.begin(), from.end());
}

RunJob together(const Arguments& a, const ApplicationList& list) {
  Words words = {a.words().front()};
  append(words, common_words(a));
  append_each(a, "set", words);
  for (const std::string& trace : list.traces) append(words, program_words(trace));
  append_one(a, "share", words);
  append_one(a, "max-instructions", words);
  if (a.has("no-repeat")) words.emplace_back("--no-repeat");
  return {together_name, "all together", words};
}

RunJob alone(const Arguments& a, const ApplicationList& list, std::size_t program) {
  const bool elsewhere = a.has("solo-platform");
  Words words = {elsewhere ? a.get<std::string>("solo-platform") : a.words().front()};
  append(words, common_words(a));
  if (!elsewhere) append_each(a, "set", words);
  append(words, program_words(list.traces[program]));
  if (!list.budgets.empty())
    append(words,
           {"--max-instructions", std::to_string(list.budgets[list.budgets.size() == 1 ? 0 : program])});
  const std::string name = "alone-" + std::to_string(program);
  return {name, "alone, " + list.traces[program], words};
}

/// Reports once, before any run, what each run would refuse. Returns the machine of all programs together.
platforms::ResolvedNetlist check(const Arguments& a, const ApplicationList& list) {
  if (list.traces.size() < 2)
    throw ConfigError("multi needs two programs or more (--workload, --trace), but there " +
                      (list.traces.empty() ? std::string("is none") : std::string("is one: see strata run")));
  const Words with = a.has("with") ? a.get<Words>("with") : Words();
  const Words timing = a.has("timing") ? Words{"run.timing=" + a.get<std::string>("timing")} : Words();
  Words sets = settings(a);
  append(sets, timing);
  Words solo = timing;  // --set does not apply to it, --plugin does
  if (a.has("plugin"))
    for (const std::string& file : a.get<Words>("plugin")) solo.push_back("plugins=" + file);
  platforms::ResolvedNetlist netlist =
      platforms::Netlist::load(require_platforms(a.words().front(), with), sets).resolve();
  share_out(list.shares, list.traces.size(), sms_of_a_cluster(netlist));
  if (a.has("solo-platform"))
    platforms::Netlist::load(require_platforms(a.get<std::string>("solo-platform"), with), solo).resolve();
  for (const std::string& trace : list.traces)
    open_source(trace, {ptx_options(a), 1, nullptr, false, netlist.plugins, selection_of(a)});
  return netlist;
}

std::string default_folder(const Arguments& a, const ApplicationList& list,
                           const platforms::ResolvedNetlist& netlist) {
  DefaultOut out{"results/multi-",
                 require_platform(a.words().front()),
                 list.traces,
                 {"share", "max-instructions", "no-repeat", "loads-in-flight", "read-only", "memcheck",
                  "kernels", "launches"}};
  if (a.has("solo-platform")) out.netlists = {a.get<std::string>("solo-platform")};
  return out.path(a, netlist);
}

}  // namespace

int run_multi(const std::vector<std::string>& arguments) {
  Arguments a = multi_arguments();
  if (!a.read(arguments, 1, 1)) return 0;
  pass_cache_on(a);
  const ApplicationList list = application_list(a, arguments);
  const platforms::ResolvedNetlist netlist = check(a, list);
  std::vector<RunJob> runs = {together(a, list)};
  for (std::size_t p = 0; p < list.traces.size(); ++p) runs.push_back(alone(a, list, p));
  platforms::PoolOptions pool;
  pool.folder = a.has("out") ? a.get<std::string>("out") : default_folder(a, list, netlist);
  pool.program = "/proc/self/exe";
  pool.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (a.has("jobs"))
    pool.jobs =
        static_cast<int>(std::min<std::uint64_t>(whole_number("jobs", a.get<std::string>("jobs"), 1), 1024));
  pool.progress = !a.has("quiet");
  const platforms::InterruptWatch interrupts;
  const platforms::FolderClaim claim(pool.folder, pool.progress);
  if (!claim.held()) return platforms::exit_interrupted;
  const platforms::PoolOutcome outcome = platforms::simulate_runs(runs, pool);
  if (outcome.interrupted) return platforms::exit_interrupted;
  for (const platforms::RunFailure& failure : outcome.failures)
    std::cerr << "strata: " << failure.run << ": " << failure.words << " (" << failure.log << ")\n";
  if (!outcome.failures.empty()) return platforms::exit_config;
  Words solos;
  for (std::size_t p = 0; p < list.traces.size(); ++p) solos.push_back(pool.folder + "/" + runs[p + 1].name);
  const auto progress = platforms::read_progress(pool.folder + "/" + together_name, solos);
  write_file(pool.folder + "/multi.json", platforms::progress_json(progress));
  std::cout << "results   " << pool.folder << "\n\n" << platforms::progress_text(progress);
  return platforms::exit_ok;
}

}  // namespace strata::cli
