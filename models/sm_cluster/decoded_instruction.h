#pragma once

#include <cstdint>
#include <cstring>

#include "models/common/atomic_lanes.h"
#include "models/sm_cluster/unit_mix.h"

namespace strata {

/// How the line accesses of a memory instruction are written.
enum class LineForm : std::uint8_t {
  none,  // no lane has an address
  one,   // a line, and the first use is near
  row,   // the first of several lines that lie equally far apart, and in one word their distance and number
  list,  // their number, and each of them; of an atomic its lanes behind them
};

/// All that the issue of a warp instruction needs, its lines apart. These are words elsewhere, each the
/// address of a line with the touched sectors in the low bits, which are as many as sectors need, and where
/// spare words are counted with their number in the bits from `spare_shift` on, or where accesses name parts
/// with these from `part_shift` on.
class InstructionWord {
 public:
  using Word = std::uint64_t;
  static constexpr unsigned far = 255;  ///< in place of a distance that is written elsewhere
  static constexpr unsigned spare_shift = 58;
  static constexpr unsigned part_shift = 48;
  static constexpr unsigned passes_shift = 60;
  static constexpr Word local_bit = Word{1} << 63, async_bit = Word{1} << 62, bulk_bit = Word{1} << 61;
  static constexpr std::uint32_t pc_mask = (1U << 29) - 1;  ///< a kernel's code has at most 512 MiB

  explicit InstructionWord(Word word) : word_(word) {}

  OpClass op() const { return static_cast<OpClass>(word_ & 15); }
  /// It may have to wait for a result of fixed latency.
  bool waits() const { return (word_ & 1U << 4) != 0; }
  bool non_coherent() const { return (word_ & 1U << 5) != 0; }
  bool bypass_l1() const { return (word_ & 1U << 6) != 0; }
  /// A load, or an atomic whose result is wanted.
  bool returns() const { return (word_ & 1U << 7) != 0; }
  /// Of all that does not touch global memory: a SyncWord follows.
  bool syncs() const { return (word_ & 1U << 7) != 0; }
  /// A load for which any copy of the line will do.
  bool plain_load() const {
    return !bypass_l1() && (op() == OpClass::load || op() == OpClass::read_only_load);
  }
  unsigned weight() const { return word_ >> 8 & 0xff; }
  /// Issue slots that it takes, where one of arithmetic takes so many.
  Cycle slots(unsigned alu) const { return op() == OpClass::alu ? weight() * alu : weight(); }
  unsigned lanes() const { return word_ >> 16 & 0x3f; }
  /// An access of one line whose first use is near.
  bool is_short_line() const { return (word_ & 3U << 22) == 1U << 22; }
  LineForm form() const { return static_cast<LineForm>(word_ >> 22 & 3); }
  /// How many instructions later the first one comes that needs the result, 0 for none; `far`: see elsewhere.
  std::uint32_t near_use() const { return word_ >> 24 & 0xff; }
  /// Of a memory instruction.
  std::uint32_t pc() const { return static_cast<std::uint32_t>(word_ >> 32) & pc_mask; }
  /// Of a memory instruction: of local memory; a copy to shared memory that only a Sync waits for; one of the
  /// copy engine.
  bool is_marked() const { return (word_ & (local_bit | async_bit | bulk_bit)) != 0; }  ///< any of these
  bool local() const { return (word_ & local_bit) != 0; }
  bool async() const { return (word_ & async_bit) != 0; }
  bool bulk() const { return (word_ & bulk_bit) != 0; }
  /// Of a shared memory instruction: cycles after the first, and how many of these are not for bank conflicts
  /// but for the number of words.
  unsigned more_cycles() const { return word_ >> 32 & 0xff; }
  unsigned more_passes() const { return word_ >> passes_shift & 7; }
  /// Of all that does not touch global memory: its unit may be busy when it comes.
  bool may_wait() const { return (word_ & 1U << 23) != 0; }
  /// Of all that touches no memory: its unit, or of a mixed run the one whose results take longest.
  Unit unit() const { return static_cast<Unit>(word_ >> 32 & 7); }
  /// Of all that does not touch global memory: a run on several units, some of which may be busy.
  bool is_mixed() const { return (word_ & (1U << 22 | 1U << 7)) == 1U << 22; }

  /// Of a memory instruction whose lines are written at `lines`: how many there are, and what lies behind
  /// them.
  unsigned line_count(const Word* lines) const {
    if (is_short_line()) return 1;
    if (form() == LineForm::none) return 0;
    return static_cast<unsigned>((form() == LineForm::list ? *lines : lines[1]) & 0xff);
  }
  const Word* after_lines(const Word* lines) const {
    if (is_short_line()) return lines + 1;
    if (form() == LineForm::list) return lines + 1 + (*lines & 0xff) + (*lines >> 8);
    return form() == LineForm::none ? lines : lines + 2;
  }
  /// Of an atomic with lines at `lines`, which are a list: the lanes of the i-th.
  static AtomicLanes lanes_of(const Word* lines, unsigned i) {
    AtomicLanes lanes;
    std::memcpy(static_cast<void*>(&lanes), lines + 1 + (*lines & 0xff) + lane_words * i, sizeof lanes);
    return lanes;
  }
  /// The first word of such a list.
  static Word atomic_list(unsigned count) { return Word{count} | Word{lane_words} * count << 8; }
  static constexpr unsigned lane_words = sizeof(AtomicLanes) / sizeof(Word);

 protected:
  Word word_;
};

/// What a synchronizing instruction, or an access to other CTAs' shared memory, does: its Sync with the
/// operand, and where its barrier in shared memory lies, if it has one: lane n of the active ones at
/// `address() + n * stride()`.
class SyncWord {
 public:
  using Word = InstructionWord::Word;
  static constexpr unsigned address_bits = 29, stride_bits = 15;
  /// Addresses name a thread block of the cluster from here on: 1 + its rank; 0: one's own.
  static constexpr unsigned rank_shift = 24;
  /// Lanes lie regularly enough for stride().
  static bool fits(std::int64_t stride) {
    const std::int64_t most = std::int64_t{1} << (stride_bits - 2);
    const std::int64_t steps = stride % rank_step == 0 ? stride / rank_step : stride;
    return steps >= -most && steps < most;
  }

  explicit SyncWord(Word word) : word_(word) {}
  /// Of an access to shared memory that names other CTAs of the cluster: where its parts are written.
  static SyncWord to_others(std::size_t access) {
    return SyncWord(others_mark | static_cast<Word>(access) << 20);
  }
  SyncWord(Sync sync, std::uint16_t operand, Address address, std::int32_t stride)
      : word_(static_cast<Word>(sync) | Word{operand} << 4 |
              (address & ((Word{1} << address_bits) - 1)) << 20 | packed(stride) << (64 - stride_bits)) {}

  Word word() const { return word_; }
  Sync sync() const { return static_cast<Sync>(word_ & 15); }
  std::uint16_t operand() const { return static_cast<std::uint16_t>(word_ >> 4); }
  std::uint32_t address() const {
    return static_cast<std::uint32_t>(word_ >> 20) & ((1U << address_bits) - 1);
  }
  bool goes_to_others() const { return (word_ & 0xfffff) == others_mark; }
  std::size_t remote_access() const { return word_ >> 20; }
  std::int32_t stride() const {
    const std::int64_t steps = static_cast<std::int64_t>(word_) >> (65 - stride_bits);
    return static_cast<std::int32_t>((word_ >> (64 - stride_bits) & 1) != 0 ? steps * rank_step : steps);
  }

 private:
  static constexpr Word others_mark = 0xffff0;  // Sync::none with an operand that nothing else has
  static constexpr std::int64_t rank_step = std::int64_t{1} << rank_shift;
  /// Bytes, or whole ranks: then the lowest bit is set.
  static Word packed(std::int64_t stride) {
    const bool ranks = stride != 0 && stride % rank_step == 0;
    return static_cast<Word>((ranks ? stride / rank_step : stride) * 2 + (ranks ? 1 : 0));
  }
  static_assert(static_cast<unsigned>(Sync::count_) <= 16);
  Word word_;
};

/// A warp instruction where it is written: its word, then for a mixed run how many of its instructions
/// execute where, for a synchronizing one its SyncWord, for an access to global memory the distance to its
/// first use where that is far.
class DecodedInstruction : public InstructionWord {
 public:
  explicit DecodedInstruction(const Word* at) : InstructionWord(*at), at_(at) {}

  InstructionWord word() const { return *this; }
  /// How many instructions later the first one comes that needs the result, 0 for none.
  std::uint32_t first_use() const {
    const unsigned distance = near_use();
    if (distance != far) return distance;
    return touches_global_memory(op()) ? static_cast<std::uint32_t>(at_[1])
                                       : static_cast<std::uint32_t>(word_ >> 40) & 0xfffff;
  }
  /// Of a mixed run.
  UnitMix mix() const { return UnitMix(at_[1]); }
  /// Where syncs().
  SyncWord sync() const { return SyncWord(at_[1]); }
  /// The next instruction.
  const Word* after() const { return touches_global_memory(op()) ? after_access() : after_other(); }
  /// The same where it is known to be an access to global memory, or to be none.
  const Word* after_access() const { return at_ + (near_use() != far ? 1 : 2); }
  const Word* after_other() const { return at_ + 1 + (word_ >> 22 & 1); }

 private:
  const Word* at_;
};

/// Where a warp goes on: its next instruction, and the lines of its next access.
struct DecodedCode {
  using Word = InstructionWord::Word;
  const Word* code = nullptr;
  const Word* lines = nullptr;
};

}  // namespace strata
