#pragma once

#include "models/l1/l1_private_core.h"
#include "models/tlm/lt_ports.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/time_heap.h"

namespace strata {

/// A private L1 behind b_transport: the core of L1PrivateAt, with the same port, miss queue and stalls.
///
/// Its source runs ahead of simulated time and calls in order of time. A miss leaves for the LLC in its own
/// cycle; once the answer is known the waiters are told, and the core takes the fill in when a later access
/// passes its cycle. A stall whose end is not known yet holds the access, and with it the link. Approximated
/// are two things: replies of different fills do not wait for each other, and requests are taken to leave the
/// miss queue as soon as they are ready, until it is known how long their link is busy.
///
/// For a caller that cannot wait, a miss is fetched within the call.
class L1PrivateLt final : public LtBlock, public WatchedAccesses, private LtCaller {
 public:
  L1PrivateLt(sc_core::sc_module_name name, const L1PrivateParams& params, const BuildContext& context);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;
  LtAnswer post(Txn& txn, int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;
  const StatSet& stats() const override { return core_.stats(); }
  void reset_stats() override { core_.stats() = {}; }
  void settle(Cycle now) override;
  Faults check_idle() const override;

  LtTargetPort core{*this, "core", 0};
  LtInitiatorPort noc{*this, "noc", 0, this};
  const L1PrivateCore& state() const { return core_; }
  void watch_accesses(AccessWatchIf* watch) override { core_.watch(watch); }

 private:
  static constexpr int forwarded = 0xffff;  // route entry of an access that goes on itself

  struct Fetch {
    Cycle next_reply = 0;  // 0: its answer is not known yet
    Cycle ledger = 0;      // of the whole line's arrival
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  };

  /// The access that is being decided.
  struct Turn {
    Txn* txn = nullptr;
    Cycle now = 0;
    Cycle since = 0;  // it is stalled
    L1Stall stall = L1Stall::none;
  };

  void answered(Txn& txn, int port, const LtAnswer& answer) override;
  void accepted(int port, Cycle at) override;
  void pass_until(Cycle cycle);
  bool decide(L1Decision& decision);
  LtAnswer hit(Access& access, Cycle now);
  LtAnswer take_turn();
  void queue(Txn& txn, Cycle ready);
  void expect_departures(Cycle first);
  void answer_waiters(int mshr, Cycle whole, Access& line);
  void retry();
  Cycle arrive(Access& access, const LtAnswer& reply);
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
  std::vector<Cycle> departures_;  // of the requests in the miss queue, as far as known: a ring
  std::size_t departed_ = 0;       // position of the oldest
  Turn turn_;
  AccessFifo out_;      // on their way to the LLC
  Cycle out_free_ = 0;  // the last of them is taken to have left before
  int fetching_ = 0;    // accesses at the LLC or on their way
  TxnPool pool_;
};

}  // namespace strata
