#pragma once

#include "models/llc_slice/llc_slice_core.h"
#include "models/llc_slice/slice_control_if.h"
#include "models/tlm/lt_ports.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/slot_calendar.h"
#include "models/tlm/time_heap.h"
#include "models/tlm/wait_ring.h"

namespace strata {

/// One LLC slice behind b_transport: the core of LlcSliceAt. Requests enter the pipeline through a calendar,
/// one a cycle; a stalled one holds those that are decided after it. A miss is fetched within the call and
/// the core takes its fill in when a later request passes the fill's cycle. Back-pressure: a request is
/// accepted when the pipeline and the request queue have a place, a hit is decided when the reply queue has.
class LlcSliceLt final : public LtBlock, private SliceControlIf {
 public:
  LlcSliceLt(sc_core::sc_module_name name, const LlcSliceParams& params, const BuildContext& context);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;
  void answer_taken(int port, Cycle began, Cycle until) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;
  const StatSet& stats() const override { return core_.stats(); }
  void reset_stats() override { core_.stats() = {}; }
  void settle(Cycle now) override;
  Faults check_idle() const override;

  LtTargetPort noc{*this, "noc", 0};
  LtInitiatorPort mem{*this, "mem", 0};
  ControlIn<SliceControlIf> control{*this, "control", 0, *this};
  const LlcSliceCore& state() const { return core_; }

 private:
  struct Fetch {
    Cycle at = 0;      // of the fill
    Cycle ledger = 0;  // the same
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  };

  void begin_flush(SliceFlushDoneIf& done, int id) override;
  void set_write_through(bool through) override;
  void expect_replicas(int slice) override { core_.expect_replicas(slice); }
  std::uint64_t accesses() const override { return core_.stats().accesses; }
  std::uint64_t misses() const override { return core_.stats().misses; }
  const LlcSliceParams& params() const override { return core_.params(); }

  Cycle enter(Access& access, Cycle at);
  void pass_until(Cycle cycle);
  void fill(int mshr, Cycle at);
  LlcDecision decide(Access& access, Cycle& now);
  LlcDecision decide_late(Access& access, LlcDecision decision, Cycle& now);
  bool reply_room(Cycle now) const { return replies_.room(now) == now; }
  Cycle retry_after(LlcStall reason, Cycle now) const;
  void fetch(Txn& txn, int mshr, Cycle now);
  Cycle write(const MemoryWrite& write, const Access* owner, Cycle now);
  Cycle flush_lines(Cycle now);

  LlcSliceCore core_;
  Cycle lookup_;
  Cycle rest_;           // from the decision to the data of a hit
  Cycle lookup_ledger_;  // the same in cycles of the ledger's clock
  Cycle rest_ledger_;
  std::uint8_t line_chunks_;
  Cycle stalled_from_ = 0;   // what is due from here on
  Cycle stalled_until_ = 0;  // is decided here at the earliest
  Cycle memory_free_ = 0;
  Cycle pipe_depth_;
  SlotCalendar entry_;
  TimeHeap fills_;
  std::vector<Fetch> fetches_;     // by MSHR
  WaitRing pipe_;                  // places of the pipeline and the request queue
  WaitRing replies_;               // places of the reply queue
  Cycle answered_ = 0;             // when the last answer was ready
  std::vector<Cycle> departures_;  // of the writes in the write queue: a ring
  std::size_t departed_ = 0;
  SliceFlushDoneIf* flush_done_ = nullptr;
  int flush_id_ = 0;
  TxnPool pool_;
};

}  // namespace strata
