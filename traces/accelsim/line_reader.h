#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// The text of a file, decompressed on the fly if its name ends in `.xz`, `.zst` or `.tracez`. Throws
/// TraceError without a line.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Up to `capacity` bytes; 0 only at the end.
  virtual std::size_t read(char* to, std::size_t capacity) = 0;
  /// True if lines are positions in the file; if not, faults give their position in words.
  virtual bool is_text() const { return true; }
  /// Size of a cluster, if the file has it outside of its text.
  virtual std::optional<Dim3> cluster() const { return std::nullopt; }
};

std::unique_ptr<ByteStream> open_bytes(const std::string& path);

/// Lines of a text file of any size through one buffer; constant work per line.
class LineReader {
 public:
  static constexpr std::size_t max_line_bytes = 1 << 16;

  explicit LineReader(std::string path);
  /// The next line without its LF and a CR before it; false at the end. Valid until the next call.
  bool next(std::string_view& line) {
    const std::size_t available = end_ - begin_;
    const char* const start = buffer_.data() + begin_;
    const void* const found = again_ || available == 0 ? nullptr : std::memchr(start, '\n', available);
    if (found == nullptr) return next_slowly(line);
    take(static_cast<std::size_t>(static_cast<const char*>(found) - start), line);
    ++begin_;
    return true;
  }
  /// The next line that is not blank.
  bool next_filled(std::string_view& line) {
    if (!next(line)) return false;
    return (!line.empty() && line.front() > ' ') || skip_blank(line);
  }
  /// Returns the last line once more.
  void unread() { again_ = true; }
  const std::string& path() const { return path_; }
  const ByteStream& bytes() const { return *bytes_; }
  /// Number of the last line, from 1; 0 before the first.
  std::uint64_t line_number() const { return number_; }
  /// Throws TraceError at the last line; column 0 = unknown.
  [[noreturn]] void fail(std::string message, int column = 0) const;
  [[noreturn]] void fail_at(std::uint64_t line, std::string message, int column = 0) const;

 private:
  bool refill();
  bool next_slowly(std::string_view& line);
  bool skip_blank(std::string_view& line);
  /// Takes the line of `length` characters that begins here.
  void take(std::size_t length, std::string_view& line) {
    last_ = std::string_view(buffer_.data() + begin_, length);
    begin_ += length;
    ++number_;
    if (!last_.empty() && last_.back() == '\r') last_.remove_suffix(1);
    line = last_;
  }

  std::string path_;
  std::unique_ptr<ByteStream> bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t number_ = 0;
  std::string_view last_;
  bool again_ = false;
  bool finished_ = false;
};

/// Removes blanks at both ends.
inline std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}
/// Reads a number that is the whole of `text`.
template <class Number>
bool read_number(std::string_view text, Number& out, int base = 10) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}
/// A line in quotes for a message, cut if it is long.
std::string quoted(std::string_view line);

/// True if the file begins like a zstd frame.
bool is_zstd(const std::string& path);

/// Text compressed with zstd, in one or more frames.
std::unique_ptr<ByteStream> open_zstd(const std::string& path);

/// The text of a `.tracez` file of Accel-Sim 2.0: a header, pages of instruction lines compressed with one
/// dictionary, and an index by thread block and warp. Pages are read in index order and come out as a
/// `.traceg`. Layout: docs/guide/trace-formats.md. Throws TraceError with the position in words.
std::unique_ptr<ByteStream> open_tracez(const std::string& path);

}  // namespace strata::traces
