#include "tb/support/cache_bench.h"

#include <algorithm>

namespace strata::tb {

ScriptedInitiator::ScriptedInitiator(sc_core::sc_module_name module_name, ClockDomain& clock,
                                     std::vector<Order> orders, unsigned slowness, std::uint64_t seed)
    : Block(module_name, clock, 2),
      answers(orders.size()),
      orders_(std::move(orders)),
      slowness_(slowness),
      random_(seed) {
  if (!orders_.empty()) book(orders_[0].at, 0);
}

void ScriptedInitiator::advance(Cycle now, int unit) {
  if (unit == 1) {
    Txn& txn = *out.held();
    out.accept(now + 1);
    return finish(txn, now);
  }
  if (next_ == orders_.size() || out.blocked()) return;
  const Order& order = orders_[next_];
  const Cycle due = std::max(order.at, free_);
  if (due > now) return book(due, 0);
  Txn& txn = pool.make(order.access_class, order.line, order.sectors, ledger_now());
  copy_identity(Access{}, txn.access());
  txn.access().bypass_l1 = order.bypass_l1;
  txn.access().non_coherent = order.non_coherent;
  txn.access().local = order.local;
  txn.access().warp = order.warp;
  if (order.access_class == AccessClass::atomic) {
    txn.access().lanes = order.lanes;
    txn.access().reduces = order.reduces;
  }
  txn.access().cta = static_cast<std::uint32_t>(next_);
  answers[next_].sent = now;
  ++next_;
  const Accept accept = out.send(txn);
  free_ = accept.is_taken() ? std::max(accept.at, now + 1) : now + 1;
  if (accept.is_done()) {
    answers[txn.access().cta].at_once = true;
    finish(txn, accept.at);
  }
  if (next_ < orders_.size() && !accept.is_held()) book(std::max(orders_[next_].at, free_), 0);
}

void ScriptedInitiator::request_unblocked(int, Cycle at) {
  free_ = at;
  if (next_ < orders_.size()) book(std::max(orders_[next_].at, at), 0);
}

Accept ScriptedInitiator::response(Txn& txn, int, Cycle at) {
  if (slowness_ != 0 && random_() % 2 == 0) {
    book(at + 1 + random_() % slowness_, 1);
    return Accept::held();
  }
  finish(txn, at);
  return Accept::taken(at + 1);
}

void ScriptedInitiator::finish(Txn& txn, Cycle at) {
  Access& access = txn.access();
  Answer& answer = answers.at(access.cta);
  if (answer.at != never) SC_REPORT_ERROR(name(), "an access was answered twice");
  if (access.failed != 0) SC_REPORT_ERROR(name(), "an access was answered with an error");
  if (access.ledger.sum() != access.ledger.mark() - access.birth)
    SC_REPORT_ERROR(name(), "the ledger does not sum to its mark");
  if (access.ledger.mark() > clock().ledger_at(at)) SC_REPORT_ERROR(name(), "the ledger is ahead of time");
  answer.at = at;
  answer.ledger = access.ledger;
  answer.spare_words = access.spare_words;
  ++answered_;
  txn.release();
}

DelayTarget::DelayTarget(sc_core::sc_module_name module_name, ClockDomain& clock, Cycle latency,
                         unsigned jitter, std::uint64_t seed)
    : Block(module_name, clock, 2), latency_(latency), jitter_(jitter), random_(seed) {}

Accept DelayTarget::request(Txn& txn, int, Cycle at) {
  if (jitter_ != 0 && random_() % 3 == 0) {
    book(at + 1 + random_() % jitter_, 1);
    return Accept::held();
  }
  take(txn, at);
  return Accept::taken(at + 1);
}

void DelayTarget::take(Txn& txn, Cycle at) {
  const Access& access = txn.access();
  const bool atomic = access.access_class == AccessClass::atomic;
  arrivals.push_back({at, access.access_class, access.line, access.sectors,
                      atomic ? access.lanes : AtomicLanes{}, atomic && access.reduces});
  const Cycle ready = at + latency_ + (jitter_ == 0 ? 0 : random_() % jitter_);
  pending_.emplace(ready, &txn);
  book(std::max(ready, free_), 0);
}

void DelayTarget::advance(Cycle now, int unit) {
  if (unit == 1) {
    Txn& txn = *in.held();
    in.accept(now + 1);
    return take(txn, now);
  }
  if (pending_.empty() || in.response_blocked()) return;
  const Cycle due = std::max(pending_.begin()->first, free_);
  if (due > now) return book(due, 0);
  Txn& txn = *pending_.begin()->second;
  pending_.erase(pending_.begin());
  txn.access().ledger.charge(place_for(Cause::external), clock().ledger_at(now));
  const Accept accept = in.respond(txn);
  if (accept.is_held()) return;
  free_ = std::max(accept.at, now + 1);
  if (!pending_.empty()) book(std::max(pending_.begin()->first, free_), 0);
}

void DelayTarget::response_unblocked(int, Cycle at) {
  free_ = at;
  book(at, 0);
}

unsigned DelayTarget::debug(tlm::tlm_generic_payload& payload, int) {
  return payload.get_data_length();
}

}  // namespace strata::tb
