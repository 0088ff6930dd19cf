#include "models/tlm/clock_domain.h"

#include <algorithm>

#include "models/tlm/block.h"

namespace strata {

ClockDomain::ClockDomain(sc_core::sc_module_name name, Hertz frequency, ClockDomain* ledger)
    : sc_module(name),
      edges_(frequency),
      ledger_(ledger != nullptr ? ledger : this),
      to_ledger_(frequency, ledger_->frequency()),
      crossings_(frequency) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_FS))
    SC_REPORT_FATAL("strata/clock",
                    "the time resolution must be 1 fs: call sc_set_time_resolution(1, SC_FS) first");
  SC_HAS_PROCESS(ClockDomain);
  SC_METHOD(tick);
  sensitive << event_;
  dont_initialize();
}

int ClockDomain::join(Block& block, int unit) {
  const auto visit = [](Block& visited, Cycle now, int of) { visited.advance(now, of); };
  members_.push_back({visit, &block, reinterpret_cast<const char*>(&block), unit});
  turns_.widen(members_.size());
  return static_cast<int>(members_.size()) - 1;
}

void ClockDomain::end_of_elaboration() {
  const Cycle first = next_booked();
  if (first != never) schedule(first);
}

void ClockDomain::tick() {
  now_ = scheduled_;
  running_ = true;
  ++active_cycles_;
  phase_ = edges_.phase(now_);
  for (; !far_.empty() && far_.top().first - now_ < turns_.horizon; far_.pop())
    turns_.set(static_cast<std::size_t>(far_.top().second), far_.top().first);
  // Nobody joins any more: what does not change while units run is kept in registers.
  const Cycle now = now_;
  std::uint64_t wakes = 0;
  std::uint64_t* const turns = turns_.take(now);
  for (std::size_t word = 0; word < turns_.words(); ++word) {
    const Member* const members = members_.data() + word * 64;
    std::uint64_t due = turns[word];
    turns[word] = 0;
    for (std::uint64_t ahead = due; ahead != 0; ahead &= ahead - 1) {
      const char* state = members[__builtin_ctzll(ahead)].state;
      __builtin_prefetch(state);
      __builtin_prefetch(state + 64);
    }
    for (; due != 0; due &= due - 1, ++wakes) {
      const Member& member = members[__builtin_ctzll(due)];
      member.visit(*member.block, now, member.unit);
    }
  }
  wakes_ += wakes;
  next_free_ = now + 1;
  scheduled_ = next_booked();
  if (scheduled_ != never) event_.notify(delay_to(scheduled_));
  running_ = false;
}

Cycle ClockDomain::next_booked() const {
  const Cycle near = turns_.next(next_free_ - 1);
  return far_.empty() ? near : std::min(near, far_.top().first);
}

bool ClockDomain::idle() const {
  return next_booked() == never;
}

// Apart, so that book() stays short enough to be inlined.
void ClockDomain::book_far(int id, Cycle cycle) {
  far_.emplace(cycle, id);
}

void ClockDomain::schedule(Cycle cycle) {
  scheduled_ = cycle;
  event_.notify(delay_to_far(cycle));
}

Cycle ClockDomain::arrival_from_outside(const sc_core::sc_time& delay) const {
  return std::max(next_free_, edges_.first(sc_core::sc_time_stamp().value() + delay.value()));
}

Cycle ClockDomain::free_from(const ClockDomain& to, Cycle at) const {
  if (&to == this) return std::max(at, now());
  if (at == 0) return now();
  const CycleRatio& ratio = ratio_from(to);
  const Cycle seen_before = ratio.covers(at) ? ratio.down(at - 1) : cycle_before(to.edge(at - 1));
  return std::max(now(), seen_before + 1);
}

sc_core::sc_time ClockDomain::delay_to_far(Cycle cycle) const {
  if (running_ && cycle <= now_) return sc_core::sc_time();
  const std::uint64_t at = edge(cycle);
  const std::uint64_t time = sc_core::sc_time_stamp().value();
  return sc_core::sc_time::from_value(at > time ? at - time : 0);
}

Cycle ClockDomain::ledger_now() const {
  if (ledger_->running_) return ledger_->now_;
  if (ledger_ == this) return now();
  if (running_) return ledger_at(now_);
  return ledger_->cycle_before(sc_core::sc_time_stamp().value());
}

}  // namespace strata
