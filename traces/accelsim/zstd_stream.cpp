#include "traces/accelsim/zstd_stream.h"

#include <cstring>
#include <vector>
#include <zstd.h>

#include "models/common/faults.h"
#include "models/common/input_file.h"

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
  std::size_t left_ = 1;  // of the present frame, as zstd says it; 0 between frames
};

}  // namespace

bool is_zstd(const std::string& path) {
  try {
    char first[sizeof magic];
    const InputFile file(path);
    return file.read_at(0, first, sizeof first) == sizeof first &&
           std::memcmp(first, magic, sizeof first) == 0;
  } catch (const InputError&) {  // whoever reads it says so
    return false;
  }
}

std::unique_ptr<ByteStream> open_zstd(const std::string& path) {
  return std::make_unique<ZstdStream>(path);
}

}  // namespace strata::traces
