#pragma once

#include <array>
#include <cstdint>

#include "models/cache/sectored_tags.h"
#include "models/common/params.h"

namespace strata {

/// How a line is divided into sectors, the parts that are fetched, kept and written back one by one. All
/// masks are those of the line's 32 B chunks.
class Sectors {
 public:
  /// `sector` 0: the whole line.
  Sectors(Bytes line, Bytes sector)
      : line_(static_cast<std::uint8_t>((1U << (line / chunk_bytes)) - 1)),
        chunks_(static_cast<int>((sector == 0 || sector > line ? line : sector) / chunk_bytes)),
        chunks_bits_(__builtin_ctz(static_cast<unsigned>(chunks_))) {
    for (unsigned mask = 0; mask < touched_.size(); ++mask)
      for (int first = 0; first < 8; first += chunks_) {
        const unsigned sector_mask = ((1U << chunks_) - 1) << first;
        if ((mask & sector_mask) != 0) touched_[mask] |= static_cast<std::uint8_t>(sector_mask);
      }
  }

  std::uint8_t line() const { return line_; }
  int in_line() const { return __builtin_popcount(line_) / chunks_; }
  /// The sectors that have some of these chunks.
  std::uint8_t touched(unsigned chunks) const { return touched_[chunks & line_]; }
  /// The sectors that have no other chunks.
  std::uint8_t covered(unsigned chunks) const {
    return static_cast<std::uint8_t>(line_ & ~touched_[line_ & ~chunks]);
  }
  /// The number of the first sector of a mask.
  int first(unsigned chunks) const { return __builtin_ctz(chunks) >> chunks_bits_; }
  /// How many sectors a mask of whole ones has.
  unsigned count(std::uint8_t chunks) const { return chunks_of(chunks) >> chunks_bits_; }
  /// How many chunks any mask has.
  static unsigned chunks_of(std::uint8_t chunks) {  // by table: the builtin is a library call on plain x86-64
    constexpr std::uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return static_cast<unsigned>(bits[chunks & 15U] + bits[chunks >> 4U]);
  }

 private:
  std::uint8_t line_;
  int chunks_;  // of a sector
  int chunks_bits_;
  std::array<std::uint8_t, 256> touched_{};
};

/// Sectors that may be under way at the same time, over all MSHRs; 0: as many as these hold.
class SectorLimit {
 public:
  explicit SectorLimit(int most) : most_(static_cast<unsigned>(most)) {}
  bool allows(unsigned sectors) const { return most_ == 0 || under_way_ + sectors <= most_; }
  void sent(unsigned sectors) { under_way_ += sectors; }
  void came(unsigned sectors) { under_way_ -= sectors; }

 private:
  unsigned most_;
  unsigned under_way_ = 0;
};

/// Parameters of a cache with the parameters `line` and `mshrs`.
struct SectorParams {
  Bytes sector{0};  // the whole line
  Allocation allocation = Allocation::on_fill;
  int mshr_sectors = 0;
  void for_each_sector_param(ParamVisitor& visitor);
  void append_sector_faults(Faults& faults, Bytes line) const;
};

}  // namespace strata
