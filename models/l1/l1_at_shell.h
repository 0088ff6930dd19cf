#pragma once

#include <algorithm>

#include "models/l1/l1_bank_queues.h"
#include "models/l1/l1_data.h"
#include "models/l1/l1_front.h"
#include "models/l1/watched_l1.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "models/tlm/txn_pool.h"

namespace strata {

/// An L1 between an SM and the first link towards the LLC: what does not depend on its organization.
///
/// Hits are answered at once with the annotated hit latency; behind a network they leave one by one, as late
/// replies do, and at most as many are under way as the latency has cycles. Misses become fetches of what the
/// organization asks for; stores, atomics and bypassing loads travel on as they are. One access a port_cycles
/// enters, or several that need different banks, one request a cycle leaves, one late reply a cycle goes
/// back. An access that finds the port busy or no room is held (END_REQ withheld).
class L1AtShell : public Block, public WatchedL1, public L1Front, protected LineFlushIf {
 public:
  static constexpr bool carries_data = true;
  void request_unblocked(int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;

  const StatSet& stats() const override { return accounts_.stats; }
  const L1Stats& counters() const { return accounts_.stats; }
  void reset_stats() override { accounts_.reset(organization_); }
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;
  void watch_accesses(AccessWatchIf* watch) override { accounts_.watch = watch; }
  bool holds(Address line, std::uint8_t chunks) const override;

  TargetPort sm{*this, "sm", 0};
  InitiatorPort noc{*this, "noc", 0};
  ControlIn<LineFlushIf> flush{*this, "flush", 0, *this};

 protected:
  static constexpr int send_unit = 0;
  static constexpr int reply_unit = 1;
  static constexpr int passing = L1BankQueues::passing;
  static constexpr int part = L1BankQueues::part;
  static constexpr int written_back = L1BankQueues::written_back;

  L1AtShell(sc_core::sc_module_name name, L1Organization& organization, Bytes line,
            const BuildContext& context);
  /// The access that is held or queued: it waits for the port, or for what ends its stall.
  virtual void retry(Cycle now) = 0;
  void fetch(Access& access, const L1Decision& decision, Cycle ready);
  void forward(Access& access, Cycle ready);
  /// False when more parts of this fetch are to come.
  bool is_last(Txn& reply, int fetch) { return !splits_ || is_last_part(reply, fetch); }
  /// What has left the organization dirty is a request each, from cycle `now` + miss_latency on.
  void send_write_backs(Cycle ledger, Cycle now);
  void write_back_answered(Txn& reply);
  Access* end_part(Txn& reply);  ///< the access that this part was the last of, or null
  [[gnu::always_inline]] void queue_request(Access& access, Cycle ready) {
    access.ready = ready;
    if (bank_queues_ && !access.bypass_l1) return queue_behind_bank(access);
    const bool first = requests_.empty() && !noc.blocked();
    requests_.push(access);
    if (first) book(std::max(ready, noc_free_), send_unit);
  }
  void queue_behind_bank(Access& access);
  void queue_hit(Access& access, Cycle now);
  /// `waiting_` without the one that the port knows of: in queues of the organization.
  int queued() const { return waiting_ - (sm.holding() ? 1 : 0); }
  Accept hold() {
    ++waiting_;
    return Accept::held();
  }
  bool port_busy(const Access& access, Cycle now) {
    return now < port_free_ ? wait_for_port() : banked_ && wait_for_banks(access, now);
  }
  [[gnu::always_inline]] void occupy(Address line, std::uint8_t chunks, Cycle now, Cycle more_cycles) {
    port_free_ = now + more_cycles + (banked_ ? 0 : port_cycles_);
    if (banked_) banks_.occupy(line, chunks, now);
  }
  bool wait_for_port();
  bool wait_for_banks(const Access& access, Cycle now);
  /// A reply for the SM, in cycle `ready` or when those before it have left.
  void deliver(Access& access, Cycle ready) {
    access.ready = ready;
    if (fills_.empty() && !sm.response_blocked()) book(std::max(ready, reply_free_), reply_unit);
    fills_.push(access);
  }

  // What requests need, and what replies do.
  alignas(64) AccessFifo requests_;  // towards the LLC
  Cycle noc_free_ = 0;
  int waiting_ = 0;        // for the cache: held, or in queues of the organization
  int passing_count_ = 0;  // accesses of others between us and the LLC
  Cycle stalled_since_ = 0;
  alignas(64) AccessFifo fills_;  // replies of the LLC
  AccessFifo late_hits_;          // hits of accesses that had been held, or all of them
  Cycle reply_free_ = 0;
  const std::unique_ptr<L1Data> data_;  // null: nothing is carried
  L1Banks banks_;
  L1BankQueues behind_banks_;

 private:
  void end_of_elaboration() override;
  /// It lies in several lines of the address map, or in parts of one that are requested apart.
  bool is_large(std::uint8_t chunks) const { return chunks >> request_chunks_ != 0; }
  int queue_parts(Access& access, std::uint8_t chunks, PartMask named, int route, Cycle ready);
  bool is_last_part(Txn& reply, int fetch);
  void visit(Cycle now);
  void send(Cycle now);
  void reply(Cycle now);
  void begin_flush(LineFlushDoneIf& done, int id) override;
  void begin_flush_of_some(LineFlushDoneIf& done, int id) override;
  void begin_kernel(std::uint64_t shared_bytes) override;
  struct Parts {
    int to_come = 0;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  };
  L1Organization& organization_;
  struct Flush {
    LineFlushDoneIf* done;
    int id;
  };
  int write_backs_ = 0;         // requests without an answer
  std::vector<Flush> flushes_;  // that wait for them
  std::vector<Parts> parts_;    // by fetch; empty where no line is larger, and banks have no MSHRs
  TxnPool pool_;
};

}  // namespace strata

#include "models/l1/l1_at_shell_hot.h"  // how misses leave
