#pragma once

#include "models/l1/event_ring.h"
#include "models/l1/l1_private_core.h"
#include "models/tlm/lt_ports.h"
#include "models/tlm/module_kind.h"

namespace strata {

/// A private L1 behind b_transport: the core of L1PrivateAt, with the same port, miss queue and stalls.
///
/// Its source runs ahead of simulated time and calls in order of time. A miss is posted at once for the cycle
/// in which its link is free; once the answer is known the waiters are told, and the core takes the fill in
/// when a later access passes its cycle. So nothing here needs an event. Misses wait here only while nobody
/// knows when the link is free again, and a stall whose end is not known yet holds the access, and with it
/// the link.
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
  Cycle posts_ahead() const override { return static_cast<Cycle>(core_.params().miss_latency); }
  Faults check_idle() const override;

  LtTargetPort core{*this, "core", 0};
  LtInitiatorPort noc{*this, "noc", 0, this};
  const L1PrivateCore& state() const { return core_; }
  void watch_accesses(AccessWatchIf* watch) override { core_.watch(watch); }

 private:
  static constexpr int forwarded = 0xffff;  // route entry of an access that goes on itself

  /// The fetch of an MSHR.
  struct Fetch {
    Cycle whole = never;  // all of the line is here; never: not known yet
    Cycle next_reply = 0;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  };

  /// The access that holds the link.
  struct Held {
    Txn* txn = nullptr;
    Cycle now = 0;
    Cycle since = 0;
    L1Stall stall = L1Stall::none;      // that it began with
    L1Stall waits_for = L1Stall::none;  // now
  };

  void answered(Txn& txn, int port, const LtAnswer& answer) override;
  void accepted(int port, Cycle at) override;
  void refused(int port) override;
  void take_fills(Cycle until);
  void take_fill();
  void take_departures(Cycle until);
  // `posted`: the caller can be answered later.
  LtAnswer take(Txn& txn, Cycle at, bool posted);
  LtAnswer miss(Txn& txn, std::uint32_t set, Cycle now, bool posted);
  LtAnswer hold(Txn& txn, Cycle now, L1Stall stall, bool posted);
  LtAnswer retry(bool posted);
  void resume();
  LtAnswer hit(Access& access, Cycle now);
  LtAnswer start(Txn& txn, L1Decision decision, Cycle now, bool posted);
  LtAnswer merge(Access& access, int mshr, Cycle now);
  Txn& make_fetch(const Access& access, int mshr);
  LtAnswer leave(Txn& txn, Cycle ready, bool posted);
  LtAnswer depart(Txn& txn, Cycle ready, bool posted);
  void post_waiting();
  Cycle known_at_once(Txn& txn, Txn& sent, Cycle done);
  Cycle arrive(Access& access, Cycle at);
  void take_answer(Txn& txn, Cycle done, Cycle whole);
  Fetch& fill(Txn& line, int mshr, Cycle head, const Fetch& known);
  Cycle serve_first(Access& first, const Ledger& line, Fetch& fetch);
  Cycle serve(Access& waiter, Fetch& fetch);
  Cycle reply(Access& access, Cycle at);
  LtAnswer flush(Txn& txn);

  L1PrivateCore core_;
  std::uint8_t line_chunks_;
  Cycle port_free_ = 0;
  Cycle noc_free_ = 0;   // never: accepted() will say
  Cycle announced_ = 0;  // no request leaves before
  bool refused_ = false;
  Cycle reply_free_ = 0;        // cycle for the next late answer
  EventRing departures_;        // of the requests that the core counts in the miss queue, but those in `out_`
  EventRing fills_;             // MSHRs by the cycle of their fill
  std::vector<Fetch> fetches_;  // by MSHR
  Held held_;
  AccessFifo out_;  // wait for the link
  TxnPool pool_;
};

}  // namespace strata
