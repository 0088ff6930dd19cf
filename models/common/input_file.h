#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace strata {

/// Why a file cannot be read, as words that follow its name: "is a directory".
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Most bytes of a text that is read whole.
constexpr std::uint64_t most_text_bytes = std::uint64_t{64} << 20;

/// A file that a user names. It must be a regular one: a device, pipe or socket may never end, or never
/// begin. Every reader of Strata opens its inputs with this class. All of it throws InputError.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::uint64_t size() const { return size_; }
  /// The next bytes, up to `capacity`; 0 only at the end.
  std::size_t read(char* to, std::size_t capacity);
  /// `count` bytes from `offset`, fewer only at the end.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t count) const;

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
};

/// All of a file that holds at most `most_bytes`.
std::string read_input(const std::string& path, std::uint64_t most_bytes = most_text_bytes);

}  // namespace strata
