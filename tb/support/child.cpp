#include "tb/support/child.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace strata::tb {
namespace {

constexpr std::size_t most_text = 300'000;
constexpr std::size_t last_words_kept = 1500;
constexpr int cannot_start = 121;  // an exit code that the programs do not use
constexpr char end_of_line = '\0';
const std::string came_to_its_end = "\x04";

double seconds(const struct timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Waits with growing pauses where a clock runs: most processes take some 50 ms.
Ending wait_for(pid_t child, double wall_seconds) {
  Ending ending;
  const auto begin = std::chrono::steady_clock::now();
  std::chrono::microseconds pause(1000);
  int status = 0;
  struct rusage usage {};
  for (;;) {
    const pid_t ended = wait4(child, &status, wall_seconds > 0 ? WNOHANG : 0, &usage);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    if (ended != 0) continue;
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
  return ending;
}

void limit(int what, std::uint64_t value) {
  struct rlimit both {};
  both.rlim_cur = both.rlim_max = value;  // equal: the kernel kills, no handler delays the end
  setrlimit(static_cast<__rlimit_resource_t>(what), &both);
}

/// Forks; the child limits itself and does `inside`, which returns only if it could not start. Behind fork()
/// in a program with threads `inside` makes system calls only.
Ending supervise(const std::function<void()>& inside, const Limits& limits) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("cannot fork: ") + std::strerror(errno));
  if (child != 0) return wait_for(child, limits.wall_seconds);
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(limits.cpu_seconds) + 1);
  limit(RLIMIT_CORE, 0);
  if (limits.memory_bytes != 0) limit(RLIMIT_AS, limits.memory_bytes);
  inside();
  _exit(cannot_start);
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most_text, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void redirect(const char* path, int flags, int descriptor) {
  const int file = open(path, flags | O_CLOEXEC, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(cannot_start);
}

/// A file without a name, which this process and its child share.
using SharedFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

SharedFile shared_file() {
  SharedFile file(std::tmpfile(), std::fclose);
  if (!file) throw std::runtime_error("no file for a child process");
  return file;
}

std::string read_all(const SharedFile& file) {
  std::string text;
  char buffer[4096];
  if (lseek(fileno(file.get()), 0, SEEK_SET) != 0) return text;
  for (;;) {
    const ssize_t count = read(fileno(file.get()), buffer, sizeof buffer);
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
  }
}

void write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) _exit(125);
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

[[noreturn]] void do_work(const std::function<void(const Say&)>& work, int said) {
  const Say say = [said](const std::string& line) { write_all(said, line + end_of_line); };
  try {
    work(say);
    say(came_to_its_end);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "exception: %s", error.what());
  } catch (...) {
    std::fprintf(stderr, "exception of an unknown type");
  }
  std::fflush(nullptr);
  _exit(0);
}

std::string words_of(const Ending& ending, unsigned cpu_seconds) {
  if (ending.signal == 0) return "came to no end";
  if (ending.signal == SIGXCPU || ending.signal == SIGKILL)
    return "took more than " + std::to_string(cpu_seconds) + " s of a processor";
  return std::string("ended by the signal '") + strsignal(ending.signal) + "'";
}

}  // namespace

Ending run_child(const std::vector<std::string>& words, const std::string& folder, const Limits& limits) {
  std::vector<char*> pointers;
  std::vector<std::string> copies = words;
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string out = folder + "/stdout", err = folder + "/stderr";
  Ending ending = supervise(
      [&] {
        redirect("/dev/null", O_RDONLY, STDIN_FILENO);
        redirect(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
        redirect(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
        execv(pointers[0], pointers.data());
      },
      limits);
  if (ending.exit_code == cannot_start) throw std::runtime_error("cannot start " + words.front());
  if (ending.signal == SIGKILL && ending.cpu_seconds >= limits.cpu_seconds) ending.out_of_time = true;
  ending.out = read_text(out);
  ending.err = read_text(err);
  return ending;
}

WorkEnding in_child(const std::function<void(const Say&)>& work, unsigned cpu_seconds) {
  const SharedFile said = shared_file(), written = shared_file();
  std::fflush(nullptr);
  Limits limits;
  limits.cpu_seconds = cpu_seconds;
  limits.wall_seconds = 0;
  const Ending process = supervise(
      [&] {
        dup2(fileno(written.get()), STDOUT_FILENO);
        dup2(fileno(written.get()), STDERR_FILENO);
        do_work(work, fileno(said.get()));
      },
      limits);
  WorkEnding ending;
  const std::string text = read_all(said);
  for (std::size_t begin = 0, end = 0; (end = text.find(end_of_line, begin)) != std::string::npos;
       begin = end + 1)
    ending.said.push_back(text.substr(begin, end - begin));
  const bool ended = !ending.said.empty() && ending.said.back() == came_to_its_end;
  if (ended) ending.said.pop_back();
  if (!ended || process.exit_code != 0) {
    std::string words = read_all(written);
    if (words.size() > last_words_kept) words = "..." + words.substr(words.size() - last_words_kept);
    ending.broke = words_of(process, cpu_seconds) + (words.empty() ? "" : ": " + words);
  }
  return ending;
}

}  // namespace strata::tb
