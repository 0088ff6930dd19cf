#include "traces/cuda/fat_binary.h"

#include <cstring>
#include <lz4.h>
#include <zstd.h>

#include "models/common/faults.h"

namespace strata::cuda {
namespace {

constexpr std::uint32_t magic = 0xba55ed50;
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint64_t packed_lz4 = 0x2000, packed_zstd = 0x8000;
constexpr std::size_t most_text = std::size_t{1} << 30;
constexpr std::size_t most_growth_lz4 = 255,
                      most_growth_zstd = 32768;  // maximum expansion of a byte in each format

[[noreturn]] void fail(const std::string& what) {
  throw TraceError(Fault{{"fat binary", 0, 0}, what});
}

template <class T>
T at(const std::uint8_t* data, std::size_t offset) {
  T value;
  std::memcpy(&value, data + offset, sizeof value);
  return value;
}

// Offsets in the header of the file and of an entry.
constexpr std::size_t header_bytes_at = 6, all_bytes_at = 8, whole_header = 16;
constexpr std::size_t entry_header_at = 4, payload_at = 8, packed_at = 16, architecture_at = 28,
                      flags_at = 40, text_at = 56, entry_header = 64;

FatEntry read_entry(const std::uint8_t* data, std::size_t header, std::size_t payload) {
  FatEntry entry;
  entry.ptx = at<std::uint16_t>(data, 0) == kind_ptx;
  entry.architecture = static_cast<int>(at<std::uint32_t>(data, architecture_at) & 0xffff);
  entry.data = data + header;
  entry.bytes = entry.text_bytes = payload;
  const auto flags = at<std::uint64_t>(data, flags_at);
  if ((flags & (packed_lz4 | packed_zstd)) == 0) return entry;
  entry.packing = (flags & packed_zstd) != 0 ? FatEntry::Packing::zstd : FatEntry::Packing::lz4;
  entry.bytes = at<std::uint32_t>(data, packed_at);
  if (entry.bytes > payload) fail("an entry whose compressed bytes go beyond it");
  entry.text_bytes = header >= entry_header ? at<std::uint64_t>(data, text_at) : 0;
  return entry;
}

}  // namespace

bool is_fat_binary(const void* data, std::size_t available) {
  return available >= whole_header && at<std::uint32_t>(static_cast<const std::uint8_t*>(data), 0) == magic;
}

std::vector<FatEntry> read_fat_binary(const void* from, std::size_t available) {
  const auto* data = static_cast<const std::uint8_t*>(from);
  if (!is_fat_binary(from, available)) fail("expected its magic number in the first four bytes");
  const std::size_t header = at<std::uint16_t>(data, header_bytes_at);
  const auto all = at<std::uint64_t>(data, all_bytes_at);
  if (header < whole_header || header > available || all > available - header)
    fail("expected " + std::to_string(all) + " bytes behind a header of " + std::to_string(header) +
         ", but it is cut");
  std::vector<FatEntry> entries;
  for (std::uint64_t done = 0; done < all;) {
    const std::uint8_t* const entry = data + header + done;
    const std::uint64_t left = all - done;
    if (left < entry_header) fail("an entry that is cut");
    const auto own_header = at<std::uint32_t>(entry, entry_header_at);
    const auto payload = at<std::uint64_t>(entry, payload_at);
    if (own_header < flags_at + 8 || own_header > left || payload > left - own_header)
      fail("an entry that goes beyond the end");
    entries.push_back(read_entry(entry, own_header, payload));
    done += own_header + payload;
  }
  return entries;
}

std::string ptx_text(const FatEntry& entry) {
  const std::size_t growth = entry.packing == FatEntry::Packing::zstd  ? most_growth_zstd
                             : entry.packing == FatEntry::Packing::lz4 ? most_growth_lz4
                                                                       : 1;
  if (entry.text_bytes > most_text) fail("a PTX text of more than 1 GiB");
  if (entry.text_bytes / growth > entry.bytes) fail("a PTX text larger than its data can hold");
  std::string text(entry.text_bytes, '\0');
  if (entry.packing == FatEntry::Packing::zstd) {
    const std::size_t got = ZSTD_decompress(text.data(), text.size(), entry.data, entry.bytes);
    if (ZSTD_isError(got) != 0) fail(std::string("its zstd data are damaged: ") + ZSTD_getErrorName(got));
    text.resize(got);
  } else if (entry.packing == FatEntry::Packing::lz4) {
    // Blocks without a frame. Both lengths fit in int: the size of the data has 32 bits in the header.
    if (entry.bytes > most_text) fail("LZ4 data of more than 1 GiB");
    const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(entry.data), text.data(),
                                        static_cast<int>(entry.bytes), static_cast<int>(text.size()));
    if (got < 0 || static_cast<std::size_t>(got) != text.size()) fail("its LZ4 data are damaged");
  } else {
    std::memcpy(text.data(), entry.data, entry.bytes);
  }
  text.resize(std::strlen(text.c_str()));  // padded with zeros
  return text;
}

std::string choose_ptx(const std::vector<FatEntry>& entries, int capability) {
  const FatEntry* best = nullptr;
  for (const FatEntry& entry : entries) {
    if (!entry.ptx) continue;
    const bool fits = entry.architecture <= capability;
    if (best == nullptr ||
        (fits ? best->architecture > capability || entry.architecture > best->architecture
              : entry.architecture < best->architecture && best->architecture > capability))
      best = &entry;
  }
  return best == nullptr ? std::string() : ptx_text(*best);
}

}  // namespace strata::cuda
