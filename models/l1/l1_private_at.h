#pragma once

#include "models/l1/l1_private_core.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"

namespace strata {

/// A private L1 between one SM and the first link towards the LLC.
///
/// Hits are answered at once with the annotated hit latency. A miss becomes a fetch of the whole line;
/// stores, atomics and bypassing loads travel on as they are. One access a port_cycles enters, one request a
/// cycle leaves, one late reply a cycle goes back. An access that finds the port busy or no room is held
/// (END_REQ withheld).
class L1PrivateAt final : public Block, public WatchedAccesses {
 public:
  L1PrivateAt(sc_core::sc_module_name name, const L1PrivateParams& params, const BuildContext& context);

  Accept request(Txn& txn, int port, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;

  const StatSet& stats() const override { return core_.stats(); }
  void reset_stats() override { core_.stats() = {}; }
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

  TargetPort core{*this, "core", 0};
  InitiatorPort noc{*this, "noc", 0};
  const L1PrivateCore& state() const { return core_; }
  void watch_accesses(AccessWatchIf* watch) override { core_.watch(watch); }

 private:
  static constexpr int send_unit = 0;
  static constexpr int reply_unit = 1;
  static constexpr int passing = 0xffff;  // route entry of an access that is not a fetch of ours

  L1Decision take(Txn& txn, Cycle now);
  Accept flush(Txn& txn, Cycle at);
  void end_flush(Cycle now);
  void queue_request(Access& access, Cycle ready);
  void send(Cycle now);
  void retry(Cycle now);
  void reply(Cycle now);
  void deliver(Access& access, Cycle ready);

  L1PrivateCore core_;
  std::uint8_t line_chunks_;
  Cycle port_free_ = 0;
  Cycle noc_free_ = 0;
  Cycle reply_free_ = 0;
  Cycle stalled_since_ = 0;
  L1Stall stall_ = L1Stall::none;
  Txn* flush_ = nullptr;   // waits for the fetches under way
  int passing_count_ = 0;  // accesses of others between us and the LLC
  AccessFifo requests_;    // towards the LLC
  AccessFifo fills_;       // replies that came from the LLC
  AccessFifo late_hits_;   // hits of accesses that had been held
  TxnPool pool_;
};

/// The row of the table of modules.
const ModuleKind& l1_private_kind();

}  // namespace strata
