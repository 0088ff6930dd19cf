#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/sm_cluster/load_store_unit.h"
#include "models/sm_cluster/occupancy.h"
#include "models/sm_cluster/sm_cluster_params.h"
#include "models/sm_cluster/sm_cluster_stats.h"
#include "models/sm_cluster/warp_scheduler.h"

namespace strata {

/// One SM: resident CTAs, warps, schedulers, scoreboard and load/store queue. No SystemC.
///
/// In a cycle the owner calls begin(), then, if line_waiting() and the link to the L1 is free, sends the line
/// and calls line_sent(), then issue(); next_wake() names the next cycle in which something can happen by
/// itself. Warps issue in order. After each issue the core looks at the operands of the warp's next
/// instruction, so that a warp is ready, asleep until a known cycle, or waiting for an event: nothing is
/// polled.
class SmCore {
 public:
  /// A resident CTA: what its accesses carry.
  struct Cta {
    PackedCta trace;
    const KernelInfo* kernel = nullptr;
    std::uint64_t slots = 0;    // warp slots it holds, until its end
    std::uint64_t arrived = 0;  // of those: at the barrier
    int live = 0;               // warps that have not ended
    std::uint32_t index =
        0;  // of the CTA in its kernel, and of the kernel: copies, since every access wants them
    std::uint32_t kernel_id = 0;
    std::uint8_t application = 0;
  };

  SmCore(const SmClusterParams& params, SmClusterStats& stats);

  /// Count there from now on; before simulation starts.
  void count_into(SmClusterStats& stats) { stats_ = &stats; }
  const Occupancy& occupancy() const { return occupancy_; }
  /// Start a CTA; its warps can issue from now + 1 on.
  void launch(const KernelInfo& kernel, const CtaTrace& trace, Cycle now);

  /// Take the answers that are due and wake the warps whose time has come.
  void begin(Cycle now) {
    if (!answers_.empty() && answers_.front().due <= now) take_answers(answers_, stats_->round_trips, now);
    if (!hits_.empty() && hits_.front().due <= now) take_answers(hits_, stats_->answered_at_once, now);
    if ((ring_occupied_ & bit(static_cast<int>(now % ring_cycles))) != 0) wake_due(now);
  }
  /// A line access waits for its turn at the L1 in this cycle: line(), op() and cta() say which.
  bool line_waiting(Cycle now) { return lsu_.has_turn(now) && (lsu_.merged() || merge_next(now)); }
  const MemoryOp& op() const { return lsu_.head(); }
  const Cta& cta() const { return ctas_[lsu_.head().cta_slot]; }
  const LineAccess& line() const { return lsu_.line(); }
  /// First cycle in which the line could have left if the link had been free.
  Cycle turn() const { return lsu_.turn(); }
  void line_sent(Cycle now);
  /// Each scheduler issues at most one instruction.
  void issue(Cycle now);
  /// Next cycle with something to do, `never` when only an answer can help. Lines and answers() not included.
  Cycle next_wake(Cycle now) const;
  /// The same for a core that does not issue.
  Cycle next_event(Cycle now) const;
  /// Issue stops in cycle `now`, or goes on: cycles without issue between are the stall's.
  void stop(Cycle now);
  void go_on(Cycle now);

  /// An access was answered by the L1 in cycle `at`: its result can be read from at + 1 on.
  void answer(Cycle at, std::uint8_t warp, std::uint8_t slot) {
    answers_.push({at + 1, warp, slot});
    expect_answer(warp);
  }
  /// An access will be answered at `at`, known when it was sent.
  void answer_at_once(Cycle at, std::uint8_t warp, std::uint8_t slot) {
    // An L1 has one hit latency, so the order is that of sending; a foreign target may answer out of order.
    const bool ordered = hits_.empty() || hits_.back().due <= at + 1;
    hits_.push({at + 1, warp, slot});
    if (!ordered) sort_last_hit();
  }

  /// Kernel id of a CTA that has ended since the last call, oldest first; false when there is none.
  bool take_finished(std::uint32_t& kernel);
  bool has_finished() const { return !finished_.empty(); }
  /// No CTA resident and every access answered.
  bool drained() const { return occupancy_.ctas() == 0 && in_flight_ == 0; }
  int lines_in_flight() const { return in_flight_; }
  const LoadStoreUnit& lsu() const { return lsu_; }

  /// Warps by what they wait for, for the wait-for graph.
  struct Waiting {
    int memory, lsu, barrier;
  };
  Waiting waiting() const;
  /// Bring the cycle counters up to `now`.
  void settle(Cycle now);

 private:
  using Mask = std::uint64_t;
  static constexpr int registers_per_warp = 256;  // 255 = no_register, always ready
  static constexpr std::uint32_t pending = ~0U;   // result of a load in flight
  static constexpr Cycle ring_cycles = 64;
  static constexpr std::size_t max_schedulers = 4;
  static constexpr int most_loads = 32;        // of a warp
  static constexpr std::uint32_t window = 16;  // instructions of a warp that lie unpacked

  /// A load in flight. `reader` is the number of instructions that the warp has left when the first reader of
  /// the result is next; by_registers when the registers tell.
  struct LoadSlot {
    std::uint32_t reader;
    std::uint8_t lines_left;
    std::uint8_t destination;
    std::uint8_t destination_count;
  };
  static constexpr std::uint32_t by_registers = ~0U;

  // One cache line with all that an issue or an answer needs, the first two loads included.
  struct alignas(64) Warp {
    const WarpInstruction* next = nullptr;  // in its window
    std::uint32_t left = 0;                 // instructions from `next` on
    std::uint32_t reader =
        0;            // must not issue once no more than these are left: first reader of a load in flight
    Cycle start = 0;  // register times count from here
    Cycle wake = 0;
    std::uint32_t loads_busy = 0;  // entries of its load table in use
    std::uint16_t queued = 0;      // its instructions in the load/store queue
    std::uint8_t cta = 0;
    std::uint8_t scheduler = 0;
    std::uint8_t position = 0;  // in its scheduler
    LoadSlot loads[most_loads];
  };
  struct Answer {
    Cycle due;
    std::uint8_t warp;
    std::uint8_t slot;
  };

  static Mask bit(int n) { return Mask{1} << n; }
  // A warp's register times. Entry 0 is no_register, so that it shares the cache line of the lowest
  // registers.
  std::uint32_t* registers(int slot) {
    return &registers_[static_cast<std::size_t>(slot) * registers_per_warp];
  }
  static std::size_t entry(int reg) { return static_cast<std::uint8_t>(reg + 1); }
  Warp& warp_at(int slot) { return warps_[static_cast<std::size_t>(slot)]; }

  /// Ask for what the warp's next answer and issue will touch: its turn comes when many others have passed.
  void expect_answer(int slot) const {
    const Warp& warp = warps_[static_cast<std::size_t>(slot)];
    __builtin_prefetch(warp.next);
    __builtin_prefetch(&registers_[static_cast<std::size_t>(slot) * registers_per_warp]);
  }
  Cycle next_timed(Cycle now) const;
  /// Unpack what comes next: up to a number of instructions left that is a whole number of windows.
  void fill_window(int slot);
  void take_answers(RingQueue<Answer>& answers, std::uint64_t& counter, Cycle now);
  void sort_last_hit();
  void wake_due(Cycle now);
  bool merge_next(Cycle now);
  void try_issue(WarpScheduler& scheduler, int position, Cycle now);
  bool issue_sfu(WarpScheduler& scheduler, int slot, int weight, Cycle now);
  bool issue_shared(WarpScheduler& scheduler, int slot, Cycle now);
  bool issue_memory(WarpScheduler& scheduler, int slot, Cycle now);
  void track_load(Warp& warp, int slot, int entry, const WarpInstruction& instruction);
  void write_result(int slot, const Warp& warp, const WarpInstruction& instruction, Cycle ready);
  void mark_registers(int slot, int first, int count, std::uint32_t value);
  void arrive(int slot, Cycle now);
  void release_barrier(Cta& cta, Cycle now);

  std::uint32_t operands_ready(int slot, const WarpInstruction& instruction) const;
  void schedule(int slot, Cycle from, Cycle immediate, Cycle now);
  void sleep(int slot, Cycle until, Cycle now);
  void wake(int slot, Cycle now);
  void complete(const Answer& answer, Cycle now);
  void finish_load(int warp, int slot, Cycle now);
  void end_load(int warp, int slot, Cycle now);
  void leave_queue(Cycle now);
  void end_of_stream(int slot, Cycle now);
  void retire(int slot, Cycle now);
  void end_cta(int index, Cycle now);
  // Called when warps were taken out of the ready ones: when none is left, the idle cycles that follow have a
  // reason.
  void note_idle(WarpScheduler& scheduler, Cycle now) {
    if (!scheduler.any_ready(!lsu_.full())) begin_idle(scheduler, now);
  }
  void begin_idle(WarpScheduler& scheduler, Cycle now);
  void account_idle(WarpScheduler& scheduler, Cycle now) {
    if (now <= scheduler.free_at) return;
    stats_->idle[static_cast<std::size_t>(scheduler.idle)] += now - scheduler.free_at;
    scheduler.free_at = now;
  }
  Idle idle_reason(const WarpScheduler& scheduler) const;

  SmClusterStats* stats_;
  const bool gto_;
  const int alu_latency_;
  const unsigned alu_interval_;
  const int sfu_latency_;
  const int sfu_interval_;
  const int shared_latency_;
  std::uint32_t load_entries_;  // mask of the usable load table entries

  // What every visit reads comes first and lies together.
  int scheduler_count_;
  int in_flight_ = 0;
  RingQueue<Answer> answers_;
  RingQueue<Answer> hits_;
  Mask resident_ = 0;
  Mask free_slots_;
  Mask sleeping_ = 0;
  Mask waiting_memory_ = 0;
  Mask at_barrier_ = 0;
  Mask draining_ = 0;  // at the end of their instructions, loads or queued stores left
  Mask ring_occupied_ = 0;
  std::array<WarpScheduler, max_schedulers> schedulers_;
  std::array<Mask, ring_cycles> ring_{};  // warps that wake in cycle % 64
  std::vector<Warp> warps_;
  std::vector<std::uint32_t> registers_;  // per warp: cycle since its start from which a register can be read
  LoadStoreUnit lsu_;
  Cycle shared_free_ = 0;
  Occupancy occupancy_;
  std::vector<Cta> ctas_;
  InstructionForms forms_;  // of all resident CTAs
  std::vector<PackedCta::Reader> readers_;
  std::vector<WarpInstruction> windows_;
  CtaTrace list_;  // addresses of a shared memory access
  Mask free_ctas_;
  RingQueue<std::uint32_t> finished_;
  Cycle active_since_ = 0;
  bool stopped_ = false;
};

}  // namespace strata
