#pragma once

#include <cstdint>

#include "models/sm_cluster/unit_mix.h"

namespace strata {

/// How the line accesses of a memory instruction are written behind its first word.
enum class LineForm : std::uint8_t {
  none,  // no lane has an address
  one,   // a line, and the first use is near: two words in all
  row,   // the first of several lines that lie equally far apart, and in one word their distance and number
  list,  // their number, and each of them
};

/// A warp instruction as an SM issues it: a word that holds all that the issue needs. Of a mixed run another
/// one follows, of a memory instruction further words: the distance to its first use where that is far, then
/// its lines, each the address of the line with the touched chunks in the low bits, which are as many as
/// chunks need, and where spare words are counted with their number in the bits from `spare_shift` on, or
/// where accesses name parts with these from `part_shift` on.
class DecodedInstruction {
 public:
  using Word = std::uint64_t;
  static constexpr unsigned far = 255;  ///< in place of a distance that is written elsewhere
  static constexpr unsigned spare_shift = 58;
  static constexpr unsigned part_shift = 48;

  explicit DecodedInstruction(const Word* at) : at_(at), word_(*at) {}

  OpClass op() const { return static_cast<OpClass>(word_ & 15); }
  /// It may have to wait for a result of fixed latency.
  bool waits() const { return (word_ & 1U << 4) != 0; }
  bool non_coherent() const { return (word_ & 1U << 5) != 0; }
  bool bypass_l1() const { return (word_ & 1U << 6) != 0; }
  /// A load, or an atomic whose result is wanted.
  bool returns() const { return (word_ & 1U << 7) != 0; }
  /// A load for which any copy of the line will do.
  bool plain_load() const {
    return !bypass_l1() && (op() == OpClass::load || op() == OpClass::read_only_load);
  }
  unsigned weight() const { return word_ >> 8 & 0xff; }
  /// Issue slots that it takes, where one of arithmetic takes so many.
  Cycle slots(unsigned alu) const { return op() == OpClass::alu ? weight() * alu : weight(); }
  unsigned lanes() const { return word_ >> 16 & 0x3f; }
  /// An access of one line, in two words in all.
  bool is_short_line() const { return (word_ & 3U << 22) == 1U << 22; }
  /// Where that line is written.
  const Word* short_line() const { return at_ + 1; }
  LineForm form() const { return static_cast<LineForm>(word_ >> 22 & 3); }
  /// How many instructions later the first one comes that needs the result, 0 for none.
  std::uint32_t first_use() const {
    const unsigned distance = near_use();
    if (distance != far) return distance;
    return touches_global_memory(op()) ? static_cast<std::uint32_t>(at_[1])
                                       : static_cast<std::uint32_t>(word_ >> 40);
  }
  /// The same where it is not far.
  std::uint32_t near_use() const { return word_ >> 24 & 0xff; }
  /// Of a memory instruction.
  std::uint32_t pc() const { return static_cast<std::uint32_t>(word_ >> 32); }
  /// Of a shared memory instruction: cycles that bank conflicts take.
  unsigned conflict_cycles() const { return word_ >> 32 & 0xff; }
  /// Of all that does not touch global memory: its unit may be busy when it comes.
  bool may_wait() const { return (word_ & 1U << 23) != 0; }
  /// Of all that touches no memory: its unit, or of a mixed run the one whose results take longest.
  Unit unit() const { return static_cast<Unit>(word_ >> 32 & 7); }
  /// A run on several units, some of which may be busy: mix() says how many on which.
  bool is_mixed() const { return (word_ & 1U << 22) != 0; }
  UnitMix mix() const { return UnitMix(at_[1]); }

  /// The next instruction, of one that does not touch global memory.
  const Word* after() const { return at_ + 1 + (word_ >> 22 & 1); }
  /// Of a memory instruction: where its lines are written, how many there are, and the next instruction.
  const Word* lines() const { return at_ + ((word_ >> 24 & 0xff) != far ? 1 : 2); }
  unsigned line_count() const {
    if (is_short_line()) return 1;
    if (form() == LineForm::none) return 0;
    return static_cast<unsigned>(form() == LineForm::list ? *lines() : lines()[1] & 0xff);
  }
  const Word* after_access() const {
    if (is_short_line()) return at_ + 2;
    const Word* const first = lines();
    if (form() == LineForm::list) return first + 1 + *first;
    return form() == LineForm::none ? first : first + 2;
  }

 private:
  const Word* at_;
  Word word_;
};

}  // namespace strata
