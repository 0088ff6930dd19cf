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
    std::shared_ptr<const traces::CtaTrace> trace;
    const traces::KernelInfo* kernel = nullptr;
    std::uint64_t slots = 0;    // warp slots it holds, until its end
    std::uint64_t arrived = 0;  // of those: at the barrier
    int live = 0;               // warps that have not ended
  };

  SmCore(const SmClusterParams& params, SmClusterStats& stats);

  const Occupancy& occupancy() const { return occupancy_; }
  /// Start a CTA; its warps can issue from now + 1 on.
  void launch(const traces::KernelInfo& kernel, std::shared_ptr<const traces::CtaTrace> trace, Cycle now);

  /// Take the answers that are due and wake the warps whose time has come.
  void begin(Cycle now);
  /// A line access waits for its turn at the L1 in this cycle: line(), op() and cta() say which.
  bool line_waiting(Cycle now);
  const MemoryOp& op() const { return lsu_.head(); }
  const Cta& cta() const { return ctas_[warps_[lsu_.head().warp].cta]; }
  const traces::LineAccess& line() const { return lsu_.line(); }
  /// First cycle in which the line could have left if the link had been free.
  Cycle turn() const { return lsu_.turn(); }
  void line_sent(Cycle now);
  /// Each scheduler issues at most one instruction.
  void issue(Cycle now);
  /// Next cycle with something to do, `never` when only an answer can help. Lines and answers() not included.
  Cycle next_wake(Cycle now) const;

  /// An access was answered by the L1 in cycle `at`: its result can be read from at + 1 on.
  void answer(Cycle at, std::uint8_t warp, std::uint8_t slot) { answers_.push({at + 1, warp, slot}); }
  /// An access will be answered at `at`, known when it was sent.
  void answer_at_once(Cycle at, std::uint8_t warp, std::uint8_t slot);

  /// Kernel id of a CTA that has ended since the last call, oldest first; false when there is none.
  bool take_finished(std::uint32_t& kernel);
  bool has_finished() const { return !finished_.empty(); }
  /// True once for each answered flush.
  bool take_flush_answer();
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

  struct alignas(64) Warp {
    const traces::WarpInstruction* next = nullptr;
    const traces::WarpInstruction* end = nullptr;
    const traces::WarpInstruction* first_reader =
        nullptr;      // must not issue: reader of a load in flight, or end
    Cycle start = 0;  // register times count from here
    Cycle wake = 0;
    std::uint32_t loads_busy = 0;  // entries of its load table in use
    std::uint16_t queued = 0;      // its instructions in the load/store queue
    std::uint8_t cta = 0;
    std::uint8_t scheduler = 0;
  };
  struct LoadSlot {
    const traces::WarpInstruction* reader;  // null: tracked by registers
    std::uint16_t lines_left;
    std::uint8_t destination;
    std::uint8_t destination_count;
  };
  struct Answer {
    Cycle due;
    std::uint8_t warp;
    std::uint8_t slot;
  };

  static Mask bit(int n) { return Mask{1} << n; }
  std::uint32_t* registers(int slot) {
    return &registers_[static_cast<std::size_t>(slot) * registers_per_warp];
  }
  LoadSlot& load_slot(int warp, int slot) {
    return load_slots_[static_cast<std::size_t>(warp * loads_per_warp_ + slot)];
  }

  void try_issue(WarpScheduler& scheduler, int position, Cycle now);
  bool issue_sfu(WarpScheduler& scheduler, int slot, int weight, Cycle now);
  bool issue_shared(WarpScheduler& scheduler, int slot, Cycle now);
  bool issue_memory(WarpScheduler& scheduler, int slot, Cycle now);
  void track_load(Warp& warp, int slot, int entry, const traces::WarpInstruction& instruction);
  void write_result(int slot, const Warp& warp, const traces::WarpInstruction& instruction, Cycle ready);
  void mark_registers(int slot, int first, int count, std::uint32_t value);
  void arrive(int slot, Cycle now);
  void release_barrier(Cta& cta, Cycle now);

  std::uint32_t operands_ready(int slot, const traces::WarpInstruction& instruction) const;
  void schedule(int slot, Cycle from, Cycle immediate, Cycle now);
  void sleep(int slot, Cycle until, Cycle now);
  void wake(int slot, Cycle now);
  void complete(const Answer& answer, Cycle now);
  void finish_load(int warp, int slot, Cycle now);
  void leave_queue(Cycle now);
  void end_of_stream(int slot, Cycle now);
  void retire(int slot, Cycle now);
  void end_cta(int index, Cycle now);
  void account_idle(WarpScheduler& scheduler, Cycle now);
  void note_idle(WarpScheduler& scheduler, Cycle now);
  Idle idle_reason(const WarpScheduler& scheduler) const;

  SmClusterStats& stats_;
  const bool gto_;
  const int alu_latency_;
  const int sfu_latency_;
  const int sfu_interval_;
  const int shared_latency_;
  const int loads_per_warp_;
  std::uint32_t load_entries_;  // mask of the usable load table entries

  std::vector<WarpScheduler> schedulers_;
  std::vector<Mask> scheduler_slots_;
  Mask resident_ = 0;
  Mask free_slots_;
  Mask sleeping_ = 0;
  Mask waiting_memory_ = 0;
  Mask at_barrier_ = 0;
  Mask draining_ = 0;  // at the end of their instructions, loads or queued stores left
  Mask ring_occupied_ = 0;
  std::array<Mask, ring_cycles> ring_{};  // warps that wake in cycle % 64
  std::array<std::uint8_t, WarpScheduler::positions> position_{};
  std::vector<Warp> warps_;
  std::vector<std::uint32_t> registers_;  // per warp: cycle since its start from which a register can be read
  std::vector<LoadSlot> load_slots_;
  RingQueue<Answer> answers_;
  RingQueue<Answer> hits_;
  LoadStoreUnit lsu_;
  Cycle shared_free_ = 0;
  int in_flight_ = 0;
  int flush_answers_ = 0;
  Occupancy occupancy_;
  std::vector<Cta> ctas_;
  Mask free_ctas_;
  RingQueue<std::uint32_t> finished_;
  Cycle active_since_ = 0;
};

}  // namespace strata
