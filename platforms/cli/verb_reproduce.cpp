#include <algorithm>
#include <filesystem>
#include <iostream>

#include "models/common/faults.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/open_source.h"
#include "platforms/engine/session/exit_codes.h"
#include "platforms/studies/reproduce/gdc_study.h"
#include "platforms/studies/reproduce/reproduction.h"
#include "platforms/studies/reproduce/run_figures.h"

namespace strata::cli {
namespace {

using platforms::Effort;
using platforms::Paper;
using platforms::ReproductionOptions;

constexpr const char sheet_name[] = "sensitivity";

Arguments reproduce_arguments() {
  Arguments a(
      "reproduce PAPER [--figure N]... [--sensitivity] [--with FILE]... [--quick] [--jobs N] [--out DIR] "
      "[--docs DIR] [--resume] [--list]",
      "Runs the workloads and platforms behind each claim of a paper, prints paper, model and verdict of "
      "each\n"
      "claim, and writes a page with tables and bar charts. PAPER is a shipped one or a\n"
      "file like platforms/studies/reproduce/isca19.yaml. Each run is a separate process; Ctrl-C keeps "
      "finished\n"
      "runs, and --resume continues from them.",
      "  strata reproduce isca19 --quick\n"
      "  strata reproduce isca19 --figure 11 --figure 12 --jobs 2\n"
      "  strata reproduce isca19 --figure sensitivity --quick\n"
      "  strata reproduce gdc --docs docs/validation\n"
      "  strata reproduce isca19 --figure 2 --with routers/gpgpusim\n"
      "  strata reproduce selrep20 --out results/selrep20 --docs docs/validation --resume\n");
  a.options().add_options()(
      "figure", po::value<std::vector<std::string>>(),
      "only the claims and charts of this figure; may be repeated; `sensitivity` is the sheet")(
      sheet_name, "also the sensitivity sheet: the sources of the gain")(
      "with", po::value<std::vector<std::string>>(),
      "netlist file that changes the machine of every run, e.g. routers/gpgpusim; page PAPER-FILE.md")(
      "quick", "short runs and one seed: signs in minutes")("jobs", po::value<std::string>(),
                                                            "runs at a time; default: one a core")(
      "out", po::value<std::string>(),
      "folder for results and page; default results/reproduce-PAPER[-quick]")(
      "docs", po::value<std::string>(), "folder for the page and its drawings; default: that of --out")(
      "list", "print the runs that would be simulated, and simulate none")(
      "resume", "keep finished runs of the same program, platform and workload")(
      "program", po::value<std::string>(), "build of strata that simulates; default: this one")(
      "quiet", "no progress lines");
  add_plugin_option(a);
  add_cache_options(a);
  return a;
}

void read_figures(const Arguments& a, const Paper& paper, platforms::Selection& selection) {
  selection.sensitivity = a.has(sheet_name);
  if (a.has("figure")) selection.figures = a.get<std::vector<std::string>>("figure");
  const auto sheet = std::find(selection.figures.begin(), selection.figures.end(), sheet_name);
  if (sheet != selection.figures.end()) {
    selection.figures.erase(sheet);
    selection.sensitivity = true;
    selection.only_sensitivity = selection.figures.empty();
  }
  if (selection.sensitivity && !paper.sheet.present())
    throw ConfigError(paper.name + " has no sensitivity sheet");
}

/// A machine of the user gets a page of its own.
void read_machine(const Arguments& a, Paper& paper, platforms::Selection& selection) {
  selection.sets = settings(a);
  if (!a.has("with")) return;
  selection.with = a.get<std::vector<std::string>>("with");
  for (const std::string& file : selection.with) {
    paper.name += "-" + std::filesystem::path(file).stem().string();
    paper.notes += "Every run is made with `--with " + file + "`.\n";
  }
}

std::string shown_command(const std::vector<std::string>& arguments) {
  std::string text = "strata reproduce";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--out" || word == "--docs" || word == "--jobs" || word == "--program" ||
        word == "--cache") {  // says where to store, not what to run
      ++i;
      continue;
    }
    const bool elsewhere = word.rfind("--out=", 0) == 0 || word.rfind("--docs=", 0) == 0 ||
                           word.rfind("--jobs=", 0) == 0 || word.rfind("--cache=", 0) == 0;
    if (!elsewhere && word != "--no-cache" && word != "--resume" && word != "--quiet") text += " " + word;
  }
  return text;
}

int list_runs(const Paper& paper, const ReproductionOptions& options) {
  const platforms::RunPlan plan(paper, options.selection, platforms::program_identity(options.program));
  for (const platforms::RunSpec& run : plan.runs()) {
    const bool done = options.resume && platforms::is_finished(options.out + "/runs/" + run.folder());
    std::cout << run.text() << (done ? ", finished" : "") << ": strata run";
    for (const std::string& word : run.arguments) std::cout << " " << word;
    std::cout << "\n";
  }
  std::cout << plan.runs().size() << " runs\n";
  return 0;
}

/// The paper on demotion counters compares breakdowns of misses, not runs.
int run_gdc(const Arguments& a, const std::vector<std::string>& arguments) {
  for (const char* option : {"figure", "sensitivity", "with"})
    if (a.has(option))
      throw ConfigError(std::string("--") + option + ": gdc has one study, which is run whole");
  platforms::GdcStudyOptions options;
  options.quick = a.has("quick");
  options.out = a.has("out") ? a.get<std::string>("out")
                             : std::string("results/reproduce-gdc") + (options.quick ? "-quick" : "");
  if (a.has("docs")) options.docs = a.get<std::string>("docs");
  options.program = program_of(a);
  options.command = shown_command(arguments);
  options.jobs = jobs_of(a);
  options.resume = a.has("resume");
  options.list = a.has("list");
  std::cout << platforms::reproduce_gdc(options);
  return platforms::exit_ok;
}

}  // namespace

int run_reproduce(const std::vector<std::string>& arguments) {
  Arguments a = reproduce_arguments();
  if (!a.read(arguments, 1, 1)) return 0;
  pass_cache_on(a);
  if (a.words().front() == "gdc") return run_gdc(a, arguments);
  const Effort effort = a.has("quick") ? Effort::quick : Effort::full;
  Paper paper = at_effort(Paper::load(platforms::find_paper(a.words().front())), effort);
  ReproductionOptions options;
  read_figures(a, paper, options.selection);
  read_machine(a, paper, options.selection);
  options.selection.effort = effort;
  options.jobs = jobs_of(a);
  options.out = a.has("out") ? a.get<std::string>("out")
                             : "results/reproduce-" + paper.name + (a.has("quick") ? "-quick" : "");
  if (a.has("docs")) options.docs = a.get<std::string>("docs");
  options.resume = a.has("resume");
  options.progress = !a.has("quiet");
  options.program = program_of(a);
  options.command = shown_command(arguments);
  if (a.has("list")) return list_runs(paper, options);
  const platforms::ReproductionOutcome outcome = platforms::reproduce(paper, options);
  std::cout << outcome.text;
  if (!outcome.page.empty()) std::cout << "page: " << outcome.page << "\n";
  return outcome.exit_code;
}

}  // namespace strata::cli
