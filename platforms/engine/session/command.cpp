#include "platforms/engine/session/command.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "platforms/engine/session/children.h"

namespace strata::platforms {

CommandOutput output_of(const std::vector<std::string>& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw ConfigError(words.front() + ": " + std::strerror(errno));
  std::vector<std::string> copy = words;
  std::vector<char*> arguments;
  for (std::string& word : copy) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = -1;
  try {
    child = start_sharing_child(words.front() + ": ", [&] {
      if (::dup2(ends[1], STDOUT_FILENO) >= 0) ::execvp(arguments[0], arguments.data());
    });
  } catch (const ConfigError&) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[1]);
  CommandOutput output;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::read(ends[0], part.data(), part.size())) > 0 || (got < 0 && errno == EINTR);)
    if (got > 0) output.text.append(part.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  output.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

bool is_command(const std::string& name) {
  const char* folders = std::getenv("PATH");
  if (folders == nullptr) return false;
  for (const std::string& folder : split(folders, ':'))
    if (::access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace strata::platforms
