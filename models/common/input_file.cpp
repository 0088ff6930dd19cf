#include "models/common/input_file.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace strata {
namespace {

/// The system's words, as the rest of a sentence.
std::string words(int error) {
  std::string text = std::strerror(error);
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

/// What a path that is no regular file is.
std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "is a directory";
  const char* kind = S_ISFIFO(mode) ? "pipe" : S_ISSOCK(mode) ? "socket" : "device";
  return std::string("is a ") + kind + ", not a regular file; write what it gives to a file first";
}

}  // namespace

// Without O_NONBLOCK, opening a pipe without a writer would block for ever.
InputFile::InputFile(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (descriptor_ < 0) throw InputError(words(errno));
  struct stat status = {};
  std::string why;
  if (::fstat(descriptor_, &status) != 0)
    why = words(errno);
  else if (!S_ISREG(status.st_mode))
    why = kind_of(status.st_mode);
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (why.empty()) return;
  ::close(descriptor_);
  throw InputError(why);
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

std::size_t InputFile::read(char* to, std::size_t capacity) {
  for (;;) {
    const ssize_t got = ::read(descriptor_, to, capacity);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw InputError(words(errno));
  }
}

std::size_t InputFile::read_at(std::uint64_t offset, char* to, std::size_t count) const {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(descriptor_, to + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(words(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::string read_input(const std::string& path, std::uint64_t most_bytes) {
  InputFile file(path);
  const auto refuse = [&] {
    throw InputError("holds more than " + std::to_string(most_bytes) +
                     " B, the most that is read of such a file");
  };
  if (file.size() > most_bytes) refuse();
  // Files of the kernel tell no size: what can be read counts.
  std::string text(static_cast<std::size_t>(file.size()) + 1, '\0');
  std::size_t used = 0;
  while (const std::size_t got = file.read(text.data() + used, text.size() - used)) {
    used += got;
    if (used > most_bytes) refuse();
    if (used == text.size()) text.resize(text.size() * 2);
  }
  text.resize(used);
  return text;
}

}  // namespace strata
