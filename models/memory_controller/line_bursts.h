#pragma once

#include <array>
#include <cstdint>

#include "models/common/access.h"
#include "models/memory_controller/memory_controller_params.h"

namespace strata {

/// Which column commands move which 32 B sectors of a line: a request moves only its own.
class LineBursts {
 public:
  explicit LineBursts(const MemoryControllerParams& params) : LineBursts(params.line, params.timing) {}
  LineBursts(Bytes line, const TimingSet& timing)
      : sector_in_line_(static_cast<unsigned>(line / sector_bytes - 1)),
        columns_(static_cast<int>(line / static_cast<std::uint64_t>(timing.bytes_per_CAS))),
        cas_bytes_(timing.bytes_per_CAS) {
    for (unsigned sectors = 0; sectors < count_.size(); ++sectors)
      for (int column = 0; column < columns_; ++column)
        if ((sectors & moved_by(column)) != 0) ++count_[sectors];
  }

  /// The sectors of its line that a request asks for or writes.
  std::uint8_t sectors_in(const Access& access) const {
    return static_cast<std::uint8_t>(access.sectors << (access.line / sector_bytes & sector_in_line_));
  }
  int count(std::uint8_t sectors) const { return count_[sectors]; }
  /// The column in the line of command number `number` for these sectors.
  int column(std::uint8_t sectors, int number) const {
    if (count_[sectors] == columns_) return number;  // all of them
    for (int column = 0; column < columns_; ++column)
      if ((sectors & moved_by(column)) != 0 && number-- == 0) return column;
    return columns_ + number;  // more than the line has: they follow it
  }

 private:
  unsigned moved_by(int column) const {
    const int first = column * cas_bytes_ / static_cast<int>(sector_bytes);
    const int last = ((column + 1) * cas_bytes_ - 1) / static_cast<int>(sector_bytes);
    return (2U << last) - (1U << first);
  }

  unsigned sector_in_line_;
  int columns_;  // of a line
  int cas_bytes_;
  std::array<std::uint8_t, 256> count_{};
};

}  // namespace strata
