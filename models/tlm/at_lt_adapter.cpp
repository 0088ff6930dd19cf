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
  if (free_places_.empty()) {
    free_places_.push_back(static_cast<std::uint16_t>(waiting_.size()));
    waiting_.emplace_back();
  }
  const std::uint16_t place = free_places_.back();
  free_places_.pop_back();
  waiting_[place] = {&txn, answer.waits};
  due_.push(answer.done, place);
  const Cycle due = std::max(answer.done, link_free_);
  if (in.response_blocked()) return;
  if (clock().running() && due <= clock().now()) return advance(clock().now(), 0);
  book(due);
}

void AtLtAdapter::accepted(int, Cycle at) {
  in.accept(at);
}

void AtLtAdapter::advance(Cycle now, int) {
  if (due_.empty() || in.response_blocked()) return;
  const Cycle due = std::max(due_.next(), link_free_);
  if (due > now) return book(due);
  const TimeHeap::Event event = due_.pop();
  const std::uint16_t place = event.value;
  free_places_.push_back(place);
  ++stats_.responses;
  began_ = now;
  Txn& txn = *waiting_[place].txn;
  Access& access = txn.access();
  if (event.at < now && ledger_now() > access.ledger.mark())
    access.ledger.charge(waiting_[place].cause, ledger_now());
  const Accept accept = in.respond(txn);
  if (accept.is_held()) return;
  link_free_ = std::max(accept.at, now + 1);
  out.answer_taken(now, accept.at);
  if (!due_.empty()) book(std::max(due_.next(), link_free_));
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
  if (due_.empty()) return {};
  return {{{name(), 0, 0}, std::to_string(due_.size()) + " responses wait"}};
}

std::vector<WaitNote> AtLtAdapter::waits() const {
  if (!in.response_blocked()) return {};
  return {{"responses", "", static_cast<int>(due_.size()), 0, nullptr}};
}

}  // namespace strata
