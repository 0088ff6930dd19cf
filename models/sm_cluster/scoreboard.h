#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata {

/// From when on each register of each warp can be read, or written again: cycles since the warp's start.
class Scoreboard {
 public:
  static constexpr std::uint32_t pending = ~0U;  ///< result of a load in flight

  explicit Scoreboard(std::size_t warps) : times_(warps * registers_per_warp) {}

  void clear(int warp) { std::fill_n(file(warp), registers_per_warp, 0U); }
  [[gnu::always_inline]] void set(int warp, int first, int count, std::uint32_t time) {
    if (first == no_register) return;
    std::uint32_t* const times = file(warp);
    if (count == 1) {  // the loop costs ten times as much
      times[entry(first)] = time;
      return;
    }
    const int end = std::min(first + count, int{no_register});
    for (int i = first; i < end; ++i) times[entry(i)] = time;
  }
  /// The latest of the times from which the sources can be read and the destination can be written again.
  [[gnu::always_inline]] std::uint32_t ready(int warp, const WarpInstruction& instruction) const {
    const std::uint32_t* const times = file(warp);
    const auto& sources = instruction.sources;
    std::uint32_t latest = std::max(times[entry(sources[0])], times[entry(instruction.destination)]);
    std::uint32_t others;
    std::memcpy(&others, &sources[1], sizeof others);
    if (others != none_of_four) {  // a load has one source, most arithmetic two
      // Written out: gcc keeps the loop at -O2, and this runs once per instruction.
      const std::uint32_t first = std::max(times[entry(sources[1])], times[entry(sources[2])]);
      const std::uint32_t second = std::max(times[entry(sources[3])], times[entry(sources[4])]);
      latest = std::max(latest, std::max(first, second));
    }
    if (instruction.destination_count > 1) {
      const int end = std::min(instruction.destination + instruction.destination_count, int{no_register});
      for (int i = instruction.destination + 1; i < end; ++i) latest = std::max(latest, times[entry(i)]);
    }
    return latest;
  }
  /// The registers of a warp will be asked for soon.
  void expect(int warp) const { __builtin_prefetch(file(warp)); }

 private:
  static constexpr std::size_t registers_per_warp = 256;            // 255 = no_register, always ready
  static constexpr std::uint32_t none_of_four = ~std::uint32_t{0};  // four times no_register
  static_assert(no_register == 0xff);

  // Entry 0 is no_register, so that it shares the cache line of the lowest registers.
  static std::size_t entry(int reg) { return static_cast<std::uint8_t>(reg + 1); }
  std::uint32_t* file(int warp) { return &times_[static_cast<std::size_t>(warp) * registers_per_warp]; }
  const std::uint32_t* file(int warp) const {
    return &times_[static_cast<std::size_t>(warp) * registers_per_warp];
  }

  std::vector<std::uint32_t> times_;
};

}  // namespace strata
