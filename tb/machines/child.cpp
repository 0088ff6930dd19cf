#include "tb/machines/child.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace strata::tb {
namespace {

constexpr std::size_t most_text = 300'000;
constexpr int cannot_start = 121;  // an exit code that the program does not use

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most_text, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void limit(int what, std::uint64_t value) {
  struct rlimit both {};
  both.rlim_cur = both.rlim_max = value;  // equal: the kernel kills, no handler delays the end
  setrlimit(static_cast<__rlimit_resource_t>(what), &both);
}

void redirect(const char* path, int flags, int descriptor) {
  const int file = open(path, flags | O_CLOEXEC, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(cannot_start);
}

/// Behind fork() in a program with threads: system calls only.
[[noreturn]] void become(char* const* words, const char* out, const char* err, const Limits& limits) {
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(limits.cpu_seconds) + 1);
  limit(RLIMIT_CORE, 0);
  if (limits.memory_bytes != 0) limit(RLIMIT_AS, limits.memory_bytes);
  execv(words[0], words);
  _exit(cannot_start);
}

double seconds(const struct timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Waits with growing pauses: most processes take some 50 ms.
void wait_for(pid_t child, double wall_seconds, Ending& ending) {
  const auto begin = std::chrono::steady_clock::now();
  std::chrono::microseconds pause(1000);
  int status = 0;
  struct rusage usage {};
  while (wait4(child, &status, WNOHANG, &usage) == 0) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(wall_seconds)) {
      ending.out_of_time = true;
      kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(pause);
    if (pause < std::chrono::milliseconds(20)) pause += pause / 4;
  }
  ending.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  ending.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFEXITED(status)) ending.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
}

}  // namespace

Ending run_child(const std::vector<std::string>& words, const std::string& folder, const Limits& limits) {
  std::vector<char*> pointers;
  std::vector<std::string> copies = words;
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string out = folder + "/stdout", err = folder + "/stderr";
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("cannot fork: ") + std::strerror(errno));
  if (child == 0) become(pointers.data(), out.c_str(), err.c_str(), limits);
  Ending ending;
  wait_for(child, limits.wall_seconds, ending);
  if (ending.exit_code == cannot_start) throw std::runtime_error("cannot start " + words.front());
  if (ending.signal == SIGKILL && ending.cpu_seconds >= limits.cpu_seconds) ending.out_of_time = true;
  ending.out = read_text(out);
  ending.err = read_text(err);
  return ending;
}

}  // namespace strata::tb
