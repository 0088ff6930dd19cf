#include "traces/cuda/static_runtime/own_folder.h"

#include "traces/cuda/static_runtime/bare.h"

namespace strata::cuda {
namespace {

/// A line of /proc/self/maps: `first-end rwxp offset device inode   path`.
class Line {
 public:
  void add(char c) {
    if (length_ < sizeof text_) text_[length_++] = c;
  }
  bool holds(std::uint64_t address) const {
    std::size_t at = 0;
    const std::uint64_t first = hexadecimal(at);
    ++at;
    return address >= first && address < hexadecimal(at);
  }
  std::size_t folder(char* to, std::size_t most) const {
    std::size_t first = 0, end = length_;
    while (first < length_ && text_[first] != '/') ++first;
    while (end > first && text_[end - 1] != '/') --end;
    if (end - first > most) return 0;
    for (std::size_t i = first; i < end; ++i) to[i - first] = text_[i];
    return end - first;
  }
  void clear() { length_ = 0; }

 private:
  std::uint64_t hexadecimal(std::size_t& at) const {
    std::uint64_t value = 0;
    for (; at < length_; ++at) {
      const char c = text_[at];
      if (c >= '0' && c <= '9')
        value = value * 16 + static_cast<std::uint64_t>(c - '0');
      else if (c >= 'a' && c <= 'f')
        value = value * 16 + static_cast<std::uint64_t>(c - 'a' + 10);
      else
        break;
    }
    return value;
  }
  char text_[4352];
  std::size_t length_ = 0;
};

}  // namespace

std::size_t own_folder(char* to, std::size_t most) {
  const long file = ask_system(SYS_openat, AT_FDCWD, number_of("/proc/self/maps"), O_RDONLY | O_CLOEXEC);
  const auto own = reinterpret_cast<std::uint64_t>(&own_folder);
  Line line;
  std::size_t found = 0;
  char some[4096];
  for (long got = 1; file >= 0 && found == 0 && got > 0;) {
    got = ask_system(SYS_read, file, number_of(some), sizeof some);
    for (long i = 0; i < got && found == 0; ++i) {
      if (some[i] != '\n') {
        line.add(some[i]);
        continue;
      }
      if (line.holds(own)) found = line.folder(to, most);
      line.clear();
    }
  }
  if (file >= 0) ask_system(SYS_close, file);
  return found;
}

}  // namespace strata::cuda
