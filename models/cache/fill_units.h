#pragma once

#include <array>
#include <cstdint>

#include "models/cache/sectored_tags.h"
#include "models/common/params.h"

namespace strata {

/// How a line is divided into sectors, the parts that are fetched, kept and written back one by one. All
/// masks are those of the line's 32 B sectors.
class FillUnits {
 public:
  /// `sector` 0: the whole line.
  FillUnits(Bytes line, Bytes sector)
      : line_(static_cast<std::uint8_t>((1U << (line / sector_bytes)) - 1)),
        sectors_(static_cast<int>((sector == 0 || sector > line ? line : sector) / sector_bytes)),
        sectors_bits_(__builtin_ctz(static_cast<unsigned>(sectors_))) {
    for (unsigned mask = 0; mask < touched_.size(); ++mask)
      for (int first = 0; first < 8; first += sectors_) {
        const unsigned sector_mask = ((1U << sectors_) - 1) << first;
        if ((mask & sector_mask) != 0) touched_[mask] |= static_cast<std::uint8_t>(sector_mask);
      }
  }

  std::uint8_t line() const { return line_; }
  int in_line() const { return __builtin_popcount(line_) / sectors_; }
  /// The sectors that have some of these sectors.
  std::uint8_t touched(unsigned sectors) const { return touched_[sectors & line_]; }
  /// The sectors that have no other sectors.
  std::uint8_t covered(unsigned sectors) const {
    return static_cast<std::uint8_t>(line_ & ~touched_[line_ & ~sectors]);
  }
  /// The number of the first sector of a mask.
  int first(unsigned sectors) const { return __builtin_ctz(sectors) >> sectors_bits_; }
  /// How many sectors a mask of whole ones has.
  unsigned count(std::uint8_t sectors) const { return sectors_in(sectors) >> sectors_bits_; }
  /// How many sectors any mask has.
  static unsigned sectors_in(
      std::uint8_t sectors) {  // by table: the builtin is a library call on plain x86-64
    constexpr std::uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return static_cast<unsigned>(bits[sectors & 15U] + bits[sectors >> 4U]);
  }

 private:
  std::uint8_t line_;
  int sectors_;  // of a sector
  int sectors_bits_;
  std::array<std::uint8_t, 256> touched_{};
};

/// FillUnits that may be under way at the same time, over all MSHRs; 0: as many as these hold.
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
