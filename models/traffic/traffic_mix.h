#pragma once

#include <array>
#include <cstdint>

#include "models/common/access.h"
#include "models/common/random_stream.h"
#include "models/common/units.h"
#include "models/traffic/traffic_params.h"

namespace strata {

/// What a port sends next.
struct TrafficAccess {
  AccessClass access_class;
  Address line;
};

/// Classes and lines of the accesses.
class TrafficMix {
 public:
  explicit TrafficMix(const TrafficParams& params)
      : pattern_(params.pattern),
        load_at_(RandomStream::threshold(params.loads)),
        read_only_at_(RandomStream::threshold(params.read_only)),
        hot_at_(RandomStream::threshold(params.hot_share)),
        lines_(params.footprint.count / params.line.count),
        hot_lines_(static_cast<std::uint64_t>(params.hot_lines)),
        stride_lines_(params.stride.count / params.line.count),
        line_bytes_(params.line.count) {}

  /// Number of the line at which the walk of port `port` of `ports` starts.
  std::uint64_t start(int port, int ports) const {
    const auto share = static_cast<unsigned __int128>(lines_) * static_cast<unsigned>(port);
    return static_cast<std::uint64_t>(share / static_cast<unsigned>(ports));
  }
  /// `walk` is the line to which `stride` has come.
  TrafficAccess draw(RandomStream& choices, std::uint64_t& walk) const {
    RandomStream stream = choices;  // in a register
    AccessClass access_class = AccessClass::store;
    if (stream.next53() < load_at_) {
      access_class = AccessClass::load;
      if (read_only_at_ == 0)
        stream.skip();
      else if (stream.next53() < read_only_at_)
        access_class = AccessClass::read_only_load;
    }
    std::uint64_t line = walk;
    if (pattern_ == TrafficPattern::stride) {
      walk = (walk + stride_lines_) % lines_;
    } else {
      const bool hot = pattern_ == TrafficPattern::hot && stream.next53() < hot_at_;
      line = stream.below(hot ? hot_lines_ : lines_);
    }
    choices = stream;
    return {access_class, line * line_bytes_};
  }

 private:
  TrafficPattern pattern_;
  std::uint64_t load_at_;  // RandomStream::threshold() of a load
  std::uint64_t read_only_at_;
  std::uint64_t hot_at_;
  std::uint64_t lines_;
  std::uint64_t hot_lines_;
  std::uint64_t stride_lines_;
  std::uint64_t line_bytes_;
};

/// Geometric gaps: cycles from one event to the next when every cycle brings one with the same chance.
class GapTable {
 public:
  explicit GapTable(double chance) {
    // Products only: every machine rounds them alike, which holds for no logarithm.
    double longer = 1;
    for (std::size_t i = 0; i < size; ++i) longer_[i] = RandomStream::threshold(longer *= 1 - chance);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint64_t last = ((i + 1) << row_shift) - 1;
      while (longer_[first_[i]] > last) ++first_[i];
    }
  }

  /// At least 1.
  Cycle draw(RandomStream& stream) const {
    for (Cycle before = 0;; before += size) {
      const std::uint64_t value = stream.next53();
      std::size_t cycles = first_[value >> row_shift];
      while (longer_[cycles] > value) ++cycles;
      if (cycles < size) return before + cycles + 1;
    }
  }

 private:
  static constexpr std::size_t size = 64;
  static constexpr std::size_t rows = 256;
  static constexpr int row_shift = 53 - 8;

  std::array<std::uint64_t, size + 1>
      longer_{};                            // 2^53 * chance that a gap is longer than i + 1; the last: 0
  std::array<std::uint8_t, rows> first_{};  // how many of them exceed all values that begin with i
};

}  // namespace strata
