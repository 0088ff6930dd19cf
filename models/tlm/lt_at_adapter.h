#pragma once

#include "models/tlm/lt_shell.h"
#include "models/tlm/txn_pool.h"
#include "models/tlm/wait_history.h"

namespace strata {

/// Stands between an lt initiator and an at target: b_transport and posted requests in front, base protocol
/// behind.
///
/// A posted request begins in its cycle and its response is passed back when it comes: nothing is lost. A
/// caller that cannot wait is promised the time that such requests took lately; its request goes to the
/// target all the same, in the cycle in which it was announced.
class LtAtAdapter final : public LtShell {
 public:
  /// `clock`: that of the initiator, as if it were an at block itself.
  LtAtAdapter(sc_core::sc_module_name name, ClockDomain& clock);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;
  Accept request(Txn& txn, int port, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override { stats_ = {}; }
  Faults check_idle() const override;

  LtTargetPort in{*this, "in", 0};
  InitiatorPort out{*this, "out", 0};

 private:
  enum Unit : int { send_unit = arrival_unit + 1, promised_unit, units };
  struct Stats final : StatSet {
    std::uint64_t requests = 0;
    std::uint64_t responses = 0;
    void for_each_stat(StatVisitor& visitor) const override;
  };

  void end_of_elaboration() override;
  bool can_send(Cycle now) const { return !out.blocked() && free_ <= now; }
  void send_promised(Cycle now);

  Txn* waiting_ = nullptr;  // posted; goes when the link is free
  AccessFifo promised_;     // copies of those that were promised, in the order of the calls
  std::uint32_t open_ = 0;  // requests without a response
  Cycle free_ = 0;          // the link takes the next request
  WaitHistory took_;        // cycles from request to response, by those under way
  TxnPool pool_;
  Place target_ = no_place;
  Stats stats_;
};

}  // namespace strata
