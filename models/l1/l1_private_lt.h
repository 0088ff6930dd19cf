#pragma once

#include "models/l1/l1_private_core.h"
#include "models/tlm/lt_ports.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/time_heap.h"

namespace strata {

/// A private L1 behind b_transport: the core of L1PrivateAt, with the same port, miss queue and stalls.
///
/// A miss is fetched within the call, so that its fill is known; the core takes the fill in when a later
/// access passes its cycle. Its only source calls in order of time, hence nothing is approximated but the
/// reply port: replies of different fills do not wait for each other.
class L1PrivateLt final : public LtBlock {
 public:
  L1PrivateLt(sc_core::sc_module_name name, const L1PrivateParams& params, const BuildContext& context);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;
  const StatSet& stats() const override { return core_.stats(); }
  void reset_stats() override { core_.stats() = {}; }
  void settle(Cycle now) override;
  Faults check_idle() const override;

  LtTargetPort core{*this, "core", 0};
  LtInitiatorPort noc{*this, "noc", 0};
  const L1PrivateCore& state() const { return core_; }

 private:
  struct Fetch {
    Cycle next_reply = 0;
    Cycle ledger = 0;  // of the whole line's arrival
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  };

  void pass_until(Cycle cycle);
  L1Decision decide(Access& access, Cycle& now, bool& held);
  Cycle send(Txn& txn, Cycle ready);
  LtAnswer fetch(Txn& txn, int mshr, Cycle now);
  LtAnswer merge(Txn& txn, int mshr, Cycle now);
  LtAnswer flush(Txn& txn, Cycle at);
  LtAnswer answer(Access& access, Cycle at);

  L1PrivateCore core_;
  std::uint8_t line_chunks_;
  Cycle port_free_ = 0;
  Cycle noc_free_ = 0;
  TimeHeap fills_;                 // MSHRs by the cycle of their fill
  std::vector<Fetch> fetches_;     // by MSHR
  std::vector<Cycle> departures_;  // of the requests in the miss queue: a ring
  std::size_t departed_ = 0;       // position of the oldest
  TxnPool pool_;
};

}  // namespace strata
