#pragma once

#include "models/common/coalesce.h"
#include "models/common/instruction_source.h"
#include "models/common/ring_queue.h"
#include "models/common/units.h"
#include "models/sm_cluster/packed_cta.h"

namespace strata {

/// A memory instruction in an SM's load/store queue.
struct MemoryOp {
  WarpInstruction instruction;
  Cycle entered = 0;          ///< cycle of issue: where the latency of its line accesses begins
  std::uint8_t warp = 0;      ///< warp slot
  std::uint8_t slot = 0;      ///< entry in the warp's table of loads, or no_load_slot
  std::uint8_t cta_slot = 0;  ///< place of its CTA in the SM
};

constexpr std::uint8_t no_load_slot = 255;  ///< stores, atomics and loads without a result

/// Load/store queue of one SM: a FIFO of memory instructions of which the head is merged into line accesses,
/// one of which leaves per cycle.
class LoadStoreUnit {
 public:
  LoadStoreUnit(int depth, unsigned line_bytes)
      : depth_(static_cast<std::size_t>(depth)), line_bytes_(line_bytes), queue_(depth_) {}

  bool full() const { return queue_.size() >= depth_; }
  bool empty() const { return queue_.empty(); }
  int size() const { return static_cast<int>(queue_.size()); }
  void push(const MemoryOp& op) { queue_.push(op); }

  const MemoryOp& head() const { return queue_.front(); }
  /// An instruction that entered in `now` has its first turn in the next cycle.
  bool has_turn(Cycle now) const { return !queue_.empty() && queue_.front().entered < now; }
  /// True once the head is merged.
  bool merged() const { return merged_; }
  /// Merge the head, an instruction of `cta`: how many line accesses it makes (0 when no lane has an
  /// address).
  int merge(const PackedCta& cta) {
    MemoryOp& op = queue_.front();
    if (coalesce_to_one(op.instruction, line_bytes_, lines_.lines[0])) {
      lines_.count = 1;
    } else {
      cta.unpack_list(op.instruction, list_);
      coalesce(op.instruction, list_, line_bytes_, lines_);
    }
    merged_ = true;
    next_ = 0;
    const Cycle first = op.entered + 1;
    if (turn_ < first) turn_ = first;
    return lines_.count;
  }
  const LineAccess& line() const { return lines_.lines[static_cast<std::size_t>(next_)]; }
  /// First cycle in which the present line could have left: the waiting before is the queue's, after it the
  /// link's.
  Cycle turn() const { return turn_; }
  /// The present line left in `now`; true when it was the head's last.
  bool sent(Cycle now) {
    turn_ = now + 1;
    return ++next_ >= lines_.count;
  }
  void pop() {
    queue_.pop();
    merged_ = false;
  }

 private:
  std::size_t depth_;
  unsigned line_bytes_;
  bool merged_ = false;
  int next_ = 0;
  Cycle turn_ = 0;
  RingQueue<MemoryOp> queue_;
  LineAccesses lines_;
  CtaTrace list_;  // addresses of the head
};

}  // namespace strata
