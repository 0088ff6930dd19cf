#pragma once

#include "models/common/units.h"
#include "models/sm_cluster/decoded_instruction.h"

namespace strata {

/// A warp of an SM between its launch and its end, with its table of loads. One cache line holds all that an
/// issue or an answer needs, the first five loads included.
struct alignas(64) WarpState {
  static constexpr int most_loads = 32;

  /// A load in flight. `reader` is the number of instructions that the warp has left when the first reader of
  /// the result is next, 0 when there is none.
  struct Load {
    std::uint32_t reader;
    std::uint8_t lines_left;
  };

  std::uint32_t left = 0;  ///< instructions from the next one on
  /// Must not issue once no more than these are left: the first reader of a load in flight.
  std::uint32_t reader = 0;
  Cycle wake = 0;                ///< it does not issue before
  std::uint32_t loads_busy = 0;  ///< entries of its load table in use
  std::uint8_t queued = 0;       ///< its instructions in the load/store queue
  std::uint8_t cta = 0;
  std::uint8_t scheduler = 0;
  std::uint8_t position = 0;  ///< in its scheduler
  Load loads[most_loads];

  /// The next instruction, a load of so many lines, is in flight as `entry`.
  [[gnu::always_inline]] void begin_load(unsigned entry, unsigned lines, std::uint32_t first_use) {
    Load& load = loads[entry];
    loads_busy |= 1U << entry;
    load.lines_left = static_cast<std::uint8_t>(lines);
    load.reader = first_use != 0 && left > first_use ? left - first_use : 0;
    if (load.reader > reader) reader = load.reader;
  }
  /// Its result is there.
  [[gnu::always_inline]] void end_load(unsigned entry) {
    loads_busy &= ~(1U << entry);
    const std::uint32_t ended = loads[entry].reader;
    if (ended == 0 || ended != reader) return;
    reader = 0;
    for (std::uint32_t busy = loads_busy; busy != 0; busy &= busy - 1) {
      const std::uint32_t other = loads[__builtin_ctz(busy)].reader;
      if (other > reader) reader = other;
    }
  }
};

}  // namespace strata
