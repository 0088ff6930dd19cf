#pragma once

#include <algorithm>
#include <cstdint>

#include "models/common/instruction_source.h"

/// Addresses of local memory. Each thread has up to 512 KiB (CUDA C++ Programming Guide, compute
/// capabilities). Consecutive 32-bit words are accessed by consecutive thread IDs ("Local Memory"), so an
/// access with one offset in all lanes touches one line per word.
namespace strata::traces {

/// Below the addresses of programs and synthetic streams.
constexpr Address local_memory_base = 0x7f0000000000 - (Address{1} << 36);
constexpr std::uint64_t most_local_bytes = 512 * 1024;

/// Local memory of a launch: a row with the first words of all threads, then a row with the second words, ...
class LocalRows {
 public:
  LocalRows(std::uint64_t ctas, std::uint32_t warps_per_cta)
      : warps_per_cta_(warps_per_cta),
        ctas_(std::max<std::uint64_t>(1, std::min({ctas, most_ctas, most_warps / warps_per_cta}))) {}

  /// Warps of a row; WarpInstruction::operand of accesses.
  std::uint16_t warps() const { return static_cast<std::uint16_t>(ctas_ * warps_per_cta_); }
  /// Address of byte `offset` of a thread.
  Address address(std::uint64_t cta, std::uint32_t warp, unsigned lane, std::uint64_t offset) const {
    offset %= most_local_bytes;
    const std::uint64_t place = cta % ctas_ * warps_per_cta_ + warp;
    return local_memory_base + (offset / 4 * warps() + place) * row_bytes + lane * 4 + offset % 4;
  }

 private:
  static constexpr std::uint64_t row_bytes = 32 * 4;  // a word of each lane
  // Hardware assigns places to resident warps, of which there are fewer: CTAs this far apart share a place.
  static constexpr std::uint64_t most_ctas = 4096, most_warps = 0xffff;
  std::uint32_t warps_per_cta_;
  std::uint64_t ctas_;
};

}  // namespace strata::traces
