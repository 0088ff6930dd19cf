#include "models/tlm/at_lt_adapter.h"

#include <algorithm>

namespace strata {

void AtLtAdapter::Stats::for_each_stat(StatVisitor& visitor) const {
  visitor.counter({"requests", "requests", "requests passed on"}, requests);
  visitor.counter({"responses", "responses", "responses passed back"}, responses);
  visitor.law("requests = responses");
}

AtLtAdapter::AtLtAdapter(sc_core::sc_module_name module_name, ClockDomain& domain)
    : Block(module_name, domain) {}

Accept AtLtAdapter::request(Txn& txn, int, Cycle at) {
  ++stats_.requests;
  const LtAnswer answer = out.post(txn, at);
  if (answer.at_once) {
    ++stats_.responses;
    return Accept::done(answer.done);
  }
  if (answer.done != never) answered(txn, 0, answer);
  return answer.accepted == never ? Accept::held() : Accept::taken(std::max(answer.accepted, at));
}

void AtLtAdapter::answered(Txn& txn, int, const LtAnswer& answer) {
  Access& access = txn.access();
  access.ready = answer.done;
  access.tag = static_cast<std::uint16_t>(answer.waits != no_place ? answer.waits : link_);
  Access** place = &first_;
  if (first_ != nullptr && last_->ready <= answer.done) place = &last_->next;
  while (*place != nullptr && (*place)->ready <= answer.done) place = &(*place)->next;
  access.next = *place;
  *place = &access;
  if (access.next == nullptr) last_ = &access;
  ++waiting_;
  const Cycle due = std::max(answer.done, link_free_);
  if (in.response_blocked()) return;
  if (clock().running() && due <= clock().now()) return advance(clock().now(), 0);
  book(due);
}

// Nobody waits for that after a request that was refused: its end had been told.
void AtLtAdapter::accepted(int, Cycle at) {
  if (in.holding()) in.accept(at);
}

void AtLtAdapter::advance(Cycle now, int) {
  if (first_ == nullptr || in.response_blocked()) return;
  const Cycle due = std::max(first_->ready, link_free_);
  if (due > now) return book(due);
  Access& access = *first_;
  first_ = access.next;
  access.next = nullptr;
  --waiting_;
  ++stats_.responses;
  began_ = now;
  if (access.ready < now) access.ledger.charge_until(static_cast<Place>(access.tag), ledger_now());
  const Accept accept = in.respond(Txn::of(access));
  if (accept.is_held()) return;
  link_free_ = std::max(accept.at, now + 1);
  out.answer_taken(now, accept.at);
  if (first_ != nullptr) book(std::max(first_->ready, link_free_));
}

void AtLtAdapter::response_unblocked(int, Cycle at) {
  link_free_ = at;
  out.answer_taken(began_, at);
  book(at);
}

unsigned AtLtAdapter::debug(tlm::tlm_generic_payload& payload, int) {
  return out.debug(payload);
}

Faults AtLtAdapter::check_idle() const {
  if (waiting_ == 0) return {};
  return {{{name(), 0, 0}, std::to_string(waiting_) + " responses wait"}};
}

std::vector<WaitNote> AtLtAdapter::waits() const {
  if (!in.response_blocked()) return {};
  return {{"responses", "", waiting_, 0, first_}};
}

}  // namespace strata
