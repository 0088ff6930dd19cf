#pragma once

#include <memory>

#include "models/cache/mshr_file.h"
#include "models/dcl1_node/dcl1_node_params.h"
#include "models/dcl1_node/dcl1_places.h"
#include "models/dcl1_node/dcl1_requesters.h"
#include "models/dcl1_node/dcl1_requests.h"
#include "models/l1/l1_accounts.h"
#include "models/l1/l1_banks.h"
#include "models/l1/l1_data.h"
#include "models/l1/watched_l1.h"
#include "models/tlm/ports.h"
#include "models/tlm/txn_pool.h"

namespace strata {

/// A node with an L1 cache for several cores, between a network towards them (NoC#1) and one towards the LLC
/// (NoC#2): HPCA 2021, section III. Four queues, each of a fixed size, are all that waits in it:
///
///   Q1  accesses of cores. One a port_cycles meets the cache, in order, or several of different banks. An
///       design with queues of its own takes them from Q1 into these.
///   Q2  replies to cores, of as many bytes as were asked for. One a cycle enters, a hit or a waiter of a
///       fill, whichever was ready first; one leaves when NoC#1 takes it.
///   Q3  requests to the LLC (miss_queue): fetches, stores, atomics, and what passes the cache.
///   Q4  replies of the LLC. The head is installed when it is whole, and stays until all who waited for it
///       have a place in Q2. Or it leaves then (`fill_until: installed`): those who waited are answered one
///       after the other from their MSHR, which no other miss may take before, as in GPGPU-Sim 3
///       (ldst_unit::cycle, mshr_table::next_access); they, what passes the cache and hits enter Q2 in turn.
///
/// A full queue holds back its sender (END_REQ, END_RESP withheld); the pipeline of hits holds as
/// many as its latency has cycles. Instruction, texture and constant accesses pass the cache. Within a cycle
/// the order is Q4, Q2, Q1, Q3.
class DcL1Pipeline : public Block, public WatchedL1, public RequesterCountsIf, protected LineFlushIf {
 public:
  static constexpr bool carries_data = true;
  /// `behind_q1`: the design's own queues; null: it has none.
  DcL1Pipeline(sc_core::sc_module_name name, CacheDesign& design, Bytes line, const DcL1Queues& queues,
               QueuedAccessesIf* behind_q1, const BuildContext& context);

  Accept request(Txn& txn, int port, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;

  const StatSet& stats() const override { return accounts_.stats; }
  const StatSet* application_stats(int application) const override {
    return requesters_ == nullptr ? nullptr : &requesters_->application(application);
  }
  void count_requesters() override { requesters_ = std::make_unique<DcL1Requesters>(); }
  std::vector<const StatSet*> by_requester() const override {
    return requesters_ == nullptr ? std::vector<const StatSet*>() : requesters_->by_requester();
  }
  void reset_stats() override {
    accounts_.reset(cache_);
    if (requesters_ != nullptr) requesters_->reset();
  }
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;
  void watch_accesses(AccessWatchIf* watch) override { accounts_.watch = watch; }
  bool holds(Address line, std::uint8_t sectors) const override { return cache_.contains(line, sectors); }

  TargetPort sm{*this, "sm", 0};
  InitiatorPort noc{*this, "noc", 0};
  ControlIn<LineFlushIf> flush{*this, "flush", 0, *this};

 private:
  static constexpr int passing = 0xffff;  // route entry of an access that is not a fetch of the node

  void end_of_elaboration() override;
  void begin_flush(LineFlushDoneIf& done, int id) override;

  void enter(Access& access, Cycle at);
  void fill(Cycle now);
  void install(Access& reply, Cycle now);
  void keep_mshr(Access& last);
  bool head_is_over() const { return (kept_mshrs_ == nullptr ? waiters_ : passed_).empty(); }
  void collect(Cycle now);
  AccessFifo* next_reply(Cycle now);
  void count_reply(const Access& waiter, Cycle now);
  void reply(Cycle now);
  void serve(Cycle now);
  void sort(Cycle now);
  void admit(Cycle now);
  void send(Cycle now);
  Cycle next_event(Cycle now) const;

  L1Decision decide(Access& access, Cycle now);
  void follow(Access& access, const L1Decision& decision, Cycle now);
  void queue_request(Access& access, Cycle ready);

  bool may_serve() const;
  /// For the one that is next.
  Cycle port_free() const {
    if (banks_.plain() || requests_.sorts()) return port_free_;
    const Access& head = requests_.front();
    return std::max(port_free_, banks_.free(head.line, head.sectors));
  }
  bool can_serve(Cycle now) const { return may_serve() && requests_.earliest() <= now && port_free() <= now; }
  int filling() const { return fills_.size() + (installing_ ? 1 : 0); }
  bool reply_room() const { return replies_.size() < queues_.reply; }

  CacheDesign& cache_;
  L1Accounts accounts_;
  const DcL1Queues queues_;
  const Cycle latency_, miss_latency_, port_cycles_;
  const Cycle latency_ledger_, miss_latency_ledger_;
  DcL1Places places_;

  DcL1Requests requests_;  // Q1
  AccessFifo replies_;     // Q2
  AccessFifo misses_;      // Q3
  AccessFifo fills_;       // Q4, without the one that is being installed
  AccessFifo hits_;        // in the pipeline of the cache
  AccessFifo waiters_;     // of the reply that is being installed, or of all that have been
  AccessFifo passed_;      // the head of Q4, where those are answered from MSHRs and it has passed the cache
  bool installing_ = false;
  MshrFile* const kept_mshrs_;     // for those who are answered from them; null: they are answered from Q4
  int replying_ = 0;               // of these: how many
  int turn_ = 0;                   // of what enters Q2
  L1Stall stall_ = L1Stall::none;  // of the one that is next
  bool try_again_ = false;         // something may have ended the stall
  Cycle stalled_since_ = 0;
  Cycle request_came_ = 0,
        reply_came_ = 0;  // the heads of those that are held
  L1Banks banks_;
  Cycle port_free_ = 0, reply_free_ = 0, noc_free_ = 0;
  int passing_count_ = 0;  // accesses of cores between us and the LLC
  TxnPool pool_;
  std::unique_ptr<DcL1Requesters> requesters_;  // null: they are not distinguished
  const std::unique_ptr<L1Data> data_;          // null: nothing is carried
};

}  // namespace strata
