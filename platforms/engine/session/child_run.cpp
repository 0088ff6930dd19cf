#include "platforms/engine/session/child_run.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/common/faults.h"

namespace strata::platforms {
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

}  // namespace

namespace {

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
