#include "models/l1/l1_lt_shell_hot.h"

namespace strata {

L1LtShell::L1LtShell(sc_core::sc_module_name module_name, L1Organization& organization,
                     const BuildContext& context)
    : LtBlock(module_name, context.clock, 1, context.place_as(Role::l1)),
      accounts_(organization),
      places_(*this),
      latency_(static_cast<Cycle>(organization.params().hit_latency())),
      miss_latency_(static_cast<Cycle>(organization.params().miss_latency)),
      port_cycles_(static_cast<Cycle>(organization.params().port_cycles)),
      fetches_(static_cast<std::size_t>(organization.fetches())),
      pool_(&context.clock.places()),
      organization_(organization) {}

// The miss queue counts what has left it only where it may be full.
void L1LtShell::take_departures(Cycle until) {
  for (; departures_.next() < until; departures_.pop()) ++accounts_.room_left;
}

// What ends the stall of the held access may be known now.
void L1LtShell::resume() {
  Txn& txn = *held_.txn;
  LtAnswer told = retry(true);
  if (told.accepted == never) return;
  sm.accept(told.accepted);
  if (told.done == never) return;
  told.at_once = false;
  sm.answer(txn, told);
}

void L1LtShell::end_stall(Access& access) {
  held_.txn = nullptr;
  accounts_.count_stall(held_.stall, held_.now - held_.since);
  access.ledger.charge_until(places_.of(held_.stall), clock().ledger_at(held_.now));
}

void L1LtShell::fail(const AccessFifo& waiters, tlm::tlm_response_status status) {
  for (Access* waiter = &waiters.front(); waiter != nullptr; waiter = waiter->next)
    Txn::of(*waiter).set_response_status(status);
}

// Where requests were refused that had been announced ahead, each goes in its own cycle.
void L1LtShell::post_waiting() {
  while (!out_.empty() && noc_free_ != never) {
    const Cycle due = std::max(out_.front().ready, noc_free_);
    if (refused_ && due > clock().now() + 1) return book(due - 1);
    Access& access = out_.pop();
    const LtAnswer answer = depart(Txn::of(access), access.ready, true);
    if (answer.done != never) take_answer(Txn::of(access), answer.done, arrive(access, answer.done));
  }
  if (out_.empty()) refused_ = false;
}

void L1LtShell::advance(Cycle, int) {
  post_waiting();
  if (held_.txn != nullptr) resume();
}

// The link is free again.
void L1LtShell::accepted(int, Cycle at) {
  noc_free_ = std::max(at, announced_);
  post_waiting();
  if (held_.txn != nullptr) resume();
}

// A request that was announced ahead has found the link busy, and others announced after it wait there.
void L1LtShell::refused(int) {
  if (noc_free_ != never) announced_ = noc_free_;
  noc_free_ = never;
  refused_ = true;
}

// What its source has asked for ahead of time and will be here later is not kept either.
void L1LtShell::begin_flush(LineFlushDoneIf& done, int id) {
  settle(clock().now());
  ++accounts_.stats.flushes;
  ++accounts_.stats.replies;
  organization_.flush();
  done.lines_flushed(id);
}

unsigned L1LtShell::debug(tlm::tlm_generic_payload& payload, int) {
  return noc.debug(payload);
}

Faults L1LtShell::check_idle() const {
  Faults faults;
  const auto blame = [&](std::string message) { faults.push_back({{name(), 0, 0}, std::move(message)}); };
  if (const int left = organization_.fetching(); left != 0)
    blame(std::to_string(left) + " lines are still being fetched");
  if (!out_.empty() || held_.txn != nullptr) blame("accesses wait for their link");
  if (passing_count_ != 0) blame(std::to_string(passing_count_) + " forwarded accesses were never answered");
  if (pool_.in_use() != 0) blame(std::to_string(pool_.in_use()) + " fetches were never released");
  return faults;
}

}  // namespace strata
