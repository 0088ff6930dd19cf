#pragma once

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace strata::tb {

/// The program (STRATA_PROGRAM) in a process of its own, started in the repository's root; what it says is in
/// a file.
class StrataProcess {
 public:
  /// `before` runs in the new process: limits, another user.
  StrataProcess(std::vector<std::string> words, std::string said, const std::function<void()>& before = {})
      : said_(std::move(said)) {
    words.insert(words.begin(), "strata");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    struct stat there {};
    if (::stat(said_.c_str(), &there) == 0 && S_ISREG(there.st_mode)) ::unlink(said_.c_str());
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int file = ::open(said_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    for (int signal = 1; signal < SIGSYS; ++signal) ::signal(signal, SIG_DFL);  // also under nohup
    if (before) before();
    ::execv(STRATA_PROGRAM, arguments.data());
    ::_exit(127);
  }
  ~StrataProcess() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      wait();
    }
  }
  StrataProcess(const StrataProcess&) = delete;
  StrataProcess& operator=(const StrataProcess&) = delete;

  void send(int signal) const { ::kill(pid_, signal); }
  bool running() {
    if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
    return pid_ > 0;
  }
  /// Exit code, or the negated signal that ended it.
  int wait() {
    while (pid_ > 0 && ::waitpid(pid_, &status_, 0) != pid_) {
    }
    pid_ = -1;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
  }
  std::string said() const {
    std::ifstream file(said_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  pid_t pid() const { return pid_; }

 private:
  std::string said_;
  pid_t pid_ = -1;
  int status_ = 0;
};

}  // namespace strata::tb
