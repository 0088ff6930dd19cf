#include "traces/accelsim/line_reader.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <lzma.h>
#include <optional>
#include <vector>
#include <zstd.h>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/text.h"

namespace strata::traces {
namespace {

constexpr unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdStream final : public ByteStream {
 public:
  explicit ZstdStream(const std::string& path)
      : path_(path), file_(open(path)), input_(1 << 16), context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw OutOfMemory("decompressing " + path);
  }

  std::size_t read(char* to, std::size_t capacity) override {
    ZSTD_outBuffer out{to, capacity, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size) {
        in_ = {input_.data(), next_input(), 0};
        if (in_.size == 0) {
          if (left_ != 0) fail("the zstd data are truncated: expected more compressed data");
          return 0;
        }
      }
      left_ = ZSTD_decompressStream(context_.get(), &out, &in_);
      if (ZSTD_isError(left_) != 0)
        fail(std::string("the zstd data are corrupt (zstd: ") + ZSTD_getErrorName(left_) + ")");
    }
    return out.pos;
  }

 private:
  std::unique_ptr<InputFile> open(const std::string& path) const {
    try {
      return std::make_unique<InputFile>(path);
    } catch (const InputError& error) {
      fail(std::string("cannot open: ") + error.what());
    }
  }
  std::size_t next_input() {
    try {
      return file_->read(input_.data(), input_.size());
    } catch (const InputError& error) {
      fail(std::string("cannot read: ") + error.what());
    }
  }
  [[noreturn]] void fail(std::string message) const {
    throw TraceError(Fault{{path_, 0, 0}, std::move(message)});
  }

  std::string path_;
  std::unique_ptr<InputFile> file_;
  std::vector<char> input_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  std::size_t left_ = 1;  // hint of zstd for the current frame; 0 between frames
};

}  // namespace

bool is_zstd(const std::string& path) {
  try {
    char first[sizeof magic];
    const InputFile file(path);
    return file.read_at(0, first, sizeof first) == sizeof first &&
           std::memcmp(first, magic, sizeof first) == 0;
  } catch (const InputError&) {  // the reader of the file reports it
    return false;
  }
}

std::unique_ptr<ByteStream> open_zstd(const std::string& path) {
  return std::make_unique<ZstdStream>(path);
}

namespace {

constexpr std::size_t most_header_bytes = 1 << 20;
constexpr std::uint64_t most_dictionary_bytes = 16 << 20;  // the writer makes 64 KiB at most
constexpr std::size_t sizes_bytes = 8, end_bytes = 8, count_bytes = 4, block_bytes = 44, warp_bytes = 16;
constexpr std::size_t piece_bytes = 1 << 16;

struct FreeZstd {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  void operator()(ZSTD_DDict* dictionary) const { ZSTD_freeDDict(dictionary); }
};

std::uint32_t u32(const char* at) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(at[i]);
  return value;
}

std::uint64_t u64(const char* at) {
  return static_cast<std::uint64_t>(u32(at + 4)) << 32 | u32(at);
}

std::string bytes(std::uint64_t from, std::uint64_t to) {
  return "bytes " + std::to_string(from) + " to " + std::to_string(to);
}

class TracezStream final : public ByteStream {
 public:
  explicit TracezStream(const std::string& path) : path_(path), context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw OutOfMemory("decompressing " + path);
    try {
      file_ = std::make_unique<InputFile>(path);
    } catch (const InputError& error) {
      fail(std::string("cannot open: ") + error.what());
    }
    read_header();
    read_dictionary();
    read_index();
  }

  std::size_t read(char* to, std::size_t capacity) override {
    while (given_ == text_.size()) {
      text_.clear();
      given_ = 0;
      if (!next_text()) return 0;
    }
    const std::size_t count = std::min(capacity, text_.size() - given_);
    std::memcpy(to, text_.data() + given_, count);
    given_ += count;
    return count;
  }
  bool is_text() const override { return false; }
  std::optional<Dim3> cluster() const override { return cluster_; }

 private:
  struct Block {
    std::uint32_t ids[10] =
        {};  // thread block, cluster and thread block within the cluster, by x, y, z; rank
    std::uint32_t warps = 0;
  };
  struct Warp {
    std::uint32_t instructions = 0, pages = 0;
    std::uint64_t offset = 0;
  };

  [[noreturn]] void fail(std::string message) const {
    throw TraceError(Fault{{path_, 0, 0}, std::move(message)});
  }
  [[noreturn]] void fail_page(std::uint64_t from, std::uint64_t to, const std::string& message) const {
    fail(place() + ", page " + std::to_string(page_ + 1) + " of " + std::to_string(warp_.pages) + " (" +
         bytes(from, to) + "): " + message);
  }
  /// Position of the current warp.
  std::string place() const {
    return "thread block " + std::to_string(block_number_) + " of " + std::to_string(blocks_) + ", warp " +
           std::to_string(warp_number_ - 1);
  }

  void read_exactly(std::uint64_t offset, char* to, std::size_t count) const {
    std::size_t found = 0;
    try {
      found = file_->read_at(offset, to, count);
    } catch (const InputError& error) {
      fail(std::string("cannot read: ") + error.what());
    }
    if (found != count) fail("the file became shorter while it was read");
  }

  void read_header();
  void read_dictionary();
  void read_index();
  const char* take(std::size_t count, const char* what);
  Block take_block();
  Warp take_warp();
  bool next_text();
  void begin_block();
  void begin_warp();
  void begin_page();
  void continue_page();

  std::string path_;
  std::unique_ptr<InputFile> file_;
  std::unique_ptr<ZSTD_DCtx, FreeZstd> context_;
  std::unique_ptr<ZSTD_DDict, FreeZstd> dictionary_;
  std::uint64_t pages_begin_ = 0, pages_end_ = 0;  // offsets in the file
  std::string index_;
  std::size_t at_ = 0;  // in the index
  std::uint32_t blocks_ = 0;
  std::optional<Dim3> cluster_;

  std::string text_;  // decompressed
  std::size_t given_ = 0;
  std::uint32_t block_number_ = 0, warp_number_ = 0;  // current ones, from 1
  Block block_;
  Warp warp_;
  std::uint32_t page_ = 0, page_lines_ = 0;  // of the warp, from 0; its number of lines in the index
  bool in_page_ = false, in_block_ = false;
  std::uint64_t offset_ = 0, page_begin_ = 0, page_end_ = 0;  // in the file
  std::uint64_t lines_ = 0;                                   // of the page, so far
  char last_ = '\n';
  std::vector<char> input_ = std::vector<char>(piece_bytes);
  ZSTD_inBuffer in_{nullptr, 0, 0};
};

void TracezStream::read_header() {
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(most_header_bytes, file_->size())), '\0');
  read_exactly(0, head.data(), head.size());
  if (head.empty()) fail("the file is empty: expected the header of a .tracez file");
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || (head[first] != '-' && head[first] != '#')) {
    char found[8];
    std::snprintf(found, sizeof found, "0x%02x",
                  static_cast<unsigned char>(head[first == std::string::npos ? 0 : first]));
    fail("no .tracez file of Accel-Sim 2.0: expected a header that begins with '-key = value', found byte " +
         std::string(found));
  }
  const std::size_t end = head.find('\0');
  if (end == std::string::npos)
    fail(
        "no .tracez file of Accel-Sim 2.0: expected a NUL byte that ends its header, found none in the "
        "first " +
        std::to_string(head.size()) + " bytes (a trace in text is named .traceg)");
  text_ = head.substr(0, end);
  if (!text_.empty() && text_.back() != '\n') text_ += '\n';
  pages_begin_ = end + 1;
}

void TracezStream::read_dictionary() {
  const std::uint64_t size = file_->size();
  if (size - pages_begin_ < sizes_bytes)
    fail("the file is truncated: expected the sizes of dictionary and page (" +
         bytes(pages_begin_, pages_begin_ + sizes_bytes - 1) +
         ") behind the header, found the end of the file at " + std::to_string(size));
  char sizes[sizes_bytes];
  read_exactly(pages_begin_, sizes, sizeof sizes);
  const std::uint64_t count = u32(sizes);
  pages_begin_ += sizes_bytes;
  if (count > most_dictionary_bytes)
    fail("bytes " + std::to_string(pages_begin_ - sizes_bytes) + ": expected a dictionary of at most " +
         std::to_string(most_dictionary_bytes) + " bytes, found " + std::to_string(count));
  if (count > size - pages_begin_)
    fail("the file is truncated: expected a dictionary (" + bytes(pages_begin_, pages_begin_ + count - 1) +
         "), found the end of the file at " + std::to_string(size));
  if (count != 0) {
    std::string dictionary(static_cast<std::size_t>(count), '\0');
    read_exactly(pages_begin_, dictionary.data(), dictionary.size());
    dictionary_.reset(ZSTD_createDDict(dictionary.data(), dictionary.size()));
    if (dictionary_ == nullptr)
      fail("the dictionary (" + bytes(pages_begin_, pages_begin_ + count - 1) + ") is damaged");
  }
  pages_begin_ += count;
}

/// Validates the whole index once, so that later code can rely on it.
void TracezStream::read_index() {
  const std::uint64_t size = file_->size();
  if (size - pages_begin_ < count_bytes + end_bytes)
    fail("the file is truncated: expected pages and an index behind byte " + std::to_string(pages_begin_) +
         ", found the end of the file at " + std::to_string(size));
  char end[end_bytes];
  read_exactly(size - end_bytes, end, sizeof end);
  pages_end_ = u64(end);
  if (pages_end_ < pages_begin_ || pages_end_ > size - end_bytes - count_bytes)
    fail("expected the place of the index, " + std::to_string(pages_begin_) + " to " +
         std::to_string(size - end_bytes - count_bytes) + ", in the last 8 bytes, found " +
         std::to_string(pages_end_) + ": the file is truncated or damaged");
  index_.resize(static_cast<std::size_t>(size - end_bytes - pages_end_));
  read_exactly(pages_end_, index_.data(), index_.size());
  blocks_ = u32(take(count_bytes, "the number of thread blocks"));
  Dim3 cluster;
  for (std::uint32_t b = 0; b < blocks_; ++b) {
    block_number_ = b + 1;
    const Block block = take_block();
    const auto last = [](std::uint32_t id) { return id == UINT32_MAX ? id : id + 1; };
    cluster = {std::max(cluster.x, last(block.ids[6])), std::max(cluster.y, last(block.ids[7])),
               std::max(cluster.z, last(block.ids[8]))};
    for (std::uint32_t w = 0; w < block.warps; ++w) {
      warp_number_ = w + 1;
      const Warp warp = take_warp();
      std::uint64_t lines = 0;
      for (std::uint32_t p = 0; p < warp.pages; ++p)
        lines += u32(take(count_bytes, "instructions of a page"));
      if (lines != warp.instructions)
        fail("index (" + bytes(pages_end_, size - end_bytes - 1) + "), " + place() + ": expected pages of " +
             std::to_string(warp.instructions) + " instructions together, found " + std::to_string(lines));
    }
  }
  if (at_ != index_.size())
    fail("index (" + bytes(pages_end_, size - end_bytes - 1) + "): expected its end behind " +
         std::to_string(blocks_) + " thread blocks, found " + std::to_string(index_.size() - at_) +
         " bytes more");
  cluster_ = cluster;
  at_ = count_bytes;
  block_number_ = warp_number_ = 0;
}

const char* TracezStream::take(std::size_t count, const char* what) {
  if (index_.size() - at_ < count)
    fail("index (" + bytes(pages_end_, pages_end_ + index_.size() - 1) + "): expected " + what +
         (block_number_ == 0 ? "" : " of thread block " + std::to_string(block_number_)) + ", found its end");
  at_ += count;
  return index_.data() + at_ - count;
}

TracezStream::Block TracezStream::take_block() {
  const char* const from = take(block_bytes, "the entry");
  Block block;
  for (std::size_t i = 0; i < std::size(block.ids); ++i) block.ids[i] = u32(from + 4 * i);
  block.warps = u32(from + block_bytes - 4);
  return block;
}

TracezStream::Warp TracezStream::take_warp() {
  const char* const from = take(warp_bytes, "the entry of a warp");
  return {u32(from), u32(from + 4), u64(from + 8)};
}

/// False at the end.
bool TracezStream::next_text() {
  if (in_page_) {
    continue_page();
  } else if (warp_number_ != 0 && page_ < warp_.pages) {
    begin_page();
  } else if (in_block_ && warp_number_ < block_.warps) {
    begin_warp();
  } else if (in_block_) {
    text_ = "\n#END_TB\n";
    in_block_ = false;
    warp_number_ = 0;
  } else if (block_number_ < blocks_) {
    begin_block();
  } else {
    return false;
  }
  return true;
}

void TracezStream::begin_block() {
  ++block_number_;
  block_ = take_block();
  in_block_ = true;
  warp_number_ = page_ = 0;
  warp_ = {};
  const auto three = [this](std::size_t first) {
    return std::to_string(block_.ids[first]) + ',' + std::to_string(block_.ids[first + 1]) + ',' +
           std::to_string(block_.ids[first + 2]) + '\n';
  };
  text_ = "\n#BEGIN_TB\n\nthread block = " + three(0) + "cluster id = " + three(3) +
          "cluster cta = " + three(6) + "cluster rank = " + std::to_string(block_.ids[9]) + '\n';
}

void TracezStream::begin_warp() {
  warp_ = take_warp();
  ++warp_number_;
  page_ = 0;
  text_ = "\nwarp = " + std::to_string(warp_number_ - 1) + "\ninsts = " + std::to_string(warp_.instructions) +
          '\n';
  if (warp_.offset < pages_begin_ || warp_.offset > pages_end_ || pages_end_ - warp_.offset < sizes_bytes)
    fail(place() + ": expected its pages in " + bytes(pages_begin_, pages_end_) + ", found them at " +
         std::to_string(warp_.offset));
  char counts[sizes_bytes];
  read_exactly(warp_.offset, counts, sizeof counts);
  if (u32(counts) != warp_.instructions || u32(counts + 4) != warp_.pages)
    fail(place() + " (" + bytes(warp_.offset, warp_.offset + sizes_bytes - 1) + "): expected " +
         std::to_string(warp_.instructions) + " instructions in " + std::to_string(warp_.pages) +
         " pages as in the index, found " + std::to_string(u32(counts)) + " in " +
         std::to_string(u32(counts + 4)));
  offset_ = warp_.offset + sizes_bytes;
}

void TracezStream::begin_page() {
  page_lines_ = u32(take(count_bytes, "instructions of a page"));
  if (pages_end_ - offset_ < count_bytes)
    fail_page(offset_, pages_end_, "expected its size, found the index");
  char size[count_bytes];
  read_exactly(offset_, size, sizeof size);
  page_begin_ = offset_ + count_bytes;
  if (u32(size) > pages_end_ - page_begin_)
    fail_page(offset_, pages_end_, "expected " + std::to_string(u32(size)) + " bytes, found the index");
  page_end_ = page_begin_ + u32(size);
  offset_ = page_begin_;
  in_ = {nullptr, 0, 0};
  lines_ = 0;
  last_ = '\n';
  in_page_ = true;
  ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
  ZSTD_DCtx_refDDict(context_.get(), dictionary_.get());
}

/// Decompresses the next part of the page, as large as one buffer.
void TracezStream::continue_page() {
  if (in_.pos == in_.size) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, page_end_ - offset_));
    if (count == 0) fail_page(page_begin_, page_end_, "the zstd frame is truncated");
    read_exactly(offset_, input_.data(), count);
    offset_ += count;
    in_ = {input_.data(), count, 0};
  }
  text_.resize(piece_bytes);
  ZSTD_outBuffer out{text_.data(), text_.size(), 0};
  const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in_);
  text_.resize(out.pos);
  if (ZSTD_isError(left) != 0)
    fail_page(page_begin_, page_end_,
              std::string("expected a whole zstd frame (zstd: ") + ZSTD_getErrorName(left) + ")");
  lines_ += static_cast<std::uint64_t>(std::count(text_.begin(), text_.end(), '\n'));
  if (!text_.empty()) last_ = text_.back();
  if (left != 0) return;
  if (in_.pos != in_.size || offset_ != page_end_)
    fail_page(page_begin_, page_end_, "expected one zstd frame, found bytes behind it");
  if (last_ != '\n') {
    text_ += '\n';
    ++lines_;
  }
  if (lines_ != page_lines_)
    fail_page(page_begin_, page_end_,
              "expected " + std::to_string(page_lines_) + " instructions as in the index, found " +
                  std::to_string(lines_));
  in_page_ = false;
  ++page_;
}

}  // namespace

std::unique_ptr<ByteStream> open_tracez(const std::string& path) {
  return std::make_unique<TracezStream>(path);
}

namespace {

constexpr std::size_t buffer_bytes = 1 << 18;
constexpr std::uint64_t most_blank_lines = 1'000'000;  // a few bytes of .xz expand to any number
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

/// Continues the line beyond the buffer.
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

/// Skips blank lines, from `line` on.
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

std::string quoted(std::string_view line) {
  return "'" + std::string(line.substr(0, 60)) + "'" + (line.size() > 60 ? "..." : "");
}

}  // namespace strata::traces
