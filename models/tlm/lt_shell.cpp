#include "models/tlm/lt_shell.h"

#include <algorithm>

namespace strata {

LtInitiatorPort::LtInitiatorPort(LtShell& owner, const std::string& group, int index)
    : LtInitiatorPort(static_cast<Block&>(owner), group, index, &owner) {}

LtTargetPort& LtShell::target(int id) const {
  return *targets_[static_cast<std::size_t>(id)];
}

LtInitiatorPort& LtShell::initiator(int index) const {
  return *initiators_[static_cast<std::size_t>(index)];
}

void LtShell::end_of_elaboration() {
  for (PortBase* port : ports()) {
    if (auto* in = dynamic_cast<LtTargetPort*>(port)) targets_.push_back(in);
    if (auto* out = dynamic_cast<LtInitiatorPort*>(port)) initiators_.push_back(out);
  }
}

// What comes in this cycle or the next is taken at once, as at blocks do.
LtAnswer LtShell::post(Txn& txn, int port, Cycle at) {
  LtTargetPort& in = target(port);
  if (at > clock().now() + 1 || requests_wait(in) || in.announced_ != 0) {
    ++in.announced_;
    announce(txn, port, What::request, at);
    return {requests_wait(in) ? never : at + 1, never};
  }
  const Accept accept = offer(in, txn, at);
  if (accept.is_done()) return {accept.at, accept.at, true};
  return {accept.is_held() ? never : accept.at, never};
}

void LtShell::announce(Txn& txn, int port, What what, Cycle at) {
  if (free_places_.empty()) {
    free_places_.push_back(static_cast<std::uint16_t>(places_.size()));
    places_.emplace_back();
  }
  const std::uint16_t place = free_places_.back();
  free_places_.pop_back();
  places_[place] = {&txn, port, what};
  due_.push(at, place);
  book(at, arrival_unit);
}

Accept LtShell::offer(LtTargetPort& port, Txn& txn, Cycle at) {
  const Accept accept = request(txn, port.id_, at);
  if (accept.is_held()) port.held_ = &txn;
  return accept;
}

void LtShell::present(Cycle now) {
  present_queued(now);
  while (due_.next() <= now) {
    const std::uint16_t place = due_.pop().value;
    free_places_.push_back(place);
    present_due(Due(places_[place]), now);
  }
}

// One a port and cycle of those that had to wait behind a held one.
void LtShell::present_queued(Cycle now) {
  for (LtTargetPort* port : targets_) {
    if (port->held_ != nullptr || port->queue_.empty()) continue;
    Txn& txn = Txn::of(port->queue_.pop());
    const Accept accept = offer(*port, txn, now);
    if (accept.is_done()) port->answer(txn, {0, accept.at});
    if (accept.is_held()) continue;
    if (port->queue_.empty())
      port->tell_accepted(accept.at);
    else
      book(std::max(accept.at, now + 1), arrival_unit);
  }
  for (LtInitiatorPort* port : initiators_) {
    if (port->held_ != nullptr || port->queue_.empty()) continue;
    deliver(*port, Txn::of(port->queue_.pop()), now);
    if (!port->queue_.empty()) book(now + 1, arrival_unit);
  }
}

void LtShell::present_due(const Due& due, Cycle now) {
  Access& access = due.txn->access();
  if (due.what == What::answer) {
    LtInitiatorPort& port = initiator(due.port);
    if (answers_wait(port)) return port.queue_.push(access);
    return deliver(port, *due.txn, now);
  }
  LtTargetPort& port = target(due.port);
  --port.announced_;
  if (requests_wait(port)) return port.queue_.push(access);
  const Accept accept = offer(port, *due.txn, now);
  if (accept.is_done()) port.answer(*due.txn, {0, accept.at});
  if (accept.is_held()) port.tell_refused();
}

void LtShell::deliver(LtInitiatorPort& port, Txn& txn, Cycle at) {
  port.began_ = at;
  const Accept accept = response(txn, port.index(), at);
  if (accept.is_held()) {
    port.held_ = &txn;
  } else {
    port.answer_taken(at, accept.at);
  }
}

void LtShell::answered(Txn& txn, int port, const LtAnswer& answer) {
  LtInitiatorPort& in = initiator(port);
  if (answer.done > clock().now()) return announce(txn, port, What::answer, answer.done);
  if (answers_wait(in)) return in.queue_.push(txn.access());
  deliver(in, txn, clock().now());
}

void LtShell::accepted(int port, Cycle at) {
  request_unblocked(port, at);
}

void LtShell::answer_taken(int port, Cycle, Cycle until) {
  LtTargetPort& in = target(port);
  if (!in.responding_) return;  // answered without a response of its own: nothing waits for its end
  in.responding_ = false;
  in.taken_ = until;
  if (!in.in_respond_) response_unblocked(port, until);
}

}  // namespace strata
