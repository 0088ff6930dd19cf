#include "traces/record/record_format.h"

#include <algorithm>
#include <memory>
#include <new>
#include <zstd.h>
#include <zstd_errors.h>

namespace strata::traces::record {
namespace {

// A run-length block of zstd has at most 128 KiB in 4 bytes: no valid frame expands further.
constexpr std::uint64_t max_expansion = 40000;
// Blocks end after a few MiB or with a CTA, which has at most 32 warps: larger claims are damage.
constexpr std::uint64_t max_content = std::uint64_t{1} << 32;

}  // namespace

std::string compress(std::string_view data, int level) {
  // A context per thread would be state that outlives the call; making one takes 1 us, a frame 10 to 1000 us.
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (context == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(data.size()), '\0');
  const std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), data.data(), data.size());
  if (ZSTD_isError(size) != 0) throw std::runtime_error(std::string("zstd: ") + ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

std::string decompress(std::string_view frame) {
  const unsigned long long content = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (content == ZSTD_CONTENTSIZE_ERROR || content == ZSTD_CONTENTSIZE_UNKNOWN)
    throw FormatFault("expected a zstd frame with its content size");
  if (content > std::min((frame.size() + 1) * max_expansion, max_content))
    throw FormatFault("the frame's content size is impossible");
  std::string out(content, '\0');
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  if (ZSTD_isError(size) != 0)
    throw FormatFault(std::string("expected a whole zstd frame that matches its checksum (zstd: ") +
                      ZSTD_getErrorName(size) + ")");
  if (size != content) throw FormatFault("the frame is shorter than it says");
  return out;
}

void put_u32(std::string& out, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}
void put_u64(std::string& out, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}
std::uint32_t get_u32(const char* from) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(from[i])) << (8 * i);
  return value;
}
std::uint64_t get_u64(const char* from) {
  return get_u32(from) | static_cast<std::uint64_t>(get_u32(from + 4)) << 32;
}

}  // namespace strata::traces::record
