#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/access_watch_if.h"
#include "models/common/initial_state_if.h"
#include "models/llc_control/slice_control_if.h"
#include "models/llc_slice/line_use_port_if.h"
#include "models/llc_slice/llc_places.h"
#include "models/llc_slice/rtl_slice.h"
#include "models/llc_slice/rtl_slice_check.h"
#include "models/llc_slice/rtl_slice_replay.h"
#include "models/tlm/evidence_if.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "models/tlm/txn_pool.h"

namespace strata {

/// An LLC slice in RTL behind the sockets of `llc_slice`. A cycle of its clock is low() and high() in a cycle
/// for which it is booked; while nothing can happen the clock stands. Counters and ledgers follow from what
/// passes on its channels and from its decisions. With `check` the model's core decides beside it. RTL
/// without an event port says by its channels alone what happens.
class LlcSliceRtl final : public Block,
                          public WatchedAccesses,
                          public WarmLinesIf,
                          public EvidenceIf,
                          protected SliceControlIf {
 public:
  LlcSliceRtl(sc_core::sc_module_name name, const LlcSliceParams& params, const BuildContext& context,
              std::unique_ptr<RtlSlice> rtl);

  Accept request(Txn& txn, int port, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;

  const StatSet& stats() const override { return stats_; }
  const StatSet* application_stats(int application) const override {
    return &counts_[static_cast<std::size_t>(application)];
  }
  void reset_stats() override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;
  void watch_accesses(AccessWatchIf* watch) override { watch_ = watch; }
  void warm_line(Address line) override;
  Evidence evidence() override;

  TargetPort noc{*this, "noc", 0};
  InitiatorPort mem{*this, "mem", 0};
  ControlIn<SliceControlIf> control{*this, "control", 0, *this};
  ControlOut<LineUsePortIf> tracker{*this, "tracker", 0};

 private:
  enum class Stage : std::uint8_t { free, entered, waiting, answered };
  struct Slot {
    Access* access = nullptr;
    Stage stage = Stage::free;
  };
  static constexpr std::size_t most_entering = 2;  // without an event port: the RTL holds back the others
  static constexpr Cycle settling = 256;           // ... and what it writes late shows within so many cycles
  static constexpr int write_route = 0xffff;       // route entry of a write; fetches carry the RTL's number

  void end_of_elaboration() override;
  void begin_flush(LlcFlush what, ApplicationSet whose, SliceFlushDoneIf& done, int id) override;
  void set_write_through(ApplicationSet whose, bool through) override;
  void expect_replicas(ApplicationSet whose, int slice) override;
  std::uint64_t accesses(ApplicationSet whose) const override { return counted(whose).accesses; }
  std::uint64_t misses(ApplicationSet whose) const override { return counted(whose).misses; }
  int fetches(ApplicationSet /*whose*/) const override { return static_cast<int>(waiting_.size()); }
  SliceTags tags() const override { return {params_.sets(), params_.ways, params_.set_index}; }

  void enter(Txn& txn, Cycle at);
  void release_request(Cycle now);
  void drive(Cycle now);
  void observe(const RtlSliceOut& out, Cycle now);
  void stalled(const RtlSliceOut& out, Cycle now);
  void decided(const RtlSliceOut& out, Cycle now);
  void count(const RtlSliceOut& out, const Access& access);
  void filled(const RtlSliceOut& out, Cycle now);
  void sent(const RtlSliceOut& out, Cycle now);
  void replied(const RtlSliceOut& out, Cycle now);
  void step_flush(const RtlSliceOut& out, Cycle now);
  void book_next(const RtlSliceOut& out, Cycle now);
  bool flushing() const { return flush_done_ != nullptr; }
  bool is_full() const;
  bool still(const RtlSliceOut& out, Cycle now);
  Access& fetcher(const RtlSliceOut& out, Cycle now);
  void check_use(bool checked) const;
  bool is_whole(Txn& txn) const;
  void give_bytes(Txn& txn, RtlBytes& bytes) const;
  void take_reply(Txn& txn) const;
  void take_write(Txn& txn);
  void acknowledged(Txn& write);
  void look(tlm::tlm_generic_payload& payload);
  void change(const tlm::tlm_generic_payload& payload);
  std::uint16_t set_of(Address address) const;
  void answered_unseen(Access& access, Cycle now);
  void fail_unseen(const Access& line, tlm::tlm_response_status status);
  bool quiet() const { return entering_.empty() && undecided_ == 0 && waiting_.empty(); }
  LlcApplicationCounts counted(ApplicationSet whose) const { return sum_of(counts_, whose); }
  Slot& slot(unsigned id, Stage wanted, const char* what);
  void differ(const std::string& what, Cycle now, Address line);

  const LlcSliceParams params_;
  const LlcSetIndex index_;
  std::unique_ptr<RtlSlice> rtl_;
  const RtlSliceShape shape_;
  std::unique_ptr<RtlSliceCheck> check_;    // null: no check
  std::unique_ptr<RtlSliceReplay> replay_;  // with it
  Cycle differed_ = never;                  // where they first did
  Cycle busy_until_ = 0;                    // without an event port: something may happen until then
  LlcPlaces places_;
  TxnPool pool_;
  Cycle latency_ledger_;
  RtlSliceIn in_;
  RtlBytes request_bytes_, fill_bytes_, reply_bytes_, write_bytes_;  // where payloads carry them
  const bool carried_;
  AccessFifo entering_;
  std::deque<Access*> fills_;
  std::vector<Slot> slots_;
  std::vector<std::uint16_t> free_;
  std::unordered_map<Address, AccessFifo> waiting_;  // by line; looked up only, never walked
  int undecided_ = 0;
  Cycle entered_ = never;  // never + 1 = 0
  Cycle memory_free_ = 0, reply_free_ = 0;
  LlcStall stall_ = LlcStall::none;
  Cycle stalled_since_ = 0;
  std::uint64_t writes_out_ = 0;
  std::vector<Txn*> writes_;  // where payloads carry bytes: memory may or may not have them; oldest first
  LlcFlush flush_what_ = LlcFlush::all;
  SliceFlushDoneIf* flush_done_ = nullptr;
  int flush_id_ = 0;
  bool flush_began_ = false, dropped_ = false, told_warm_ = false;
  LlcSliceStats stats_;
  std::array<LlcApplicationCounts, max_applications> counts_{};
  AccessWatchIf* watch_ = nullptr;
};

/// How RTL takes the place of `llc_slice`.
const RtlPlace& llc_slice_rtl_place();

}  // namespace strata
