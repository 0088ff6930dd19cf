#pragma once

#include "models/common/coalesce.h"
#include "models/common/ring_queue.h"
#include "models/common/units.h"
#include "models/sm_cluster/decoded_instruction.h"

namespace strata {

/// A memory instruction in an SM's load/store queue.
struct MemoryOp {
  InstructionWord instruction{0};
  const InstructionWord::Word* lines = nullptr;
  Cycle entered = never;      ///< cycle of issue: where the latency of its line accesses begins
  std::uint8_t warp = 0;      ///< warp slot
  std::uint8_t slot = 0;      ///< entry in the warp's table of loads, or no_load_slot
  std::uint8_t cta_slot = 0;  ///< place of its CTA in the SM
};

constexpr std::uint8_t no_load_slot = 255;  ///< stores, atomics and loads without a result

/// Load/store queue of one SM: a FIFO of memory instructions of whose head line accesses leave, one a cycle
/// unless there may be more.
class alignas(64) LoadStoreUnit {
 public:
  /// `counts_spare`: lines come with the number of their spare words; `finds_parts`: with their parts.
  LoadStoreUnit(int depth, unsigned line_bytes, bool counts_spare, bool finds_parts = false)
      : room_(depth),
        address_bits_(~(Word{line_bytes - 1} | bits_from(counts_spare, InstructionWord::spare_shift) |
                        bits_from(finds_parts, InstructionWord::part_shift))),
        behind_(static_cast<std::size_t>(depth)),
        spare_bits_(bits_from(counts_spare, InstructionWord::spare_shift)),
        part_bits_(bits_from(finds_parts, InstructionWord::part_shift)),
        depth_(depth) {}

  bool full() const { return room_ == 0; }
  bool empty() const { return head_.entered == never; }
  int size() const { return depth_ - room_; }
  void push(const MemoryOp& op) {
    hold_place();
    enter(op);
  }
  /// For an instruction that waits elsewhere until it enters: behind those that have entered by then.
  void hold_place() { --room_; }
  void enter(const MemoryOp& op) {
    if (!empty()) return behind_.push(op);
    begin(op);
  }

  const MemoryOp& head() const { return head_; }
  /// An instruction that entered in `now` has its first turn in the next cycle.
  bool has_turn(Cycle now) const { return head_.entered < now; }
  /// The present line is the head's last.
  bool is_last_line() const { return left_ == 1; }
  /// False when no lane of the head has an address.
  bool has_line() const { return left_ != 0; }
  LineAccess line() const {
    return {line_ & address_bits_, static_cast<std::uint8_t>(line_ & ~address_bits_),
            static_cast<std::uint8_t>((line_ & spare_bits_) >> InstructionWord::spare_shift),
            static_cast<std::uint16_t>((line_ & part_bits_) >> InstructionWord::part_shift)};
  }
  /// Of the present line of an atomic.
  AtomicLanes atomic_lanes() const {
    return InstructionWord::lanes_of(head_.lines, head_.instruction.line_count(head_.lines) - left_);
  }
  /// First cycle in which the present line could have left: the waiting before is the queue's, after it the
  /// link's.
  Cycle turn() const { return turn_; }
  /// The present line left in `now`; true when it was the head's last.
  bool sent(Cycle now) {
    turn_ = now + 1;
    if (--left_ == 0) return true;
    line_ = list_ != nullptr ? *++list_ : line_ + distance_;
    return false;
  }
  /// Another one may leave in the cycle in which the last one has left.
  void go_on(Cycle now) { turn_ = now; }
  void pop() {
    ++room_;
    if (behind_.empty()) {
      head_.entered = never;
      return;
    }
    begin(behind_.front());
    behind_.pop();
  }

 private:
  using Word = InstructionWord::Word;

  static Word bits_from(bool any, unsigned shift) { return any ? ~Word{0} << shift : 0; }

  void begin(const MemoryOp& op) {
    head_ = op;
    if (turn_ <= op.entered) turn_ = op.entered + 1;
    const InstructionWord instruction = op.instruction;
    const Word* const lines = op.lines;
    if (instruction.is_short_line()) {
      left_ = 1;
      line_ = *lines;
      return;
    }
    left_ = instruction.line_count(lines);
    if (left_ == 0) return;
    list_ = instruction.form() == LineForm::list ? lines + 1 : nullptr;
    line_ = list_ != nullptr ? *list_ : *lines;
    if (instruction.form() == LineForm::row)
      distance_ = static_cast<Word>(static_cast<std::int64_t>(lines[1]) >> 8);
  }

  // What usual accesses of a line need fills a cache line.
  MemoryOp head_;  // entered never: there is none
  Cycle turn_ = 0;
  int room_;
  unsigned left_ = 0;  // lines, the present one included
  Word line_ = 0;      // the present one, as instructions hold it
  const Word address_bits_;
  RingQueue<MemoryOp> behind_;
  const Word* list_ = nullptr;  // where the present line lies, unless the lines are a row
  Word distance_ = 0;           // from line to line of a row
  const Word spare_bits_, part_bits_;
  const int depth_;
};

}  // namespace strata
