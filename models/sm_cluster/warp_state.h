#pragma once

#include "models/common/units.h"
#include "models/sm_cluster/decoded_instruction.h"

namespace strata {

/// A warp of an SM between its launch and its end, with its table of loads. One cache line holds all that an
/// issue or an answer needs, the first five loads included.
struct alignas(64) WarpState {
  static constexpr int most_loads = 32;

  /// Whether an entry is of asynchronous copies that the same instruction waits for, and takes more of them.
  enum class Copies : std::uint8_t { none, open, closed };

  /// A load in flight. `reader` is the number of instructions that the warp has left when the first reader of
  /// the result is next, 0 when there is none.
  struct Load {
    std::uint32_t reader;
    std::uint16_t lines_left;
    Copies copies;
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
    load.lines_left = static_cast<std::uint16_t>(lines);
    load.copies = Copies::none;
    load.reader = first_use != 0 && left > first_use ? left - first_use : 0;
    if (load.reader > reader) reader = load.reader;
  }
  /// The next instruction is an asynchronous copy of so many lines: the entry of those under way that the
  /// same instruction waits for, or a free one of `entries`; -1 when there is none.
  int begin_copy(unsigned lines, std::uint32_t first_use, std::uint32_t entries) {
    const std::uint32_t waiter = first_use != 0 && left > first_use ? left - first_use : 0;
    for (std::uint32_t busy = loads_busy; busy != 0; busy &= busy - 1) {
      Load& load = loads[__builtin_ctz(busy)];
      if (load.copies != Copies::open || load.reader != waiter || load.lines_left + lines > 0xffff) continue;
      load.lines_left = static_cast<std::uint16_t>(load.lines_left + lines);
      return __builtin_ctz(busy);
    }
    const std::uint32_t free = entries & ~loads_busy;
    if (free == 0) return -1;
    const auto entry = static_cast<unsigned>(__builtin_ctz(free));
    begin_load(entry, lines, first_use);
    loads[entry].copies = Copies::open;
    return static_cast<int>(entry);
  }
  /// Entries with asynchronous copies. Later copies take others.
  std::uint32_t close_copies() {
    std::uint32_t entries = 0;
    for (std::uint32_t busy = loads_busy; busy != 0; busy &= busy - 1) {
      Load& load = loads[__builtin_ctz(busy)];
      if (load.copies == Copies::none) continue;
      load.copies = Copies::closed;
      entries |= busy & ~(busy - 1);
    }
    return entries;
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
