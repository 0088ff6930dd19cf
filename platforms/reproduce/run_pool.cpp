#include "platforms/reproduce/run_pool.h"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/wait.h>
#include <thread>

#include "models/common/draft.h"
#include "models/common/faults.h"
#include "platforms/report/manifest.h"
#include "platforms/reproduce/run_figures.h"
#include "platforms/session/child_run.h"
#include "platforms/session/interrupt_watch.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string duration(double seconds) {
  char text[32];
  if (seconds < 90)
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  else
    std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
  return text;
}

std::string last_line(const std::string& path) {
  std::ifstream file(path);
  std::string line, last;
  while (std::getline(file, line))
    if (!line.empty()) last = line;
  return last;
}

class Pool {
 public:
  Pool(const std::vector<RunSpec>& runs, const PoolOptions& options) : runs_(runs), options_(options) {}
  PoolOutcome simulate();

 private:
  struct Child {
    pid_t pid;
    const RunSpec* run;
    Clock::time_point began;
  };
  std::string results_of(const RunSpec& run) const { return options_.folder + "/" + run.folder(); }
  std::string log_of(const RunSpec& run) const { return results_of(run) + ".log"; }
  void prepare();
  static void move_away(const std::string& results);
  void start(const RunSpec& run);
  void collect();
  void ended(const Child& child, int status);
  void fail(const RunSpec& run, const std::string& words);
  void tell(const RunSpec& run, const std::string& words);
  void stop_all();

  const std::vector<RunSpec>& runs_;
  const PoolOptions& options_;
  std::vector<const RunSpec*> waiting_;
  std::vector<Child> children_;
  Clock::time_point began_ = Clock::now();
  std::size_t done_ = 0;
  PoolOutcome outcome_;
};

/// Drafts of runs that were killed go; runs that are finished need not wait. Results that somebody has
/// changed are neither believed nor replaced.
void Pool::prepare() {
  std::error_code error;
  fs::create_directories(options_.folder, error);
  if (error) throw ConfigError("cannot write to '" + options_.folder + "': " + error.message());
  Draft::collect_folders(options_.folder, is_results_name);
  for (const RunSpec& run : runs_) {
    const std::string results = results_of(run);
    const RunState state = options_.resume ? state_of(results) : RunState();
    if (!state.fault.empty())
      std::cerr << "strata: " << state.fault << "; " << run.text() << " is simulated again\n";
    if (state.finished) {
      ++outcome_.reused;
      continue;
    }
    if (fs::is_directory(results, error) && !ownership_of(results).objection.empty()) move_away(results);
    waiting_.push_back(&run);
  }
}

void Pool::move_away(const std::string& results) {
  std::string to = results + ".changed";
  std::error_code error;
  for (int i = 2; fs::exists(fs::symlink_status(to, error)); ++i)
    to = results + ".changed-" + std::to_string(i);
  fs::rename(results, to, error);
  if (error) throw ConfigError("cannot move '" + results + "' away: " + error.message());
  std::cerr << "strata: '" << results << "' is not as its run left it: it is now " << to
            << ", and the run is made again" << std::endl;
}

void Pool::start(const RunSpec& run) {
  ChildRun child{options_.program, run.arguments, log_of(run)};
  child.words.insert(child.words.end(), {"--quiet", "--out", results_of(run)});
  try {
    children_.push_back({child.start(), &run, Clock::now()});
  } catch (const ConfigError& error) {
    fail(run, error.what());
  }
}

void Pool::fail(const RunSpec& run, const std::string& words) {
  ++done_;
  outcome_.failures.push_back({run.text(), log_of(run), words});
  tell(run, "FAILED: " + words);
}

void Pool::tell(const RunSpec& run, const std::string& words) {
  if (!options_.progress) return;
  const std::size_t all = runs_.size() - outcome_.reused;
  const std::chrono::duration<double> spent = Clock::now() - began_;
  std::ostringstream line;
  line << "[" << done_ << "/" << all << "] " << run.text() << ": " << words;
  if (done_ < all)
    line << ", about "
         << duration(spent.count() / static_cast<double>(done_) * static_cast<double>(all - done_))
         << " left";
  std::cerr << line.str() << std::endl;
}

void Pool::ended(const Child& child, int status) {
  if (outcome_.interrupted || InterruptWatch::requested()) return;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == 0 && is_finished(results_of(*child.run))) {
    ++done_;
    ++outcome_.simulated;
    std::error_code ignored;
    if (fs::file_size(log_of(*child.run), ignored) == 0) fs::remove(log_of(*child.run), ignored);
    return tell(*child.run, duration(std::chrono::duration<double>(Clock::now() - child.began).count()));
  }
  std::string words =
      code >= 0 ? "exit code " + std::to_string(code) : "ended by signal " + std::to_string(WTERMSIG(status));
  const std::string said = last_line(log_of(*child.run));
  fail(*child.run, words + (said.empty() ? "" : ": " + said));
}

void Pool::collect() {
  for (std::size_t i = 0; i < children_.size();) {
    int status = 0;
    const pid_t got = ::waitpid(children_[i].pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) {
      ++i;
      continue;
    }
    const Child child = children_[i];
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
    ended(child, status);
  }
}

void Pool::stop_all() {
  outcome_.interrupted = true;
  for (const Child& child : children_) end_child(child.pid);  // nobody reads half a run
  children_.clear();
  Draft::collect_folders(options_.folder, is_results_name);
}

PoolOutcome Pool::simulate() {
  prepare();
  InterruptWatch interrupts;
  std::size_t next = 0;
  while (next < waiting_.size() || !children_.empty()) {
    if (InterruptWatch::requested()) {
      stop_all();
      break;
    }
    while (next < waiting_.size() && children_.size() < static_cast<std::size_t>(options_.jobs))
      start(*waiting_[next++]);
    collect();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return outcome_;
}

}  // namespace

PoolOutcome simulate_runs(const std::vector<RunSpec>& runs, const PoolOptions& options) {
  return Pool(runs, options).simulate();
}

}  // namespace strata::platforms
