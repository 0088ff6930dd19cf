#include "tb/contract/child.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace strata::contract {
namespace {

constexpr char end_of_line = '\0';
const std::string came_to_its_end = "\x04";
constexpr std::size_t text_kept = 1500;

void write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) ::_exit(125);
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

std::string read_all(int file) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(file, buffer, sizeof buffer);
    if (count == 0) return text;
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) return text;
  }
}

[[noreturn]] void run_child(const std::function<void(const Say&)>& work, int out, int said,
                            unsigned cpu_seconds) {
  ::dup2(said, STDOUT_FILENO);
  ::dup2(said, STDERR_FILENO);
  const rlimit limit{cpu_seconds, cpu_seconds};
  ::setrlimit(RLIMIT_CPU, &limit);
  const Say say = [out](const std::string& line) { write_all(out, line + end_of_line); };
  try {
    work(say);
    say(came_to_its_end);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "exception: %s", error.what());
  } catch (...) {
    std::fprintf(stderr, "exception of an unknown type");
  }
  std::fflush(nullptr);
  ::_exit(0);
}

std::string last_words(int file) {
  std::string text;
  if (::lseek(file, 0, SEEK_SET) == 0) text = read_all(file);
  if (text.size() > text_kept) text = "..." + text.substr(text.size() - text_kept);
  return text;
}

std::string message_of(int status, unsigned cpu_seconds) {
  if (!WIFSIGNALED(status)) return "came to no end";
  const int signal = WTERMSIG(status);
  if (signal == SIGXCPU || signal == SIGKILL)
    return "took more than " + std::to_string(cpu_seconds) + " s of a processor";
  return std::string("ended by the signal '") + strsignal(signal) + "'";
}

}  // namespace

ChildEnding in_child(const std::function<void(const Say&)>& work, unsigned cpu_seconds) {
  int ends[2];
  std::FILE* const said = std::tmpfile();
  if (said == nullptr || ::pipe(ends) != 0) throw std::runtime_error("no file or pipe for a child process");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error(std::string("cannot fork: ") + std::strerror(errno));
  if (child == 0) run_child(work, ends[1], ::fileno(said), cpu_seconds);
  ::close(ends[1]);
  const std::string text = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ChildEnding ending;
  for (std::size_t begin = 0, end = 0; (end = text.find(end_of_line, begin)) != std::string::npos;
       begin = end + 1)
    ending.said.push_back(text.substr(begin, end - begin));
  const bool ended = !ending.said.empty() && ending.said.back() == came_to_its_end;
  if (ended) ending.said.pop_back();
  if (!ended || status != 0) {
    const std::string words = last_words(::fileno(said));
    ending.broke = message_of(status, cpu_seconds) + (words.empty() ? "" : ": " + words);
  }
  std::fclose(said);
  return ending;
}

}  // namespace strata::contract
