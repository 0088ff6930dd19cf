#include "traces/accelsim/line_reader.h"

#include <climits>
#include <cstring>
#include <lzma.h>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/text.h"
#include "traces/accelsim/line_reader.h"

namespace strata::traces {
namespace {

constexpr std::size_t buffer_bytes = 1 << 18;
constexpr std::uint64_t most_blank_lines = 1'000'000;  // a few bytes of .xz hold more than anyone waits for
constexpr std::uint64_t xz_memory_limit = std::uint64_t{512} << 20;  // xz -9 needs 65 MiB

[[noreturn]] void fail_file(const std::string& path, std::string message) {
  throw TraceError(Fault{{path, 0, 0}, std::move(message)});
}

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(const std::string& path) : path_(path) {
    try {
      file_ = std::make_unique<InputFile>(path);
    } catch (const InputError& error) {
      fail_file(path, std::string("cannot open: ") + error.what());
    }
  }

  std::size_t read(char* to, std::size_t capacity) override {
    try {
      return file_->read(to, capacity);
    } catch (const InputError& error) {
      fail_file(path_, std::string("cannot read: ") + error.what());
    }
  }

 private:
  std::string path_;
  std::unique_ptr<InputFile> file_;
};

class XzStream final : public ByteStream {
 public:
  explicit XzStream(const std::string& path) : path_(path), file_(path), input_(1 << 16) {
    if (lzma_stream_decoder(&lzma_, xz_memory_limit, LZMA_CONCATENATED) != LZMA_OK)
      throw OutOfMemory("decompressing " + path);
  }
  ~XzStream() override { lzma_end(&lzma_); }
  XzStream(const XzStream&) = delete;
  XzStream& operator=(const XzStream&) = delete;

  std::size_t read(char* to, std::size_t capacity) override {
    lzma_.next_out = reinterpret_cast<std::uint8_t*>(to);
    lzma_.avail_out = capacity;
    while (!finished_ && lzma_.avail_out == capacity) {
      if (lzma_.avail_in == 0 && !input_ended_) {
        lzma_.avail_in = file_.read(input_.data(), input_.size());
        lzma_.next_in = reinterpret_cast<const std::uint8_t*>(input_.data());
        input_ended_ = lzma_.avail_in == 0;
      }
      const lzma_ret result = lzma_code(&lzma_, input_ended_ ? LZMA_FINISH : LZMA_RUN);
      if (result == LZMA_STREAM_END)
        finished_ = true;
      else if (result == LZMA_MEM_ERROR)
        throw OutOfMemory("decompressing " + path_);
      else if (result != LZMA_OK)
        fail_file(path_, words(result));
    }
    return capacity - lzma_.avail_out;
  }

 private:
  static std::string words(lzma_ret result) {
    switch (result) {
      case LZMA_BUF_ERROR:
        return "the .xz file is truncated: expected more compressed data";
      case LZMA_FORMAT_ERROR:
        return "not an .xz file: expected the xz magic bytes";
      case LZMA_DATA_ERROR:
        return "the .xz data are corrupt: expected data that match their checksum";
      case LZMA_MEMLIMIT_ERROR:
        return "the .xz file needs more than 512 MiB to decompress";
      default:
        return "the .xz file uses an unknown feature (liblzma code " + std::to_string(result) + ")";
    }
  }

  std::string path_;
  PlainStream file_;
  std::vector<char> input_;
  lzma_stream lzma_ = LZMA_STREAM_INIT;
  bool input_ended_ = false;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> open_bytes(const std::string& path) {
  if (ends_with(path, ".xz")) return std::make_unique<XzStream>(path);
  if (ends_with(path, ".zst")) return open_zstd(path);
  if (ends_with(path, ".tracez")) return is_zstd(path) ? open_zstd(path) : open_tracez(path);
  return std::make_unique<PlainStream>(path);
}

LineReader::LineReader(std::string path)
    : path_(std::move(path)), bytes_(open_bytes(path_)), buffer_(buffer_bytes) {}

bool LineReader::refill() {
  if (finished_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ >= max_line_bytes) fail_at(number_ + 1, "expected a line of at most 65536 characters");
  std::size_t count = 0;
  try {
    count = bytes_->read(buffer_.data() + end_, buffer_.size() - end_);
  } catch (const TraceError& error) {
    if (!bytes_->is_text()) throw;
    fail_at(number_ + 1, error.fault().message);
  }
  end_ += count;
  finished_ = count == 0;
  return !finished_;
}

/// Where the line goes on behind what is in the buffer.
bool LineReader::next_slowly(std::string_view& line) {
  if (again_) {
    again_ = false;
    line = last_;
    return true;
  }
  std::size_t searched = end_ - begin_;
  while (refill()) {
    if (std::memchr(buffer_.data() + begin_ + searched, '\n', end_ - begin_ - searched) != nullptr)
      return next(line);
    searched = end_ - begin_;
  }
  if (searched == 0) return false;
  take(searched, line);
  return true;
}

/// From `line` on.
bool LineReader::skip_blank(std::string_view& line) {
  for (std::uint64_t blank = 0; line.find_first_not_of(" \t") == std::string_view::npos; ++blank) {
    if (blank == most_blank_lines)
      fail("more than " + std::to_string(most_blank_lines) + " blank lines in a row");
    if (!next(line)) return false;
  }
  return true;
}

void LineReader::fail(std::string message, int column) const {
  fail_at(number_, std::move(message), column);
}

void LineReader::fail_at(std::uint64_t line, std::string message, int column) const {
  const int number = line > INT_MAX ? INT_MAX : static_cast<int>(line);
  throw TraceError(Fault{{path_, number, column}, std::move(message)});
}

}  // namespace strata::traces
