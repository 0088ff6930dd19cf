#include "platforms/engine/session/children.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/common/faults.h"

namespace strata::platforms {
namespace {

constexpr int longest_wait_ms = 200;
constexpr int wait_without_watch_ms = 10;

}  // namespace

void Children::start(const ChildRun& run, std::size_t number) {
  const pid_t pid = run.start();
  // Linux 5.3; exec closes it, like every such descriptor
  const int watch = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  running_.push_back({pid, watch, number, std::chrono::steady_clock::now()});
}

void Children::sleep() const {
  std::vector<pollfd> watched;
  int most = longest_wait_ms;
  for (const Running& child : running_) {
    if (child.watch < 0)
      most = wait_without_watch_ms;
    else
      watched.push_back({child.watch, POLLIN, 0});
  }
  ::poll(watched.data(), watched.size(), most);
}

std::vector<Children::Ended> Children::wait() {
  if (!running_.empty()) sleep();
  const auto now = std::chrono::steady_clock::now();
  std::vector<Ended> ended;
  for (std::size_t i = 0; i < running_.size();) {
    const Running child = running_[i];
    int status = 0;
    const pid_t got = ::waitpid(child.pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) {
      ++i;
      continue;
    }
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    if (child.watch >= 0) ::close(child.watch);
    ended.push_back({child.number, status, std::chrono::duration<double>(now - child.began).count()});
  }
  return ended;
}

void Children::end_all() {
  for (const Running& child : running_) {
    end_child(child.pid);
    if (child.watch >= 0) ::close(child.watch);
  }
  running_.clear();
}

void run_children(const std::vector<ChildRun>& runs, std::size_t jobs,
                  const std::function<void(std::size_t)>& done, const std::function<bool()>& go_on) {
  Children children;
  std::size_t next = 0;
  while (next < runs.size() || children.size() != 0) {
    while (next < runs.size() && children.size() < jobs) {
      children.start(runs[next], next);
      ++next;
    }
    const std::vector<Children::Ended> all = children.wait();
    const bool stop = go_on && !go_on();  // a signal from the terminal has reached them too
    for (const Children::Ended& ended : all) {
      if (stop && ended.status != 0) continue;
      const std::string& log = runs[ended.number].log;
      if (ended.status != 0) throw ConfigError("a run has failed: " + last_line(log) + " (" + log + ")");
      if (done) done(ended.number);
    }
    if (stop) return;
  }
}

std::string last_line(const std::string& path) {
  std::ifstream file(path);
  std::string line, last;
  while (std::getline(file, line))
    if (!line.empty()) last = line;
  return last;
}

namespace {

/// Executes the program with results in files and errors in `log`.
void run_quietly(const char* program, char** arguments, const char* log) {
  const int nothing = ::open("/dev/null", O_WRONLY);
  const int said = ::open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (nothing < 0 || said < 0 || ::dup2(nothing, STDOUT_FILENO) < 0 || ::dup2(said, STDERR_FILENO) < 0)
    return;
  ::close(nothing);
  ::close(said);
  ::execv(program, arguments);
}

/// In the child, between fork and exec: only system calls. A signal to end the parent is meant for the child
/// too, but the parent ends it, because a terminal sends signals to both.
[[noreturn]] void leave(const std::function<void()>& become, pid_t parent, int failed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent has died meanwhile
  become();
  const int reason = errno;
  (void)!::write(failed, &reason, sizeof reason);
  ::_exit(127);
}

/// In the parent. A successful exec closes the pipe; otherwise the pipe holds the reason.
pid_t settled(pid_t child, int error, const int* failed, const std::string& name) {
  int reason = child < 0 ? error : 0;
  ::close(failed[1]);
  while (child > 0 && ::read(failed[0], &reason, sizeof reason) < 0 && errno == EINTR) {
  }
  ::close(failed[0]);
  if (reason == 0) return child;
  if (child > 0) end_child(child);
  throw ConfigError(name + "cannot be started: " + std::strerror(reason));
}

void open_pipe(int* ends, const std::string& name) {
  if (::pipe2(ends, O_CLOEXEC) != 0) throw ConfigError(name + "cannot be started: " + std::strerror(errno));
}

}  // namespace

pid_t start_child(const std::string& name, const std::function<void()>& become) {
  int failed[2];
  open_pipe(failed, name);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) leave(become, parent, failed[1]);
  return settled(child, errno, failed, name);
}

pid_t start_sharing_child(const std::string& name, const std::function<void()>& become) {
  int failed[2];
  open_pipe(failed, name);
  const pid_t parent = ::getpid();
  const pid_t child = ::vfork();
  if (child == 0) leave(become, parent, failed[1]);
  return settled(child, errno, failed, name);
}

pid_t ChildRun::start() const {
  std::vector<std::string> all = {"strata", verb};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return start_sharing_child("", [&] { run_quietly(program.c_str(), arguments.data(), log.c_str()); });
}

void end_child(pid_t child) {
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace strata::platforms
