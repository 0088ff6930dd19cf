#include "platforms/studies/sweep/sweep_run.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <regex>
#include <set>

#include "models/common/faults.h"
#include "platforms/engine/pool/folder_claim.h"
#include "platforms/engine/pool/run_pool.h"
#include "platforms/engine/session/exit_codes.h"
#include "platforms/engine/session/interrupt_watch.h"
#include "platforms/engine/session/process_usage.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/sweep/slurm_sweep.h"
#include "platforms/studies/sweep/sweep_text.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;

constexpr const char database_ending[] = ".sqlite";

class Sweep {
 public:
  Sweep(const SweepPlan& plan, const SweepOptions& options)
      : plan_(plan),
        options_(options),
        points_(options.shard.points(plan.points.size())),
        store_(sweep_file(options.out, options.shard)) {}
  SweepOutcome run();

 private:
  std::vector<std::size_t> waiting() const;
  std::vector<std::size_t> pilots(const std::vector<std::size_t>& waiting) const;
  void simulate(const std::vector<std::size_t>& points);
  void simulate_here();
  void estimate(std::size_t pilots);
  std::string text() const;

  const SweepPlan& plan_;
  const SweepOptions& options_;
  std::vector<std::size_t> points_;
  SweepStore store_;
  std::size_t kept_ = 0, simulated_ = 0;
  bool interrupted_ = false;
};

std::vector<std::size_t> Sweep::waiting() const {
  std::vector<std::size_t> waiting;
  for (const std::size_t number : points_)
    if (store_.state(plan_.points[number]) != SweepStore::State::done) waiting.push_back(number);
  return waiting;
}

/// For each workload of unknown cost the first and the last point: the two ends of its settings.
std::vector<std::size_t> Sweep::pilots(const std::vector<std::size_t>& waiting) const {
  const auto costs = store_.costs();
  std::set<std::size_t> pilots;
  std::map<std::string, std::size_t> last;
  for (const std::size_t number : waiting) {
    const std::string& workload = plan_.points[number].workload();
    if (costs.count(workload) != 0) continue;
    if (last.emplace(workload, number).second) pilots.insert(number);
    last[workload] = number;
  }
  for (const auto& [workload, number] : last) pilots.insert(number);
  return {pilots.begin(), pilots.end()};
}

void Sweep::simulate(const std::vector<std::size_t>& points) {
  std::vector<RunJob> jobs;
  for (const std::size_t number : points) {
    const SweepPoint& point = plan_.points[number];
    jobs.push_back({point.folder(), point.name, point.arguments});
  }
  const std::string runs = sweep_runs(options_.out);
  PoolOptions pool{runs, options_.program, options_.jobs, !options_.again, options_.progress, {}};
  pool.ended = [&](std::size_t job, const std::string& fault) {
    const SweepPoint& point = plan_.points[points[job]];
    try {
      if (fault.empty()) return store_.collect(point, runs + "/" + jobs[job].name);
      store_.fail(point, fault);
    } catch (const ConfigError& error) {  // results that cannot be read
      store_.fail(point, error.what());
    }
  };
  const PoolOutcome outcome = simulate_runs(jobs, pool);
  store_.commit();
  kept_ += outcome.reused;
  simulated_ += outcome.simulated;
  interrupted_ = outcome.interrupted;
}

void Sweep::estimate(std::size_t pilots) {
  const SweepEstimate estimate = estimate_of(store_, plan_, points_);
  if (estimate.left == 0) return;
  std::ostream& to = options_.estimate ? std::cout : std::cerr;
  to << plan_.name << ": " << points_.size() << " points, " << estimate.left << " to simulate";
  if (pilots != 0) to << " after " << pilots << " that show their cost";
  to << ": about " << span_text(estimate.seconds) << " of processor time, "
     << span_text(estimate.seconds / options_.jobs) << " with " << options_.jobs << " at a time, and "
     << size_text(estimate.bytes) << " in " << options_.out << std::endl;
  const double each = estimate.bytes / static_cast<double>(estimate.left);
  check_space(options_.out, estimate.left, static_cast<std::uintmax_t>(std::max(each, 1.0)));
}

std::string Sweep::text() const {
  const auto failures = store_.failures();
  std::string text = options_.shard.whole() ? sweep_table(store_, plan_, points_) + "\n" : "";
  for (const auto& [name, words] : failures)
    text += "failed: " + name + ": " + words + " (" + sweep_runs(options_.out) + "/" + name + "-*.log)\n";
  const std::size_t left = waiting().size();
  text += plan_.name + ": " + std::to_string(points_.size() - left) + " of " +
          std::to_string(points_.size()) + " points are done, " + std::to_string(simulated_) +
          " of them simulated now";
  const double own = processor_seconds(), runs = processor_seconds_of_children();
  if (simulated_ != 0 && !options_.slurm)
    text += " in " + span_text(own + runs) + " of processor time (" + percent(own / (own + runs)) +
            " for the sweep itself)";
  text += "\nfigures: " + store_.path() + "\n";
  if (interrupted_) text += "interrupted: the same command goes on\n";
  return text;
}

/// Simulates a few points first if an estimate of the others is wanted.
void Sweep::simulate_here() {
  std::vector<std::size_t> first;
  const bool many = waiting().size() > 2 * static_cast<std::size_t>(options_.jobs);
  if (options_.estimate || (options_.progress && many)) first = pilots(waiting());
  if (!first.empty()) simulate(first);
  if (!interrupted_ && (options_.progress || options_.estimate)) estimate(first.size());
  if (!interrupted_ && !options_.estimate) simulate(waiting());
}

SweepOutcome Sweep::run() {
  store_.plan(plan_, points_, options_.again);
  if (options_.shard.whole()) take_over_shards(store_, plan_, options_.out);
  for (const std::string& file : options_.merge) store_.take_over(file, plan_);
  const std::size_t done = points_.size() - waiting().size();
  if (options_.slurm) {
    interrupted_ = !simulate_on_slurm(plan_, options_, store_);
    simulated_ = points_.size() - waiting().size() - done;
  } else {
    simulate_here();
  }
  SweepOutcome outcome{options_.estimate ? "" : text(), exit_ok};
  if (interrupted_)
    outcome.exit_code = exit_interrupted;
  else if (!store_.failures().empty())
    outcome.exit_code = exit_config;
  return outcome;
}

}  // namespace

std::string Shard::name() const {
  return whole() ? "sweep" : "sweep-" + std::to_string(number) + "-of-" + std::to_string(of);
}

std::vector<std::size_t> Shard::points(std::size_t all) const {
  std::vector<std::size_t> points;
  for (std::size_t i = number - 1; i < all; i += of) points.push_back(i);
  return points;
}

std::string sweep_file(const std::string& folder, const Shard& shard) {
  return folder + "/" + shard.name() + database_ending;
}

std::string sweep_runs(const std::string& folder) {
  return folder + "/runs";
}

void take_over_shards(SweepStore& store, const SweepPlan& plan, const std::string& folder) {
  static const std::regex shards(R"(sweep-\d+-of-\d+\.sqlite)");
  std::set<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (std::regex_match(entry->path().filename().string(), shards)) files.insert(entry->path().string());
  for (const std::string& file : files) store.take_over(file, plan);
}

SweepOutcome run_sweep(const SweepPlan& plan, const SweepOptions& options) {
  const InterruptWatch interrupts;
  const std::string lock = options.shard.whole() ? ".lock" : ".lock-" + options.shard.name();
  const FolderClaim claim(options.out, options.progress, lock);
  if (!claim.held()) return {"interrupted while another strata was at work here\n", exit_interrupted};
  std::error_code error;
  fs::create_directories(sweep_runs(options.out), error);
  if (error) throw ConfigError("cannot write to '" + sweep_runs(options.out) + "': " + error.message());
  return Sweep(plan, options).run();
}

}  // namespace strata::platforms
