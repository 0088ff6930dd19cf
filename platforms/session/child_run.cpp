#include "platforms/session/child_run.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/common/faults.h"

namespace strata::platforms {
namespace {

/// Results in files, complaints in `log`.
void run_quietly(const char* program, char** arguments, const char* log) {
  const int nothing = ::open("/dev/null", O_WRONLY);
  const int said = ::open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (nothing < 0 || said < 0 || ::dup2(nothing, STDOUT_FILENO) < 0 || ::dup2(said, STDERR_FILENO) < 0)
    return;
  ::close(nothing);
  ::close(said);
  ::execv(program, arguments);
}

}  // namespace

// Between fork and exec: nothing but system calls. Whoever asks for the end of the parent means the child as
// well, but the parent ends it: signals from a terminal reach both.
pid_t start_child(const std::string& name, const std::function<void()>& become) {
  int failed[2];  // closed by a good exec, else the reason
  if (::pipe2(failed, O_CLOEXEC) != 0) throw ConfigError(name + "cannot be started: " + std::strerror(errno));
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it has died meanwhile
    become();
    const int reason = errno;
    (void)!::write(failed[1], &reason, sizeof reason);
    ::_exit(127);
  }
  int reason = child < 0 ? errno : 0;
  ::close(failed[1]);
  while (child > 0 && ::read(failed[0], &reason, sizeof reason) < 0 && errno == EINTR) {
  }
  ::close(failed[0]);
  if (reason == 0) return child;
  if (child > 0) end_child(child);
  throw ConfigError(name + "cannot be started: " + std::strerror(reason));
}

pid_t ChildRun::start() const {
  std::vector<std::string> all = {"strata", verb};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return start_child("", [&] { run_quietly(program.c_str(), arguments.data(), log.c_str()); });
}

namespace {

std::string last_line(const std::string& path) {
  std::ifstream file(path);
  std::string line, last;
  while (std::getline(file, line))
    if (!line.empty()) last = line;
  return last;
}

}  // namespace

void run_children(const std::vector<ChildRun>& runs, std::size_t jobs) {
  std::map<pid_t, const ChildRun*> running;
  std::size_t next = 0;
  while (next < runs.size() || !running.empty()) {
    if (next < runs.size() && running.size() < jobs) {
      running.emplace(runs[next].start(), &runs[next]);
      ++next;
      continue;
    }
    int status = 0;
    const pid_t child = ::waitpid(-1, &status, 0);
    const auto ended = running.find(child);
    if (ended == running.end()) continue;
    const ChildRun& run = *ended->second;
    running.erase(ended);
    if (status == 0) continue;
    for (const auto& [other, its] : running) end_child(other);
    throw ConfigError("a run has failed: " + last_line(run.log) + " (" + run.log + ")");
  }
}

void end_child(pid_t child) {
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace strata::platforms
