#pragma once

#include <array>

#include "models/common/access_watch_if.h"
#include "models/common/initial_state_if.h"
#include "models/llc_control/slice_control_if.h"
#include "models/llc_slice/line_use_port_if.h"
#include "models/llc_slice/llc_places.h"
#include "models/llc_slice/llc_prefetches.h"
#include "models/llc_slice/llc_slice_core.h"
#include "models/llc_slice/slice_data.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "models/tlm/txn_pool.h"

namespace strata {

/// One LLC slice between the NoC and its memory controller.
///
/// Requests enter a pipeline, one a cycle and in order; the tags decide at the end of `lookup`. A request
/// that cannot go on stalls those behind it, and once pipeline and request queue are full the link. Fetches
/// and writes leave for memory in one order, so that no fetch overtakes the write of its line. Replies leave
/// one after the other as the link takes them: their length on the link is the receiver's to say.
///
/// Prefetches are looked up in cycles in which no request is decided and nothing waits for memory.
class LlcSlice final : public Block,
                       public WatchedAccesses,
                       public WarmLinesIf,
                       public ColdStateIf,
                       protected SliceControlIf {
 public:
  static constexpr bool carries_data = true;
  LlcSlice(sc_core::sc_module_name name, const LlcSliceParams& params, const BuildContext& context);

  Accept request(Txn& txn, int port, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;

  const StatSet& stats() const override { return core_.stats(); }
  const StatSet* application_stats(int application) const override { return &core_.counts(application); }
  void reset_stats() override {
    core_.reset_stats();
    if (prefetches_ != nullptr) prefetches_->unit().reset();
  }
  void settle(Cycle) override {
    if (prefetches_ != nullptr) prefetches_->unit().settle();
  }
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

  TargetPort noc{*this, "noc", 0};
  InitiatorPort mem{*this, "mem", 0};
  ControlIn<SliceControlIf> control{*this, "control", 0, *this};
  ControlOut<LineUsePortIf> tracker{*this, "tracker", 0};
  const LlcSliceCore& state() const { return core_; }
  void watch_accesses(AccessWatchIf* watch) override {
    watch_ = watch;
    observed_ = watch != nullptr || data_ != nullptr;
  }
  void warm_line(Address line) override { core_.warm(line); }
  bool make_cold() override {
    if (core_.valid_lines() != 0) core_.drop_all();
    if (prefetches_ != nullptr) prefetches_->unit().flush();
    return true;
  }

 protected:
  /// A request enters the pipeline.
  void enter(Txn& txn, Cycle at);
  /// The pipeline and the queue in front of it are full.
  bool is_full() const { return pipe_.size() >= pipe_capacity_; }
  void write(const MemoryWrite& write, const Access* owner, Cycle now);

  LlcSliceCore core_;
  TxnPool pool_;

 private:
  enum Unit : int { pipe_unit, memory_unit, reply_unit, flush_unit, units };
  static constexpr int write_route = 0xffff;  // route entry of a write; fetches carry their MSHR

  void end_of_elaboration() override;
  void begin_flush(LlcFlush what, ApplicationSet whose, SliceFlushDoneIf& done, int id) override;
  void set_write_through(ApplicationSet whose, bool through) override;
  void expect_replicas(ApplicationSet whose, int slice) override { core_.expect_replicas(whose, slice); }
  void forget_read_only(ApplicationSet whose) override { core_.forget_read_only(whose); }
  std::uint64_t accesses(ApplicationSet whose) const override { return core_.counted(whose).accesses; }
  std::uint64_t misses(ApplicationSet whose) const override { return core_.counted(whose).misses; }
  int fetches(ApplicationSet whose) const override { return core_.fetches(whose); }
  SliceTags tags() const override {
    return {core_.params().sets(), core_.params().ways, core_.params().set_index};
  }

  void report_read_only_store();
  void decide(Cycle now);
  LlcDecision begin_observed(Access& access, Cycle now);
  void prefetch(Cycle now);
  /// One waits, and may go as soon as no access needs what it needs.
  bool may_prefetch() const { return prefetches_ != nullptr && prefetches_->wants(); }
  void observe(Access& access, const LlcDecision& decision, Cycle ledger);
  void answer(Access& access, Cycle now);
  void follow(Access& access, const LlcDecision& decision, Cycle now);
  Cycle execute(Access& atomic, Cycle now);
  void stall(Access& access, LlcStall reason, Cycle now);
  void retry(Cycle now);
  void fetch(Access& access, const LlcDecision& decision, Cycle now);
  void to_memory(Access& access, Cycle now);
  void send(Cycle now);
  void fill(Txn& txn, int mshr, Cycle at);
  void release_fill(Cycle now);
  void queue_reply(AccessFifo& fifo, Access& access, Cycle ready);
  void reply(Cycle now);
  void step_flush(Cycle now);
  bool flushing() const { return flush_done_ != nullptr; }
  /// A flush of everything waits until nothing is under way; one of some applications relies on theirs having
  /// been answered.
  bool may_flush() const {
    if (flush_whose_ == every_application) return pipe_.empty() && core_.idle();
    return prefetches_ == nullptr || prefetches_->unit().under_way() == 0;
  }
  std::uint64_t writes_out(ApplicationSet whose) const;
  bool reply_room() const { return hits_.size() + fills_.size() < reply_capacity_; }

  // What every request touches, in two cache lines: slices are visited cold.
  alignas(64) AccessFifo pipe_;
  AccessFifo hits_;
  Cycle reply_free_ = 0;
  Cycle entered_ = never;  // cycle in which the last request entered; never + 1 = 0
  alignas(64) AccessFifo fills_;
  const std::uint16_t reply_capacity_;
  const std::uint16_t pipe_capacity_;
  const std::uint16_t lookup_;                       // in cycles
  const std::uint16_t rest_;                         // from the decision to the data of a hit
  const std::uint32_t lookup_ledger_, rest_ledger_;  // the same in cycles of the ledger's clock
  LlcPlaces places_;
  LlcStall stall_ = LlcStall::none;
  bool observed_ = false;  // by watch_ or data_
  SliceFlushDoneIf* flush_done_ = nullptr;

  AccessWatchIf* watch_ = nullptr;
  std::unique_ptr<SliceData> data_;            // null: nothing is carried
  std::unique_ptr<LlcPrefetches> prefetches_;  // null: there is no prefetcher
  Cycle decided_ = never;                      // cycle of the last decision, where there is one
  Cycle stalled_since_ = 0;
  AccessFifo memory_;
  AccessFifo completed_;  // fetches answered at once by memory whose fill must wait
  Cycle memory_free_ = 0;
  std::array<std::uint64_t, max_applications> writes_out_{};  // of each application: not acknowledged yet
  bool dropped_ = false;                                      // flush: nothing is left to write or drop
  LlcFlush flush_what_ = LlcFlush::all;
  ApplicationSet flush_whose_ = every_application;
  int flush_id_ = 0;
};

}  // namespace strata
