#pragma once

#include "models/common/instruction_source.h"
#include "models/common/units.h"

namespace strata {

/// A warp of an SM between its launch and its end, with its table of loads. One cache line holds all that an
/// issue or an answer needs, the first two loads included.
struct alignas(64) WarpState {
  static constexpr int most_loads = 32;
  static constexpr std::uint32_t by_registers = ~0U;

  /// A load in flight. `reader` is the number of instructions that the warp has left when the first reader of
  /// the result is next; by_registers when the registers tell.
  struct Load {
    std::uint32_t reader;
    std::uint8_t lines_left;
    std::uint8_t destination;
    std::uint8_t destination_count;
  };

  const WarpInstruction* next = nullptr;  ///< in its window
  std::uint32_t left = 0;                 ///< instructions from `next` on
  /// Must not issue once no more than these are left: the first reader of a load in flight.
  std::uint32_t reader = 0;
  Cycle start = 0;  ///< register times count from here
  Cycle wake = 0;
  std::uint32_t loads_busy = 0;  ///< entries of its load table in use
  std::uint16_t queued = 0;      ///< its instructions in the load/store queue
  std::uint8_t cta = 0;
  std::uint8_t scheduler = 0;
  std::uint8_t position = 0;  ///< in its scheduler
  Load loads[most_loads];

  /// The next instruction, a load, is in flight as `entry`. False when registers must tell of its result.
  [[gnu::always_inline]] bool begin_load(int entry) {
    Load& load = loads[entry];
    loads_busy |= 1U << entry;
    load.lines_left = 0;  // set when the queue merges it
    load.destination = next->destination;
    load.destination_count = next->destination_count;
    load.reader = by_registers;
    if (next->first_use == unknown_distance) return false;
    load.reader = left > next->first_use ? left - next->first_use : 0;
    if (load.reader > reader) reader = load.reader;
    return true;
  }
  /// Its result is there; likewise.
  [[gnu::always_inline]] bool end_load(int entry) {
    loads_busy &= ~(1U << entry);
    const std::uint32_t ended = loads[entry].reader;
    if (ended == by_registers) return false;
    if (ended != reader) return true;
    reader = 0;
    for (std::uint32_t busy = loads_busy; busy != 0; busy &= busy - 1) {
      const std::uint32_t other = loads[__builtin_ctz(busy)].reader;
      if (other != by_registers && other > reader) reader = other;
    }
    return true;
  }
};

}  // namespace strata
