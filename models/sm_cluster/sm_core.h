#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "models/common/time_queue.h"
#include "models/common/turn_ring.h"
#include "models/sm_cluster/cluster_barriers.h"
#include "models/sm_cluster/collector_places.h"
#include "models/sm_cluster/copy_engine.h"
#include "models/sm_cluster/dsmem_packet.h"
#include "models/sm_cluster/instruction_buffers.h"
#include "models/sm_cluster/resident_ctas.h"
#include "models/sm_cluster/result_times.h"
#include "models/sm_cluster/sm_cluster_stats.h"
#include "models/sm_cluster/warp_sets.h"
#include "models/sm_cluster/warp_state.h"

namespace strata {

/// One SM: resident CTAs, warps, schedulers and load/store queue. No SystemC.
///
/// In a cycle the owner calls begin(), then, if line_waiting() and the link to the L1 is free, sends the line
/// and calls line_sent(), then issue(); next_wake() names the next cycle in which something can happen by
/// itself: these lie in sm_core_inline.h. Warps issue in order. What the next instruction waits for is known
/// after each issue: a warp is ready, asleep until a known cycle, or waiting for an event. Nothing is polled.
class SmCore {
 public:
  /// `decoder`: of these parameters; SMs that have one share the text of CTAs that are alike.
  SmCore(const SmClusterParams& params, SmClusterStats& stats, std::shared_ptr<CtaDecoder> decoder);

  /// Through which it meets the other SMs of its cluster, as number `sm` of them; before simulation starts.
  void join(ClusterMeetingIf& meeting, int sm) {
    meeting_ = &meeting;
    number_ = sm;
  }
  /// The warp, which waits for its cluster, goes on in the next cycle.
  void go_on_after_cluster(int slot, Cycle now) { release(bit(slot), now); }

  // Its part of the network between the SMs of a cluster, in sm_core_dsmem.cpp.
  /// Accesses to shared memory of other SMs of the cluster go there; before simulation starts.
  void reach_others_by(DsmemQueuesIf& queues) { queues_ = &queues; }
  /// A packet of the warp has left.
  void packet_sent(const DsmemPacket& packet, Cycle now);
  /// Its answer is here in cycle `now`: the result can be read from now + 1 on.
  void packet_answered(const DsmemPacket& packet, Cycle now);
  /// Instructions may add to the queue again.
  void room_in_network(Cycle now);
  /// From this cycle on shared memory takes the next instruction, or a request of another SM.
  Cycle shared_free() const { return schedulers_[0].units.free(Unit::shared); }
  void take_shared(Cycle until);
  ResidentCta* find(const ResidentCta& mate, std::uint32_t rank) {
    const int place = ctas_.find(mate, rank);
    return place < 0 ? nullptr : &ctas_[static_cast<std::size_t>(place)];
  }
  void count_into(SmClusterStats& stats);  ///< from now on; before simulation starts
  const Occupancy& occupancy() const { return ctas_.occupancy(); }
  /// Start a CTA; its warps can issue from now + 1 on.
  void launch(const KernelInfo& kernel, const CtaTrace& trace, Cycle now);

  /// Take the answers that are due and wake the warps whose time has come.
  void begin(Cycle now);
  /// A line access waits for its turn at the L1 in this cycle: line(), op() and cta() say which.
  bool line_waiting(Cycle now) { return lsu_.has_turn(now) && (lsu_.has_line() || skip_empty(now)); }
  const MemoryOp& op() const { return lsu_.head(); }
  const ResidentCta& cta(std::uint8_t place) const { return ctas_[place]; }
  LineAccess line() const { return lsu_.line(); }
  AtomicLanes atomic_lanes() const { return lsu_.atomic_lanes(); }  ///< of the line of an atomic
  Cycle turn() const { return lsu_.turn(); }  ///< first cycle in which the line could have left
  void line_sent(Cycle now);
  void line_sent(int warp, OpClass op, Cycle now);  ///< where these are known
  /// Another line waits that may leave in the cycle of the last one.
  bool another_line(Cycle now);
  /// The same for the copy engine, whose lines leave beside those of the load/store queue.
  bool copy_waiting(Cycle now) const { return copies_.line_waiting(now); }
  const CopyEngine& copies() const { return copies_; }
  void copy_sent(Cycle now);
  /// Each scheduler issues at most one instruction.
  void issue(Cycle now);
  /// Next cycle with something to do, `never` when only an answer can help. Lines and answers() not included.
  Cycle next_wake(Cycle now) const;
  Cycle next_timed(Cycle now) const;  ///< the same for a core that does not issue
  /// Issue stops, or goes on: cycles without issue between are the stall's.
  void stop(Cycle now);
  void go_on(Cycle now);
  /// An access was answered by the L1 in cycle `at`: its result can be read from at + 1 on.
  void answer(Cycle at, std::uint8_t warp, std::uint8_t slot) {
    replies_.push(at + 1, reply_of(warp, slot));
    expect_reply(warp);
  }
  /// An access will be answered at `at`, known when it was sent. An L1 has one hit latency, so the order is
  /// that of sending; an external target may answer out of order.
  void reply_at_once(Cycle at, std::uint8_t warp, std::uint8_t slot) {
    hits_.push(at + 1, reply_of(warp, slot));
  }
  /// Kernel id of a CTA that has ended since the last call, oldest first; false when there is none.
  bool take_finished(std::uint32_t& kernel);
  /// There is such a CTA, or the last access was answered; until take_finished() has none.
  bool has_ended() const { return ended_; }
  /// No CTA resident and every access answered.
  bool drained() const { return in_flight_ == 0 && ctas_.empty(); }
  int lines_in_flight() const { return in_flight_; }
  const LoadStoreUnit& lsu() const { return lsu_; }
  WaitingWarps waiting() const;
  // What WarpWaits asks after a visit.
  std::uint64_t waiting_for_loads() const { return waits_.memory; }  ///< by warp slot
  std::uint32_t instructions_left(int slot) const { return warps_[static_cast<std::size_t>(slot)].left; }
  /// First cycle of the wait of a warp that began in the visit of cycle `now`: behind its last instruction,
  /// or now, if its load found the table of loads full.
  Cycle wait_began(int slot, Cycle now) const;
  /// Which warps wait at which barriers for how many others, in words.
  std::string waiting_at_barriers() const;
  /// Bring the cycle counters up to `now`.
  void settle(Cycle now);

 private:
  using Mask = std::uint64_t;
  static constexpr std::size_t max_schedulers = 4;
  using Replies = TimeQueue<true>;  // by the cycle from which the result can be read
  static std::uint16_t reply_of(std::uint8_t warp, std::uint8_t slot) {
    return static_cast<std::uint16_t>(warp << 8 | slot);
  }
  static Mask bit(int n) { return Mask{1} << n; }
  DecodedCode& next_of(int slot) { return next_[static_cast<std::size_t>(slot)]; }
  WarpState& warp_at(int slot) { return warps_[static_cast<std::size_t>(slot)]; }
  /// Prefetch what the warp's next answer and issue will touch: its turn comes when many others have passed.
  void expect_reply(int slot) const;
  void take_replies(Replies& answers, std::uint64_t& counter, Cycle now);
  void wake_due(std::uint64_t& due, Cycle now);
  bool skip_empty(Cycle now);
  Mask candidates(const WarpScheduler& scheduler, Cycle now) const;
  void issue_general(Cycle now);
  void issue_in_order(Cycle now, bool plain);
  void try_issue(WarpScheduler& scheduler, int position, Cycle now, bool plain);
  bool issue_on_unit(WarpScheduler& scheduler, int slot, const DecodedInstruction& instruction, Cycle now);
  bool issue_run(WarpScheduler& scheduler, int slot, const DecodedInstruction& instruction, Cycle now);
  bool reach_out(int slot, const DecodedInstruction& instruction, Cycle now, Cycle& more);
  void add_packets(const RemoteAccess& access, const RemotePart& part, int target);
  void push_report(const ResidentCta& cta, const ClusterMeetingIf::Place& other, Cycle now,
                   std::function<Mask(CtaBarriers&)> does);
  bool issue_shared(WarpScheduler& scheduler, int slot, const DecodedInstruction& instruction, Cycle now);
  bool hold(WarpScheduler& scheduler, int slot, Unit unit);
  void count_marked(InstructionWord instruction);
  bool begin_copy(int slot, const DecodedInstruction& instruction, std::uint8_t& entry);
  bool hand_to_engine(int slot, const DecodedInstruction& instruction, Cycle now);
  bool goes_on(int slot, SyncWord sync, unsigned lanes, Cycle now);
  void wait_at_barriers(int slot, unsigned barriers);
  void release(Mask warps, Cycle now);
  template <class Does>
  void at_barrier(ResidentCta& cta, std::uint32_t address, Cycle now, Does does);
  Mask waiting_elsewhere(const ResidentCta& cta) const;
  bool goes_on_in_cluster(int slot, bool arrives, Cycle now);
  void copies_arrive(int slot, std::uint32_t address, unsigned arrivals, Cycle now);
  void end_copies(int slot, unsigned entry, Cycle now);
  void copy_answered(std::uint8_t slot, Cycle now);
  bool issue_memory(WarpScheduler& scheduler, int slot, const DecodedInstruction& of, Cycle now, bool plain);
  void write_result(int slot, const DecodedInstruction& instruction, Cycle ready, Cycle now);
  void arrive(int slot, Cycle now);
  void release_barrier(ResidentCta& cta, Cycle now);
  void schedule(int slot, Cycle from, Cycle immediate, Cycle now);
  bool schedule(WarpState& warp, WarpScheduler& scheduler, int position, int slot, Cycle from,
                Cycle immediate, Cycle now);
  void sleep(int slot, Cycle until, Cycle now);
  void wake(int slot, Cycle now);
  void end_load(int warp, unsigned entry, Cycle now);
  void end_store(int warp, Cycle now);
  void leave_queue(int slot, Cycle now);
  bool has_collector(const WarpScheduler& scheduler, OpClass op) const;
  void collect(WarpScheduler& scheduler, const MemoryOp& op);
  void collect_head();
  void take_head();
  void end_of_stream(int slot, Cycle now);
  void retire(int slot, Cycle now);
  void end_cta(int index, Cycle now);
  // Warps were taken out of the ready ones: when none is left, the idle cycles that follow have a reason.
  void note_idle(WarpScheduler& scheduler, Cycle now) {
    if (!scheduler.any_ready(!lsu_.full())) begin_idle(scheduler, now);
  }
  void begin_idle(WarpScheduler& scheduler, Cycle now);

  // What every visit reads comes first and lies together.
  SmClusterStats* stats_ = nullptr;
  int in_flight_ = 0;
  std::uint32_t awake_ = 0;           // schedulers that may have a warp to issue from; of all others none has
  const std::uint32_t load_entries_;  // mask of the usable load table entries
  const unsigned alu_interval_;
  const bool gto_, oldest_first_, plain_;  // plain: in order, no collectors, no instruction buffers
  const bool awaits_stores_;
  bool ended_ = false;  // see has_ended()
  WarpSets waits_;
  Replies replies_;
  Replies hits_;
  TurnRing<64> wakes_{64};  // of sleeping warps
  std::unique_ptr<WarpState[]> warps_;
  LoadStoreUnit lsu_;
  // By warp slot: its next instruction. Apart, so that it can be asked for before the warp is here.
  alignas(64) std::array<DecodedCode, 64> next_{};
  const int scheduler_count_;
  const int collectors_;
  std::array<WarpScheduler, max_schedulers> schedulers_;
  ResidentCtas ctas_;
  const UnitTimings timings_;
  ResultTimes results_;
  std::vector<std::uint64_t> ages_;  // by warp slot: how many warps were launched before
  InstructionBuffers buffers_;
  std::vector<std::uint32_t> stores_left_;  // by warp slot: lines without an answer, where warps await them
  Cycle active_since_ = 0;
  std::uint64_t launched_ = 0;  // warps
  CollectorPlaces places_;
  bool stopped_ = false;
  CopyEngine copies_;
  ClusterMeetingIf* meeting_ = nullptr;
  int number_ = 0;
  DsmemQueuesIf* queues_ = nullptr;   // of the network between SMs, where there is one
  const unsigned packet_words_;       // most that a packet there brings
  std::vector<DsmemPacket> packets_;  // of the present instruction
  /// Arrivals at barriers in shared memory that wait for asynchronous copies of their warp.
  struct CopiesArrive {
    int warp;
    std::uint32_t entries;  // of its table of loads that have not ended
    std::uint32_t address;
    unsigned arrivals;
  };
  std::vector<CopiesArrive> copies_arrive_;
  // By warp slot: at how many barriers it still waits; of its groups of bulk copies, how many may be under
  // way when it goes on, -1 when it does not wait for any.
  std::array<std::uint8_t, 64> barriers_left_{};
  std::array<std::int32_t, 64> groups_left_{};
};

}  // namespace strata
