#include "models/tlm/lt_at_adapter.h"

#include <algorithm>

namespace strata {

void LtAtAdapter::Stats::for_each_stat(StatVisitor& visitor) const {
  visitor.counter({"requests", "requests", "requests passed on"}, requests);
  visitor.counter({"responses", "responses", "responses passed back"}, responses);
  visitor.law("requests = responses");
}

LtAtAdapter::LtAtAdapter(sc_core::sc_module_name module_name, ClockDomain& domain)
    : LtShell(module_name, domain, units), pool_(&domain.places()) {}

void LtAtAdapter::end_of_elaboration() {
  LtShell::end_of_elaboration();
  target_ = out.place_beyond(Cause::foreign);
}

Accept LtAtAdapter::request(Txn& txn, int, Cycle at) {
  const Cycle now = clock().now();
  // A call that an answer of another clock has caused comes between two cycles: sent at the next.
  if (at > now || !clock().running() || !can_send(now) || !promised_.empty()) {
    waiting_ = &txn;
    book(std::max(at, free_), send_unit);
    return Accept::held();
  }
  ++stats_.requests;
  const Accept accept = out.send(txn);
  if (accept.is_done()) ++stats_.responses;
  if (accept.is_taken()) free_ = std::max(accept.at, now + 1);
  return accept;
}

void LtAtAdapter::advance(Cycle now, int unit) {
  if (unit == arrival_unit) return present(now);
  if (unit == promised_unit) return send_promised(now);
  if (waiting_ == nullptr || out.blocked()) return;
  if (!can_send(now)) return book(free_, send_unit);
  Txn& txn = *waiting_;
  waiting_ = nullptr;
  ++stats_.requests;
  const Accept accept = out.send(txn);
  if (accept.is_held()) return;
  free_ = std::max(accept.at, now + 1);
  in.accept(free_);
  if (!accept.is_done()) return;
  ++stats_.responses;
  in.answer(txn, {0, accept.at});
}

void LtAtAdapter::request_unblocked(int, Cycle at) {
  free_ = at;
  if (in.holding() && waiting_ == nullptr) return in.accept(at);
  if (waiting_ != nullptr) book(at, send_unit);
  if (!promised_.empty()) book(at, promised_unit);
}

Accept LtAtAdapter::response(Txn& txn, int, Cycle at) {
  ++stats_.responses;
  if (txn.cause == nullptr || txn.cause != &txn.access()) return in.respond(txn, at);
  took_.learn(txn.access().tag, static_cast<std::int64_t>(at - txn.access().ready));
  --open_;
  txn.release();
  return Accept::taken(at + 1);
}

void LtAtAdapter::response_unblocked(int, Cycle at) {
  out.accept(at);
}

LtAnswer LtAtAdapter::transport(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  Txn& copy = pool_.make(access.access_class, access.line, access.chunks, access.ledger.mark());
  copy_identity(access, copy.access());
  copy.cause = &copy.access();  // marks it as nobody's
  copy.access().ready = at;
  copy.access().tag = static_cast<std::uint16_t>(std::min<std::uint32_t>(open_++, 0xffff));
  const auto took = std::max<std::int64_t>(took_.promise(copy.access().tag), 1);
  promised_.push(copy.access());
  book(std::max(at, free_), promised_unit);
  const Cycle done = at + static_cast<Cycle>(took);
  access.ledger.charge_until(target_, clock().ledger_at(done));
  return {at + 1, done};
}

void LtAtAdapter::send_promised(Cycle now) {
  if (promised_.empty() || out.blocked()) return;
  const Cycle due = std::max(promised_.front().ready, free_);
  if (due > now) return book(due, promised_unit);
  Access& access = promised_.pop();
  ++stats_.requests;
  const Accept accept = out.send(Txn::of(access));
  if (accept.is_held()) return;
  free_ = std::max(accept.at, now + 1);
  if (accept.is_done()) response(Txn::of(access), 0, std::max(accept.at, access.ready));
  if (!promised_.empty()) book(free_, promised_unit);
}

unsigned LtAtAdapter::debug(tlm::tlm_generic_payload& payload, int) {
  return out.debug(payload);
}

Faults LtAtAdapter::check_idle() const {
  if (nothing_due() && waiting_ == nullptr && promised_.empty() && open_ == 0) return {};
  return {{{name(), 0, 0}, "requests or responses wait"}};
}

}  // namespace strata
