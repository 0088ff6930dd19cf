#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// Registers of a warp's instructions as a trace names them. Of loads from PTX it is known how far away the
/// first reader is, and no register: each gets registers that nothing else uses from there to its reader, and
/// the reader names the first of them as a source. Registers that an instruction names already stay. Of loads
/// from shared memory not even the distance is known, and still each must write a register: Accel-Sim counts
/// such a load when its result is written, and one without a destination never. They take turns in the upper
/// registers, which nobody reads.
class RegisterPlan {
 public:
  static constexpr std::size_t most_sources = 4;  // that Accel-Sim takes

  /// No instruction writes it: who names it as a source waits for nothing.
  static constexpr std::uint8_t never_written = 254;

  /// Loads from shared memory without a register of their own write these in turn, from the first on: so
  /// many that the last load to the same register has ended when it comes again.
  static constexpr unsigned first_shared = 190, end_shared = never_written;

  struct Named {
    std::uint8_t destination = no_register;
    std::uint8_t count = 0;  ///< of `sources`
    std::array<std::uint8_t, most_sources> sources{};
  };

  /// Of the instructions [begin, end) of a thread block.
  void begin(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end);
  /// Of the next record: for the first instruction that it stands for.
  Named next();
  /// Further sources of the record before, for each instruction that it stands for behind the first.
  Named more();

  /// Sources that were more than a trace holds: the wait for a load went to the next instruction, and others
  /// were dropped.
  std::uint64_t waits_moved() const { return waits_moved_; }
  std::uint64_t sources_dropped() const { return sources_dropped_; }
  /// Loads whose results nobody waits for, as all registers were in use.
  std::uint64_t without_register() const { return without_register_; }

 private:
  struct Load {
    std::uint32_t reader;  // of the warp's records
    std::uint8_t first, count;
  };

  void add_due(Named& named);
  std::uint8_t take(const WarpInstruction& load, std::uint32_t distance);
  std::uint8_t take_in_turn(const WarpInstruction& load);

  const CtaTrace* cta_ = nullptr;
  std::uint32_t begin_ = 0, end_ = 0, at_ = 0;
  unsigned next_shared_ = first_shared;
  std::bitset<no_register> busy_;  // named by the warp's instructions, or of a load that waits for its reader
  std::vector<Load> loads_;        // these, in the order in which they were issued
  std::uint64_t waits_moved_ = 0, sources_dropped_ = 0, without_register_ = 0;
};

/// A load, or an atomic that returns something, for which only the distance to its first reader is known.
constexpr bool reader_is_counted(const WarpInstruction& i) {
  return touches_global_memory(i.op) && i.op != OpClass::store && !i.async && i.first_use != unknown_distance;
}

}  // namespace strata::traces
