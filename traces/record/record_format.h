#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

/// The fixed parts of a record file; docs/guide/trace-formats.md has the layout.
namespace strata::traces::record {

constexpr std::string_view magic("STRATA\x1aT", 8);   ///< first bytes of the file; 0x1a ends a text listing
constexpr std::string_view end_magic("STRATEND", 8);  ///< last bytes of the file
constexpr std::uint32_t version = 4;
constexpr std::size_t prologue_bytes = 16;  ///< magic, version, size of the header frame (little endian)
constexpr std::size_t trailer_bytes = 24;   ///< offset and size of the index frame, end magic

/// Invalid data; readers add file and frame.
struct FormatFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One zstd frame with content size and checksum (the low 32 bits of the content's XXH64).
std::string compress(std::string_view data, int level);
/// Throws FormatFault if the frame is truncated, corrupt or does not match its checksum.
std::string decompress(std::string_view frame);

void put_u32(std::string& out, std::uint32_t value);
void put_u64(std::string& out, std::uint64_t value);
std::uint32_t get_u32(const char* from);
std::uint64_t get_u64(const char* from);

inline void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 128) {
    out.push_back(static_cast<char>(value | 128));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}
inline std::uint64_t zigzag(std::uint64_t value) {
  return value << 1 ^ (value >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
inline std::uint64_t unzigzag(std::uint64_t value) {
  return value >> 1 ^ (~(value & 1) + 1);
}

/// Reads the varints or bytes of one column; throws FormatFault at its end.
class Column {
 public:
  Column() = default;
  Column(const std::string& bytes, const char* name)
      : at_(bytes.data()), end_(at_ + bytes.size()), name_(name) {}
  std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = this->byte();
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
    fail();
  }
  std::uint8_t byte() {
    if (at_ == end_) fail();
    return static_cast<std::uint8_t>(*at_++);
  }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  void expect_end() const {
    if (at_ != end_)
      throw FormatFault(std::string("expected the end of column '") + name_ + "', found more numbers");
  }

 private:
  [[noreturn]] void fail() const {
    throw FormatFault(std::string("expected another number in column '") + name_ + "'");
  }
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* name_ = "differences";
};

}  // namespace strata::traces::record
