#include "platforms/studies/sweep/slurm_sweep.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <thread>

#include "models/common/faults.h"
#include "models/io/draft.h"
#include "platforms/engine/pool/run_identity.h"
#include "platforms/engine/session/command.h"
#include "platforms/engine/session/interrupt_watch.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;

constexpr int most_submissions = 3;
constexpr std::size_t usual_tasks = 100;
constexpr std::chrono::milliseconds first_wait{500}, longest_wait{10'000};
constexpr int unanswered_limit = 60;  // consecutive failures of squeue that are tolerated

/// A word for a shell.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

class SlurmSweep {
 public:
  SlurmSweep(const SweepPlan& plan, const SweepOptions& options, SweepStore& store)
      : plan_(plan), options_(options), store_(store), folder_(options.out + "/slurm") {}
  bool run();

 private:
  std::vector<std::size_t> tasks_left() const;
  void submit(const std::vector<std::size_t>& tasks, bool again);
  std::string script(bool again) const;
  bool follow();
  void take_over();
  void collect_directories();
  void tell(const Slurm::Queue& queue);
  std::size_t count(SweepStore::State state) const;

  const SweepPlan& plan_;
  const SweepOptions& options_;
  SweepStore& store_;
  Slurm slurm_;
  std::string folder_, job_, told_;
  std::size_t tasks_ = 1;
};

std::size_t SlurmSweep::count(SweepStore::State state) const {
  return static_cast<std::size_t>(
      std::count_if(plan_.points.begin(), plan_.points.end(),
                    [&](const SweepPoint& point) { return store_.state(point) == state; }));
}

/// Tasks with a point that has not run.
std::vector<std::size_t> SlurmSweep::tasks_left() const {
  std::vector<std::size_t> tasks;
  for (std::size_t task = 1; task <= tasks_; ++task) {
    const std::vector<std::size_t> points = Shard{task, tasks_}.points(plan_.points.size());
    if (std::any_of(points.begin(), points.end(), [&](std::size_t number) {
          return store_.state(plan_.points[number]) == SweepStore::State::waiting;
        }))
      tasks.push_back(task);
  }
  return tasks;
}

std::string SlurmSweep::script(bool again) const {
  std::string text = "#!/bin/sh\nexec " + quoted(fs::read_symlink("/proc/self/exe").string()) + " sweep " +
                     quoted(plan_.file) + " --shard \"$SLURM_ARRAY_TASK_ID/" + std::to_string(tasks_) +
                     "\" --out " + quoted(options_.out) + " --jobs " + std::to_string(options_.jobs) +
                     " --most " + std::to_string(plan_.points.size()) + " --quiet";
  if (options_.program != "/proc/self/exe") text += " --program " + quoted(options_.program);
  return text + (again ? " --again\n" : "\n");
}

void SlurmSweep::submit(const std::vector<std::size_t>& tasks, bool again) {
  const std::string file = folder_ + "/block.sh";
  write_file(file, script(again));
  std::vector<std::string> options = {"--job-name=strata-" + plan_.name, "--output=" + folder_ + "/%A_%a.log",
                                      "--cpus-per-task=" + std::to_string(options_.jobs)};
  options.insert(options.end(), options_.sbatch.begin(), options_.sbatch.end());
  job_ = slurm_.submit(file, tasks, options);
  store_.set_meta("slurm_job", job_);
  store_.set_meta("slurm_tasks", std::to_string(tasks_));
  store_.commit();
  if (options_.progress)
    std::cerr << "slurm job " << job_ << ": " << tasks.size() << " blocks of up to "
              << (plan_.points.size() + tasks_ - 1) / tasks_ << " points" << std::endl;
}

void SlurmSweep::take_over() {
  for (std::size_t task = 1; task <= tasks_; ++task) {
    const std::string file = sweep_file(options_.out, {task, tasks_});
    std::error_code error;
    if (fs::exists(file, error)) store_.take_over(file, plan_);
  }
}

/// Collects the results of processes that died before they could report them.
void SlurmSweep::collect_directories() {
  for (const SweepPoint& point : plan_.points) {
    const std::string results = sweep_runs(options_.out) + "/" + point.folder();
    if (store_.state(point) != SweepStore::State::done && is_finished(results))
      store_.collect(point, results);
  }
  store_.commit();
}

void SlurmSweep::tell(const Slurm::Queue& queue) {
  const std::string line = "slurm job " + job_ + ": " + std::to_string(queue.running) + " blocks run, " +
                           std::to_string(queue.waiting) + " wait; " +
                           std::to_string(count(SweepStore::State::done)) + " of " +
                           std::to_string(plan_.points.size()) + " points are done, " +
                           std::to_string(count(SweepStore::State::failed)) + " failed";
  if (options_.progress && line != told_) std::cerr << line << std::endl;
  told_ = line;
}

/// Follows the job until it ends. False: interrupted.
bool SlurmSweep::follow() {
  std::chrono::milliseconds wait = first_wait;
  for (int unanswered = 0;;) {
    const Slurm::Queue queue = slurm_.queue(job_);
    unanswered = queue.known ? 0 : unanswered + 1;
    if (unanswered > unanswered_limit)
      throw ConfigError("--on slurm: squeue does not respond any more; job " + job_ +
                        " may still run: the same command follows it");
    take_over();
    tell(queue);
    if (queue.known && queue.empty()) return true;
    for (auto slept = std::chrono::milliseconds(0); slept < wait; slept += first_wait / 5) {
      if (InterruptWatch::requested()) {
        slurm_.cancel(job_);
        take_over();
        return false;
      }
      std::this_thread::sleep_for(first_wait / 5);
    }
    wait = std::min(wait * 3 / 2, longest_wait);
  }
}

bool SlurmSweep::run() {
  fs::create_directories(folder_);
  job_ = store_.meta("slurm_job");
  const std::string known_tasks = store_.meta("slurm_tasks");
  if (!job_.empty() && !slurm_.queue(job_).empty()) {
    tasks_ = std::stoul(known_tasks);
    if (options_.progress)
      std::cerr << "slurm job " << job_ << " is still there: it is followed" << std::endl;
    if (!follow()) return false;
    collect_directories();
  }
  const std::size_t block =
      options_.block != 0 ? options_.block : (plan_.points.size() + usual_tasks - 1) / usual_tasks;
  tasks_ = (plan_.points.size() + block - 1) / block;
  for (int submission = 0; submission < most_submissions; ++submission) {
    const std::vector<std::size_t> tasks = tasks_left();
    if (tasks.empty()) break;
    submit(tasks, options_.again && submission == 0);
    if (!follow()) return false;
    collect_directories();
  }
  for (const SweepPoint& point : plan_.points)
    if (store_.state(point) == SweepStore::State::waiting)
      store_.fail(point, "its process died " + std::to_string(most_submissions) + " times");
  store_.commit();
  return true;
}

}  // namespace

bool simulate_on_slurm(const SweepPlan& plan, const SweepOptions& options, SweepStore& store) {
  return SlurmSweep(plan, options, store).run();
}

namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

Slurm::Slurm() {
  for (const char* name : {"sbatch", "squeue", "scancel"})
    if (!is_command(name))
      throw ConfigError(std::string("--on slurm: no command '") + name +
                        "' here: is this a machine from which jobs are submitted?");
}

std::string Slurm::submit(const std::string& script, const std::vector<std::size_t>& tasks,
                          const std::vector<std::string>& options) const {
  std::vector<std::string> words = {"sbatch", "--parsable", "--array=" + range_list(tasks)};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(script);
  const CommandOutput answer = output_of(words);
  if (answer.code != 0)
    throw ConfigError("--on slurm: sbatch has refused the job (exit code " + std::to_string(answer.code) +
                      ")");
  const std::string line = first_line(answer.text);
  return line.substr(0, line.find(';'));  // the name of a cluster may follow
}

// Query all jobs of the user: squeue --job fails for a job that has ended.
Slurm::Queue Slurm::queue(const std::string& job) const {
  const CommandOutput answer = output_of({"squeue", "--me", "--noheader", "--array", "--format=%F %T"});
  Queue queue;
  queue.known = answer.code == 0;
  std::istringstream lines(answer.text);
  for (std::string number, state; lines >> number >> state;) {
    if (number != job) continue;
    ++(state == "PENDING" || state == "REQUEUED" ? queue.waiting : queue.running);
  }
  return queue;
}

void Slurm::cancel(const std::string& job) const {
  output_of({"scancel", "--quiet", job});
}

std::string range_list(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last != i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace strata::platforms
