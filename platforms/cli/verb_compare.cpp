#include <cstdlib>
#include <iostream>
#include <optional>
#include <unistd.h>

#include "models/common/faults.h"
#include "platforms/cli/arguments.h"
#include "platforms/report/compare.h"
#include "platforms/studies/energy/energy_report.h"
#include "platforms/studies/energy/machine_model.h"
#include "platforms/studies/sweep/sweep_comparison.h"
#include "platforms/studies/sweep/sweep_text.h"

namespace strata::cli {
namespace {

using Texts = std::vector<std::string>;

Texts texts(const Arguments& a, const char* option) {
  return a.has(option) ? a.get<Texts>(option) : Texts();
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
      "KEY=VALUE of a sweep: what the others are compared with; KEY is platform, variant or a key under set")(
      "energy", "also what each run cost, and the change");
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
      "NAME]... [--json | --csv | --markdown]",
      "Shows the summaries and ledgers of results directories side by side, with the change relative to\n"
      "the first, and its origin according to the ledger. Runs that differ in --seed or launch_jitter "
      "only\n"
      "are one group: its mean with the 95 % interval, and which changes are noise. --pivot gives each group "
      "a "
      "row.\n"
      "For a sweep's folder: by workload the speed-up of each value of one key over the baseline, the\n"
      "geometric mean over the workloads, the best configuration, and how much each key matters (its share\n"
      "of the variance of the logarithm of time). Without --baseline it is the first value of the first key\n"
      "under set that varies, else of the variants, else of the platforms.",
      "  strata compare results/shared-matmul_512 results/private-matmul_512\n"
      "  strata compare --json results/a results/b\n"
      "  strata compare results/organizations --baseline platform=isca19/private\n"
      "  strata compare --pivot --figure cycles --figure ipc results/*\n"
      "  strata compare --energy results/a results/b\n");
  add_options(a);
  add_plugin_option(a);
  if (!a.read(arguments, 0, any_number)) return 0;
  if (a.words().empty()) throw ConfigError("which results? Give one directory at least");
  std::cout << comparison(a);
  if (a.has("energy")) compare_energy(a);
  return 0;
}

}  // namespace strata::cli
