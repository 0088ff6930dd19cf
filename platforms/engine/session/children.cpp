#include "platforms/engine/session/children.h"

#include <cerrno>
#include <fstream>
#include <poll.h>
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

}  // namespace strata::platforms
