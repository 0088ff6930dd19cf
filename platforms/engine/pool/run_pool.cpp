#include "platforms/engine/pool/run_pool.h"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <sys/wait.h>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "models/io/draft.h"
#include "platforms/engine/pool/run_identity.h"
#include "platforms/engine/session/children.h"
#include "platforms/engine/session/interrupt_watch.h"
#include "platforms/report/manifest.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string duration(double seconds) {
  return seconds < 90 ? formatted("%.0f s", seconds) : formatted("%.0f min", seconds / 60);
}

class Pool {
 public:
  Pool(const std::vector<RunJob>& runs, const PoolOptions& options) : runs_(runs), options_(options) {}
  PoolOutcome simulate();

 private:
  std::string results_of(const RunJob& run) const { return options_.folder + "/" + run.name; }
  std::string log_of(const RunJob& run) const { return results_of(run) + ".log"; }
  void prepare();
  static void move_away(const std::string& results);
  void start(std::size_t number);
  void ended(const Children::Ended& child);
  void fail(std::size_t number, const std::string& words);
  void report(std::size_t number, const std::string& fault) const {
    if (options_.ended) options_.ended(number, fault);
  }
  void tell(const RunJob& run, const std::string& words);
  void stop_all();

  const std::vector<RunJob>& runs_;
  const PoolOptions& options_;
  std::vector<std::size_t> waiting_;
  Children children_;
  Clock::time_point began_ = Clock::now();
  std::size_t done_ = 0;
  PoolOutcome outcome_;
};

/// Removes drafts of killed runs and skips finished runs. Results that were changed are neither used nor
/// overwritten.
void Pool::prepare() {
  std::error_code error;
  fs::create_directories(options_.folder, error);
  if (error) throw ConfigError("cannot write to '" + options_.folder + "': " + error.message());
  Draft::collect_folders(options_.folder, is_results_name);
  for (std::size_t number = 0; number < runs_.size(); ++number) {
    const RunJob& run = runs_[number];
    const std::string results = results_of(run);
    const RunState state = options_.resume ? state_of(results) : RunState();
    if (!state.fault.empty())
      std::cerr << "strata: " << state.fault << "; " << run.text << " is simulated again\n";
    if (state.finished) {
      ++outcome_.reused;
      report(number, "");
      continue;
    }
    if (fs::is_directory(results, error) && !ownership_of(results).objection.empty()) move_away(results);
    waiting_.push_back(number);
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

void Pool::start(std::size_t number) {
  const RunJob& run = runs_[number];
  ChildRun child{options_.program, run.arguments, log_of(run)};
  child.words.insert(child.words.end(), {"--quiet", "--out", results_of(run)});
  try {
    children_.start(child, number);
  } catch (const ConfigError& error) {
    fail(number, error.what());
  }
}

void Pool::fail(std::size_t number, const std::string& words) {
  const RunJob& run = runs_[number];
  ++done_;
  outcome_.failures.push_back({run.text, log_of(run), words});
  report(number, words);
  tell(run, "FAILED: " + words);
}

void Pool::tell(const RunJob& run, const std::string& words) {
  if (!options_.progress) return;
  const std::size_t all = runs_.size() - outcome_.reused;
  const std::chrono::duration<double> spent = Clock::now() - began_;
  std::ostringstream line;
  line << "[" << done_ << "/" << all << "] " << run.text << ": " << words;
  if (done_ < all)
    line << ", about "
         << duration(spent.count() / static_cast<double>(done_) * static_cast<double>(all - done_))
         << " left";
  std::cerr << line.str() << std::endl;
}

void Pool::ended(const Children::Ended& child) {
  if (InterruptWatch::requested()) return;
  const RunJob& run = runs_[child.number];
  const int code = WIFEXITED(child.status) ? WEXITSTATUS(child.status) : -1;
  if (const auto manifest = Manifest::read(results_of(run)); code == 0 && manifest && manifest->finished) {
    ++done_;
    ++outcome_.simulated;
    std::error_code ignored;
    if (fs::file_size(log_of(run), ignored) == 0) fs::remove(log_of(run), ignored);
    report(child.number, "");
    return tell(run, duration(child.seconds));
  }
  std::string words = code >= 0 ? "exit code " + std::to_string(code)
                                : "ended by signal " + std::to_string(WTERMSIG(child.status));
  const std::string said = last_line(log_of(run));
  fail(child.number, words + (said.empty() ? "" : ": " + said));
}

void Pool::stop_all() {
  outcome_.interrupted = true;
  children_.end_all();
  Draft::collect_folders(options_.folder, is_results_name);
}

PoolOutcome Pool::simulate() {
  prepare();
  InterruptWatch interrupts;
  std::size_t next = 0;
  while (next < waiting_.size() || children_.size() != 0) {
    if (InterruptWatch::requested()) {
      stop_all();
      break;
    }
    while (next < waiting_.size() && children_.size() < static_cast<std::size_t>(options_.jobs))
      start(waiting_[next++]);
    for (const Children::Ended& child : children_.wait()) ended(child);
  }
  return outcome_;
}

}  // namespace

PoolOutcome simulate_runs(const std::vector<RunJob>& runs, const PoolOptions& options) {
  return Pool(runs, options).simulate();
}

void check_space(const std::string& folder, std::size_t runs, std::uintmax_t bytes_per_run) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error || space.available / bytes_per_run >= runs) return;
  throw ConfigError("no space for the results in '" + folder + "': " + std::to_string(runs) +
                    " runs need about " + std::to_string(runs * bytes_per_run >> 20) + " MiB, " +
                    std::to_string(space.available >> 20) + " MiB are free; choose another --out");
}

}  // namespace strata::platforms
