#include "platforms/reproduce/run_pool.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "models/common/faults.h"
#include "platforms/reproduce/run_figures.h"
#include "platforms/session/interrupts.h"

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

/// Drafts of runs that were killed go; runs that are finished need not wait.
void Pool::prepare() {
  std::error_code error;
  fs::create_directories(options_.folder, error);
  if (error) throw ConfigError("cannot write to '" + options_.folder + "': " + error.message());
  for (const auto& entry : fs::directory_iterator(options_.folder, error)) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (name.front() == '.' && name.find(".new.") != std::string::npos) fs::remove_all(entry.path(), ignored);
  }
  for (const RunSpec& run : runs_) {
    if (options_.resume && is_finished(results_of(run)))
      ++outcome_.reused;
    else
      waiting_.push_back(&run);
  }
}

void Pool::start(const RunSpec& run) {
  std::vector<std::string> words = {"strata", "run"};
  words.insert(words.end(), run.arguments.begin(), run.arguments.end());
  words.insert(words.end(), {"--quiet", "--out", results_of(run)});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string log = log_of(run);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  pid_t child = 0;
  const int failed =
      ::posix_spawn(&child, options_.program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return fail(run, std::string("cannot be started: ") + std::strerror(failed));
  children_.push_back({child, &run, Clock::now()});
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
  for (const Child& child : children_) ::kill(child.pid, SIGKILL);  // nobody reads half a run
  while (!children_.empty()) collect();
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
