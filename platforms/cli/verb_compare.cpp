#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <unistd.h>

#include "models/common/draft.h"
#include "models/common/faults.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/lt_campaign.h"
#include "platforms/cli/open_source.h"
#include "platforms/energy/constants_files.h"
#include "platforms/energy/energy_report.h"
#include "platforms/report/compare.h"
#include "platforms/report/timing_plot.h"
#include "platforms/report/timing_report.h"
#include "platforms/session/exit_codes.h"
#include "platforms/session/interrupt_watch.h"
#include "platforms/sweep/sweep_comparison.h"
#include "platforms/sweep/sweep_results.h"
#include "traces/open.h"

namespace strata::cli {
namespace {

using Texts = std::vector<std::string>;

const Texts bar_platforms = {"isca19/shared",          "isca19/private",
                             "isca19/full_crossbar",   "isca19/traffic_shared",
                             "isca19/traffic_private", "isca19/traffic_full_crossbar"};
const Texts mixed_platforms = {"isca19/shared", "isca19/traffic_shared"};
const Texts routers_in_lt = {"smr.timing=lt", "mcr.timing=lt"};
constexpr const char samples_folder[] = "traces/samples";

Texts texts(const Arguments& a, const char* option) {
  return a.has(option) ? a.get<Texts>(option) : Texts();
}

Texts split(const std::string& list) {
  Texts words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

std::vector<double> loads_of(const std::string& list) {
  std::vector<double> loads;
  for (const std::string& word : split(list)) {
    char* end = nullptr;
    const double load = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != '\0' || !(load > 0 && load <= 1))
      throw ConfigError("--loads: '" + word +
                        "' is no load; allowed: numbers above 0 and up to 1, separated by commas");
    loads.push_back(load);
  }
  if (loads.empty()) throw ConfigError("--loads: the list is empty");
  return loads;
}

/// Every GPU trace in the folder of samples, by name.
Texts sample_traces() {
  Texts found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(samples_folder, failed))
    if (std::filesystem::exists(entry.path() / "kernelslist.g", failed))
      found.push_back(entry.path().string());
  if (found.empty())
    throw ConfigError("no traces in '" + std::string(samples_folder) +
                      "': run --lt-bars in Strata's folder, or name traces with --trace");
  std::sort(found.begin(), found.end());
  return found;
}

LtPlan plan_of(const Arguments& a) {
  LtPlan plan;
  const bool bars = a.has("lt-bars");
  const Texts lt_sets = texts(a, "lt-set");
  for (const std::string& name : a.has("lt-at") ? texts(a, "lt-at") : bar_platforms)
    plan.machines.push_back({name, lt_sets});
  if (bars && !a.has("lt-at") && lt_sets.empty())
    for (const std::string& name : mixed_platforms) plan.machines.push_back({name, routers_in_lt});
  plan.traces = texts(a, "trace");
  if (bars && plan.traces.empty()) plan.traces = sample_traces();
  for (std::string& trace : plan.traces)  // seeds must move the start of CTAs, not change the stream
    if (trace.rfind("synthetic:", 0) == 0) trace = traces::open_trace(trace)->description();
  plan.loads = loads_of(a.get<std::string>("loads"));
  plan.seeds = static_cast<int>(whole_number("seeds", a.get<std::string>("seeds"), 1));
  plan.repeats = static_cast<int>(whole_number("repeat",
                                               a.has("repeat") ? a.get<std::string>("repeat")
                                               : bars          ? "3"
                                                               : "1",
                                               1));
  plan.jitters = static_cast<int>(whole_number("jitters",
                                               a.has("jitters") ? a.get<std::string>("jitters")
                                               : bars           ? "6"
                                                                : "0",
                                               0));
  plan.sets = settings(a);
  return plan;
}

void write(const std::string& folder, const char* name, const std::string& text) {
  write_file(folder + "/" + name, text);
}

/// The console text: aligned columns for one platform with traces alone, otherwise the tables in Markdown.
std::string console_text(const LtCampaign& campaign, const platforms::TimingSamples& samples) {
  const bool traces = platforms::loads_of(samples).empty() && samples.front().at_again.empty();
  if (!traces || platforms::platforms_of(samples).size() != 1)
    return platforms::timing_verdicts(samples) + "\n" + platforms::timing_tables(samples);
  std::string text = platforms::timing_table(samples);
  if (samples.size() == 1) text += platforms::ledger_difference(campaign.at_results(), campaign.lt_results());
  return text;
}

void compare_timings(const Arguments& a) {
  const std::string out = a.has("out") ? a.get<std::string>("out") : "";
  LtCampaign campaign(plan_of(a));
  if (!out.empty()) {  // checked before the runs, which take minutes
    std::error_code failed;
    std::filesystem::create_directories(out, failed);
    if (failed) throw ConfigError("cannot make '" + out + "': " + failed.message());
  }
  const platforms::TimingSamples samples = campaign.run();
  std::cout << console_text(campaign, samples) << std::flush;
  if (out.empty()) return;
  write(out, "verdicts.md", platforms::timing_verdicts(samples));
  write(out, "tables.md", platforms::timing_tables(samples));
  write(out, "samples.csv", platforms::timing_csv(samples));
  if (!platforms::loads_of(samples).empty()) write(out, "loads.svg", platforms::plot_loads(samples));
}

void compare_energy(const Arguments& a) {
  if (a.has("json")) throw ConfigError("--energy has no part in --json: strata energy RESULT... --json");
  const power::Constants constants = platforms::load_constants();
  std::vector<platforms::EnergyReport> reports;
  for (const std::string& directory : platforms::results_named(a.words()))
    reports.push_back(platforms::energy_of_results(directory, constants, {}));
  std::cout << "\n" << platforms::energy_comparison(reports);
}

void add_options(Arguments& a) {
  a.options().add_options()("json", "print a JSON object")("markdown", "print Markdown")(
      "csv", "print CSV: a row for each group of runs, with all figures")(
      "pivot", "a row for each group of runs: its settings and figures")(
      "figure", po::value<Texts>(), "a figure of the summary in these rows; may be repeated")(
      "baseline", po::value<std::string>(),
      "KEY=VALUE of a sweep: the baseline; KEY is platform, variant or a key under set")(
      "energy", "also the energy of each run, and the change")("lt-at", po::value<Texts>()->multitoken(),
                                                               "platforms to run in both timings")(
      "lt-bars", "the same with all that the aims of lt are judged by")(
      "trace", po::value<Texts>(), "trace to simulate on platforms with SMs; may be repeated")(
      "loads", po::value<std::string>()->default_value("0.05,0.1,0.15,0.2,0.3,0.4,0.6,0.8,1"),
      "loads of traffic generators")("seeds", po::value<std::string>()->default_value("6"),
                                     "seeds of every load, from 1 on")(
      "repeat", po::value<std::string>(),
      "runs of each timing, in turn; the least processor time counts (default 1, with --lt-bars 3)")(
      "jitters", po::value<std::string>(),
      "further runs of each trace in at, in which CTAs start up to 2 cycles apart: how much at itself "
      "differs "
      "(default 0, with --lt-bars 6)")("set", po::value<Texts>(), "set a key of the netlist in both runs")(
      "lt-set", po::value<Texts>(), "set a key of the netlist in the lt run")(
      "out", po::value<std::string>(), "folder for tables, plots and a CSV file");
}

std::string comparison(const Arguments& a) {
  using Format = platforms::PivotFormat;
  if (a.has("json") + a.has("csv") + a.has("markdown") > 1)
    throw ConfigError("--json, --csv, --markdown: one of them says how the comparison is written");
  const Texts figures = texts(a, "figure");
  const bool pivot = a.has("pivot") || a.has("csv") || !figures.empty();
  const bool sweep = a.words().size() == 1 && platforms::is_sweep(a.words().front());
  if (a.has("baseline") && pivot)
    throw ConfigError("--baseline: --pivot, --csv and --figure show figures, and compare with nothing");
  if (a.has("baseline") && !sweep)
    throw ConfigError("--baseline KEY=VALUE is of one sweep: name its folder, and nothing else");
  if (sweep && !pivot && (a.has("baseline") || platforms::has_alternatives(a.words().front()))) {
    using platforms::SweepFormat;
    std::optional<std::string> baseline;
    if (a.has("baseline")) baseline = a.get<std::string>("baseline");
    return platforms::sweep_comparison(a.words().front(), baseline,
                                       a.has("json")       ? SweepFormat::json
                                       : a.has("markdown") ? SweepFormat::markdown
                                                           : SweepFormat::text);
  }
  const Texts results = platforms::results_named(a.words());
  if (pivot)
    return platforms::compare_pivot(
        results, figures,
        a.has("json")       ? Format::json
        : a.has("csv")      ? Format::csv
        : a.has("markdown") ? Format::markdown
                            : Format::text,
        sweep ? platforms::varied_settings(a.words().front()) : platforms::VariedSettings());
  if (a.has("json")) return platforms::compare_json(results);
  if (a.has("markdown")) return platforms::compare_markdown(results);
  const bool colours = ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return platforms::compare_text(results, colours);
}

}  // namespace

int run_compare(const std::vector<std::string>& arguments) {
  Arguments a(
      "compare SWEEP [--baseline KEY=VALUE] [--json | --markdown] | compare DIR... [--pivot] [--figure "
      "NAME]... [--json | --csv | --markdown] | compare --lt-at "
      "PLATFORM... [--trace TRACE]... [--out DIR] | compare "
      "--lt-bars",
      "Shows the summaries and ledgers of results directories side by side, with the change relative to\n"
      "the first, and its origin according to the ledger. Runs that differ in --seed or launch_jitter "
      "only\n"
      "are one group: its mean with the 95 % interval, and which changes are noise. --pivot gives each group "
      "a "
      "row.\n"
      "For a sweep's folder: by workload the speed-up of each value of one key over the baseline, the\n"
      "geometric mean over the workloads, the best configuration, and how much each key matters (its share\n"
      "of the variance of the logarithm of time). Without --baseline it is the first value of the first key\n"
      "under set that varies, else of the variants, else of the platforms.\n"
      "With --lt-at: runs traces and random traffic in at and in lt and shows how far lt is from\n"
      "at, in percent, in points of the hit rates (pp) and as the ratio of processor times. p95 is read "
      "from\n"
      "a histogram with powers of two. Platforms of traffic generators are run with every load and seed, "
      "the\n"
      "others with every trace. --lt-set gives the settings of the lt run, instead of lt everywhere.\n"
      "--lt-bars does it with the sample traces on isca19/shared, private and full_crossbar.",
      "  strata compare results/shared-matmul_512 results/private-matmul_512\n"
      "  strata compare --json results/a results/b\n"
      "  strata compare results/organizations --baseline platform=isca19/private\n"
      "  strata compare --pivot --figure cycles --figure ipc results/*\n"
      "  strata compare --energy results/a results/b\n"
      "  strata compare --lt-at isca19/shared --trace traces/samples/matmul_512\n"
      "  strata compare --lt-at isca19/shared --trace traces/samples/matmul_512 --lt-set smr.timing=lt "
      "--lt-set mcr.timing=lt\n"
      "  strata compare --lt-at isca19/traffic_shared isca19/traffic_private --loads 0.1,0.2 --seeds 2\n"
      "  strata compare --lt-bars --out results/lt\n");
  add_options(a);
  add_plugin_option(a);
  add_cache_options(a);
  if (!a.read(arguments, 0, any_number)) return 0;
  pass_cache_on(a);
  if (a.has("lt-at") || a.has("lt-bars")) {
    if (!a.words().empty()) throw ConfigError("--lt-at makes its own results; no directory goes with it");
    const platforms::InterruptWatch interrupts;
    try {
      compare_timings(a);
    } catch (const Interrupted&) {
      std::cerr << "strata: interrupted by " << platforms::InterruptWatch::signal_name()
                << "; nothing is compared\n";
      return platforms::exit_interrupted;
    }
    return platforms::exit_ok;
  }
  if (a.words().empty()) throw ConfigError("which results? Give one directory at least, or --lt-at PLATFORM");
  std::cout << comparison(a);
  if (a.has("energy")) compare_energy(a);
  return 0;
}

}  // namespace strata::cli
