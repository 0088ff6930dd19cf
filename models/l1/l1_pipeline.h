#pragma once

#include <memory>
#include <vector>

#include "models/l1/l1_accounts.h"
#include "models/l1/l1_bank_queues.h"
#include "models/l1/l1_banks.h"
#include "models/l1/l1_data.h"
#include "models/l1/l1_places.h"
#include "models/l1/l1_prefetches.h"
#include "models/l1/queued_accesses_if.h"
#include "models/l1/watched_l1.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "models/tlm/txn_pool.h"

namespace strata {

/// An L1 between an SM and the first link towards the LLC: everything that takes time. Its design
/// decides what an access finds.
///
///   intake   an access that finds the port or its banks busy is held (END_REQ withheld). One enters each
///            port_cycles, or several of different banks. A design with queues of its own takes
///            accesses from the port into these.
///   lookup   the design decides. An access that stalls stays the next, and is looked up again after a
///            fill or, where the miss queue was full, a departure from it.
///   hit      is answered at once with the annotated hit latency. Behind a network hits leave one by one, as
///            other replies do, and at most as many are in flight as the latency has cycles.
///   miss     becomes a fill request, or several where lines are larger than requests; stores, atomics and
///            bypassing loads travel on as they are. Requests wait behind banks (bank_queue) and in the miss
///            queue, which one leaves in a cycle.
///   fill     a reply of the LLC: the accesses that waited for it get their replies.
///   reply    one a cycle goes to the SM: fills, and hits that were held before their lookup.
///   prefetch a line that the prefetcher named is looked up in a cycle in which no access uses the port, the
///            miss queue or the link. Its request leaves as soon as that of a miss would; its fill has
///            no reply.
class L1Pipeline : public Block, public WatchedL1, public LineFlushIf {
 public:
  static constexpr bool carries_data = true;
  /// `queues`: the design's own; null: it has none.
  L1Pipeline(sc_core::sc_module_name name, CacheDesign& design, Bytes line, QueuedAccessesIf* queues,
             const BuildContext& context);

  Accept request(Txn& txn, int port, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;

  const StatSet& stats() const override { return accounts_.stats; }
  const L1Stats& counters() const { return accounts_.stats; }
  void reset_stats() override {
    accounts_.reset(design_);
    if (prefetches_ != nullptr) prefetches_->unit().reset();
  }
  void settle(Cycle) override {
    if (prefetches_ != nullptr) prefetches_->unit().settle();
  }
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;
  void watch_accesses(AccessWatchIf* watch) override { accounts_.watch = watch; }
  bool holds(Address line, std::uint8_t sectors) const override { return design_.contains(line, sectors); }

  TargetPort sm{*this, "sm", 0};
  InitiatorPort noc{*this, "noc", 0};
  ControlIn<LineFlushIf> flush{*this, "flush", 0, *this};

 private:
  friend struct FastHits;
  static constexpr int send_unit = 0;
  static constexpr int reply_unit = 1;
  static constexpr int passing = L1BankQueues::passing;
  static constexpr int part = L1BankQueues::part;
  static constexpr int written_back = L1BankQueues::written_back;
  /// The replies of one fill request, or of one access that travels on, in several parts.
  struct Parts {
    int to_come = 0;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  };
  struct Flush {
    LineFlushDoneIf* done;
    int id;
  };

  void end_of_elaboration() override;
  void visit(Cycle now);
  void visit_prefetching(Cycle now);

  // Intake.
  Accept hold();
  Accept enter(Access& access, Cycle at);
  void drain(Cycle now);
  void retry_held(Cycle now);
  bool port_busy(const Access& access, Cycle now);
  bool wait_for_port();
  bool wait_for_banks(const Access& access, Cycle now);
  void occupy(Address line, std::uint8_t sectors, Cycle now, Cycle more_cycles);
  /// `waiting_` without the one that the port knows of: in queues of the design.
  int queued() const { return waiting_ - (sm.holding() ? 1 : 0); }

  // Lookup.
  L1Decision take(Txn& txn, Cycle now);
  L1Decision lookup_observed(Access& access, Cycle now);
  void count(const Access& access, L1Outcome outcome, Cycle now);
  void begin_stall(L1Stall stall, Cycle now);
  void end_stall(Cycle now);

  // Requests.
  void request_fill(Access& access, const L1Decision& decision, Cycle ready);
  void forward(Access& access, Cycle ready);
  /// It lies in several lines of the address map, or in parts of one that are requested apart.
  bool is_large(std::uint8_t sectors) const { return sectors >> request_sectors_ != 0; }
  int queue_parts(Access& access, std::uint8_t sectors, PartMask named, int route, Cycle ready);
  void queue_request(Access& access, Cycle ready);
  void send(Cycle now);

  // Prefetches.
  void prefetch(Cycle now);
  /// One waits, and may go as soon as no access needs the port, the miss queue or the link.
  bool may_prefetch() const { return prefetches_ != nullptr && prefetches_->wants(); }

  // Fills.
  bool is_last_part(Txn& reply, int fetch);  ///< false when more parts of this fill are to come
  Access* end_part(Txn& reply);              ///< the access that this part was the last of, or null

  // Replies.
  void queue_hit(Access& access, Cycle now);
  void queue_reply(Access& access, Cycle ready);
  void reply(Cycle now);
  void book_reply();

  // Write-backs and flushes.
  /// What has left the design dirty is a request each, from cycle `now` + miss_latency on.
  void send_write_backs(Cycle ledger, Cycle now);
  void write_back_answered(Txn& reply);
  void begin_flush(LineFlushDoneIf& done, int id) override;
  void begin_flush_of_some(LineFlushDoneIf& done, int id) override;
  void begin_kernel(std::uint64_t shared_bytes) override;
  /// Nothing of this L1 is under way that a flush waits for.
  bool may_end_flush() const {
    return write_backs_ == 0 && (prefetches_ == nullptr || prefetches_->unit().under_way() == 0);
  }
  void end_flushes();

  CacheDesign& design_;
  QueuedAccessesIf* const queues_;
  L1Accounts accounts_;
  L1Places places_;
  const Cycle latency_, miss_latency_, port_cycles_;
  const bool keeps_local_;  // stores to local memory stay here
  const std::uint8_t
      request_sectors_;     // that a request asks for: a line of the address map, or a part of one
  bool hits_wait_ = false;  // for their turn on the way back
  const std::unique_ptr<L1Data> data_;              // null: no bytes are carried
  const std::unique_ptr<L1Prefetches> prefetches_;  // null: there is no prefetcher

  Cycle port_free_ = 0;            // never: when a hit has left
  L1Banks banks_;                  // plain: a line a cycle, through the port
  int waiting_ = 0;                // accesses for the cache: held, or in queues of the design
  L1Stall stall_ = L1Stall::none;  // of the one that is next
  Cycle stalled_since_ = 0;
  L1Stall waits_for_ = L1Stall::none;  // why it would stall again; none: it is to be looked up

  L1BankQueues behind_banks_;
  AccessFifo requests_;  // the miss queue
  Cycle noc_free_ = 0;
  int passing_count_ = 0;     // accesses of the SM between this L1 and the LLC
  std::vector<Parts> parts_;  // by fetch; empty where each is one request
  TxnPool pool_;

  AccessFifo fills_;      // replies of the LLC
  AccessFifo late_hits_;  // hits of accesses that had been held, or all of them
  Cycle reply_free_ = 0;

  int write_backs_ = 0;         // requests without an answer
  std::vector<Flush> flushes_;  // that wait for them, or for prefetches

  int prefetch_requests_ = 0;  // at the head of the miss queue; they are not counted in its places
};

}  // namespace strata
