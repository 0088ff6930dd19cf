#include <algorithm>
#include <filesystem>
#include <iostream>

#include "models/common/faults.h"
#include "models/common/units.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/open_source.h"
#include "platforms/engine/session/exit_codes.h"
#include "platforms/studies/sweep/sweep_run.h"

namespace strata::cli {
namespace {

using Words = std::vector<std::string>;

Arguments sweep_arguments() {
  Arguments a(
      "sweep FILE.yaml [--out DIR] [--jobs N] [--shard K/N] [--resume] [--again] [--list] [--estimate] "
      "[options]",
      "Runs platforms x variants x settings x workloads x seeds, as FILE.yaml describes, each point in a "
      "separate\n"
      "process, and keeps all figures in one SQLite file, DIR/sweep.sqlite. Finished points stay: "
      "the\n"
      "same command continues after an interruption and does nothing when all is done. Shards may run side "
      "by\n"
      "side or on several machines; the sweep without --shard, in the same DIR, imports their figures.\n"
      "docs/guide/sweep.md describes the file and the tables.",
      "  strata sweep l1.yaml\n"
      "  strata sweep l1.yaml --list\n"
      "  strata sweep l1.yaml --estimate --jobs 8\n"
      "  strata sweep l1.yaml --shard 1/4 --out /shared/l1\n"
      "  strata sweep l1.yaml --on slurm --block 20 --sbatch=--time=4:00:00 --out /shared/l1\n"
      "  sqlite3 results/sweep-l1/sweep.sqlite 'SELECT * FROM overview ORDER BY ipc DESC LIMIT 5'\n");
  a.options().add_options()("out", po::value<std::string>(),
                            "folder for all results; default results/sweep-NAME")(
      "jobs", po::value<std::string>(), "runs at a time; default: one a core")(
      "shard", po::value<std::string>(), "K/N: every N-th point from the K-th on, into sweep-K-of-N.sqlite")(
      "resume", "continue an existing sweep; an error if there is none")(
      "again", "simulate finished points again, too")("list",
                                                      "print the points and their runs, and simulate none")(
      "estimate", "simulate two points of each workload, and estimate time and space for all")(
      "merge", po::value<Words>(),
      "import the figures of the same points from another sweep.sqlite; may be repeated")(
      "most", text_or(platforms::most_points), "most points")(
      "program", po::value<std::string>(), "build of strata that simulates; default: this one")(
      "on", po::value<std::string>()->default_value("local"),
      "local, or slurm: submit the points as an array of jobs, follow it and collect; --jobs, 1 by default, "
      "is "
      "then that of each job")("block", po::value<std::string>(),
                               "slurm: most points of a job; default: as many as make a hundred jobs")(
      "sbatch", po::value<Words>(),
      "slurm: an option of sbatch, such as --sbatch=--partition=long; may be repeated")(
      "quiet", "no progress lines and no estimate");
  add_cache_options(a);
  return a;
}

platforms::Shard shard_of(const Arguments& a) {
  if (!a.has("shard")) return {};
  const auto text = a.get<std::string>("shard");
  const std::size_t slash = text.find('/');
  const auto number = parse_integer(text.substr(0, slash));
  const auto of = parse_integer(slash == std::string::npos ? "" : text.substr(slash + 1));
  if (!number || !of || *number < 1 || *of < *number)
    throw ConfigError("--shard: '" + text + "' is no part of the points; allowed: K/N, such as 1/4 to 4/4");
  return {static_cast<std::size_t>(*number), static_cast<std::size_t>(*of)};
}

void read_place(const Arguments& a, platforms::SweepOptions& options) {
  const std::vector<std::string> places = {"local", "slurm"};
  const auto on = a.get<std::string>("on");
  if (std::find(places.begin(), places.end(), on) == places.end())
    throw ConfigError("--on: '" + on + "' is no choice; allowed: local, slurm" + suggestion(on, places));
  options.slurm = on == "slurm";
  for (const char* option : {"block", "sbatch"})
    if (a.has(option) && !options.slurm)
      throw ConfigError(std::string("--") + option + " goes with --on slurm");
  if (options.slurm && a.has("estimate")) throw ConfigError("--estimate runs here: leave --on slurm away");
  if (a.has("block")) options.block = whole_number("block", a.get<std::string>("block"), 1);
  if (a.has("sbatch")) options.sbatch = a.get<Words>("sbatch");
}

int list_points(const platforms::SweepPlan& plan, const platforms::Shard& shard) {
  const std::vector<std::size_t> points = shard.points(plan.points.size());
  for (const std::size_t number : points) {
    std::cout << plan.points[number].name << ": strata run";
    for (const std::string& word : plan.points[number].arguments)
      std::cout << (word.find(' ') == std::string::npos ? " " + word : " '" + word + "'");
    std::cout << "\n";
  }
  std::cout << points.size() << " points\n";
  return platforms::exit_ok;
}

void check_there_is_one(const platforms::SweepOptions& options) {
  const std::string file = platforms::sweep_file(options.out, options.shard);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored))
    throw ConfigError("--resume: there is no '" + file + "' to go on with; without --resume a sweep begins");
}

}  // namespace

int run_sweep(const Words& arguments) {
  Arguments a = sweep_arguments();
  if (!a.read(arguments, 1, 1)) return platforms::exit_ok;
  pass_cache_on(a);
  platforms::SweepOptions options;
  options.program = program_of(a);
  read_place(a, options);
  options.jobs = options.slurm && !a.has("jobs") ? 1 : jobs_of(a);
  options.shard = shard_of(a);
  if (options.slurm && !options.shard.whole())
    throw ConfigError("--on slurm makes its own shards: leave --shard away");
  options.again = a.has("again");
  options.estimate = a.has("estimate");
  options.progress = !a.has("quiet");
  if (a.has("merge")) options.merge = a.get<Words>("merge");
  const std::size_t most = whole_number("most", a.get<std::string>("most"), 1);
  const platforms::SweepPlan plan =
      platforms::read_sweep(a.words().front(), platforms::program_identity(options.program), most);
  if (!a.has("quiet"))
    for (const std::string& note : plan.notes) std::cerr << "strata: " << note << "\n";
  if (a.has("list")) return list_points(plan, options.shard);
  options.out = a.has("out") ? a.get<std::string>("out") : "results/sweep-" + plan.name;
  if (a.has("resume")) check_there_is_one(options);
  const platforms::SweepOutcome outcome = platforms::run_sweep(plan, options);
  std::cout << outcome.text;
  return outcome.exit_code;
}

}  // namespace strata::cli
