#pragma once

#include "models/common/time_queue.h"
#include "models/l1/l1_accounts.h"
#include "models/l1/l1_places.h"
#include "models/tlm/lt_ports.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/txn_pool.h"

namespace strata {

/// An L1 behind b_transport, with the port, miss queue and stalls of L1AtShell: what does not depend on its
/// organization.
///
/// Its source runs ahead of simulated time and calls in order of time. A miss is posted at once for the cycle
/// in which its link is free; once the answer is known the waiters are told, and the organization takes the
/// fill in when a later access passes its cycle. So nothing here needs an event. Misses wait here only while
/// nobody knows when the link is free again, and a stall whose end is not known yet holds the access, and
/// with it the link.
///
/// For a caller that cannot wait, a miss is fetched within the call.
class L1LtShell : public LtBlock, public WatchedAccesses, protected LtCaller, protected LineFlushIf {
 public:
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;
  const StatSet& stats() const override { return accounts_.stats; }
  const L1Stats& counters() const { return accounts_.stats; }
  void reset_stats() override { accounts_.reset(organization_); }
  Cycle posts_ahead() const override { return miss_latency_; }
  Faults check_idle() const override;
  void watch_accesses(AccessWatchIf* watch) override { accounts_.watch = watch; }

  LtTargetPort sm{*this, "sm", 0};
  LtInitiatorPort noc{*this, "noc", 0, this};
  ControlIn<LineFlushIf> flush{*this, "flush", 0, *this};

 protected:
  static constexpr int forwarded = 0xffff;  // route entry of an access that goes on itself

  /// What is known of a fetch.
  struct Fetch {
    Cycle whole = never;  // all of it is here; never: not known yet
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

  L1LtShell(sc_core::sc_module_name name, L1Organization& organization, const BuildContext& context);

  void accepted(int port, Cycle at) override;
  void refused(int port) override;
  /// The held access, once more after each fill or departure that can end its stall. It stays held while none
  /// is known. `posted`: its caller can be answered later.
  virtual LtAnswer retry(bool posted) = 0;
  /// All of an answer is known, and that it is here in `whole`.
  virtual void take_answer(Txn& txn, Cycle done, Cycle whole) = 0;

  void take_departures(Cycle until);
  LtAnswer hit(Access& access, Cycle now);
  void resume();
  void end_stall(Access& access);
  Txn& make_fetch(Access& access, const L1Decision& decision);
  LtAnswer leave(Txn& txn, Cycle ready, bool posted);
  LtAnswer depart(Txn& txn, Cycle ready, bool posted);
  Cycle arrive(Access& access, Cycle at);
  Fetch& fill(Txn& line, int number, Cycle head, const Fetch& known);
  Cycle serve_first(Access& first, const Ledger& line, Fetch& fetch);
  Cycle serve(Access& waiter, Fetch& fetch);
  Cycle reply(Access& access, Cycle at);
  static void fail(const AccessFifo& waiters, tlm::tlm_response_status status);

  L1Accounts accounts_;
  L1Places places_;
  const Cycle latency_;
  const Cycle miss_latency_;
  const Cycle port_cycles_;
  Cycle port_free_ = 0;
  Cycle reply_free_ = 0;        // cycle for the next late answer
  TimeQueue<true> departures_;  // of the requests that hold a place in the miss queue, but those in `out_`
  TimeQueue<true> fills_;       // numbers of fetches by the cycle of their fill
  std::vector<Fetch> fetches_;  // by number
  Held held_;
  int passing_count_ = 0;  // accesses of others that are not answered yet
  TxnPool pool_;

 private:
  void end_of_elaboration() override { places_.find_link(noc); }
  void post_waiting();
  void begin_flush(LineFlushDoneIf& done, int id) override;

  L1Organization& organization_;
  Cycle noc_free_ = 0;   // never: accepted() will say
  Cycle announced_ = 0;  // no request leaves before
  bool refused_ = false;
  AccessFifo out_;  // wait for the link
};

}  // namespace strata
