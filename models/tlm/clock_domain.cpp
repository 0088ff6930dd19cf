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

void ClockDomain::add_word() {
  wheel_.add_word();
  members_.resize(wheel_.words() * 64);
  owned_.resize((wheel_.words() - 1) / TimingWheel::row_words + 1);
}

// Room for so many words in one sheet.
void ClockDomain::leave_row(std::size_t words) {
  if (words > TimingWheel::row_words)
    SC_REPORT_ERROR("strata/clock", "a block has more units than 2048, which the timing wheel cannot hold");
  while (wheel_.words() % TimingWheel::row_words + words > TimingWheel::row_words) add_word();
  joined_ = members_.size();
}

int ClockDomain::join(Block& block, int units) {
  constexpr std::size_t sheet = TimingWheel::row_words * 64;
  const auto visit = [](Block& visited, Cycle now, int of) { visited.advance(now, of); };
  const auto count = static_cast<std::size_t>(units);
  if (joined_ % sheet + count > sheet) leave_row((count + 63) / 64);
  const auto first = static_cast<int>(joined_);
  for (int unit = 0; unit < units; ++unit, ++joined_) {
    if (joined_ == members_.size()) add_word();
    members_[joined_] = {visit, &block, reinterpret_cast<const char*>(&block), unit};
  }
  return first;
}

std::uint64_t* ClockDomain::join_words(Block& block, std::size_t words, Visit visit, const void* state) {
  leave_row(words);
  const std::size_t first = wheel_.words();
  for (std::size_t word = first; word < first + words; ++word) {
    add_word();
    members_[word * 64] = {visit, &block, static_cast<const char*>(state), 0};
    owned_.back() |= std::uint32_t{1} << word % TimingWheel::row_words;
  }
  joined_ = members_.size();
  return wheel_.turns(first);
}

void ClockDomain::end_of_elaboration() {
  if (!idle()) schedule(wheel_.next());
}

void ClockDomain::tick() {
  now_ = scheduled_;
  ++active_cycles_;
  phase_ = edges_.phase(now_);
  wheel_.begin(now_);
  // Nobody joins any more: what does not change while units run is kept in registers.
  const Cycle now = now_;
  std::uint64_t wakes = 0;
  const Member* members = members_.data();
  std::size_t left = wheel_.words();
  for (std::size_t sheet = 0; left != 0; ++sheet) {
    std::uint64_t* turns = wheel_.turns(sheet * TimingWheel::row_words) + TimingWheel::place_of(now);
    std::uint64_t* const end = turns + std::min(left, TimingWheel::row_words);
    left -= std::min(left, TimingWheel::row_words);
    for (std::uint32_t owned = owned_[sheet]; turns != end; ++turns, owned >>= 1, members += 64) {
      std::uint64_t due = *turns;
      if (due == 0) continue;
      if ((owned & 1) != 0) {
        members->visit(*members->block, now, 0);
        ++wakes;
        continue;
      }
      *turns = 0;
      // Hundreds of units take turns: the next one's state is asked for while one is visited.
      const Member* member = members + __builtin_ctzll(due);
      for (;;) {
        ++wakes;
        due &= due - 1;
        if (due == 0) break;
        const Member* const next = members + __builtin_ctzll(due);
        __builtin_prefetch(next->state);
        __builtin_prefetch(next->state + 64);
        member->visit(*member->block, now, member->unit);
        member = next;
      }
      member->visit(*member->block, now, member->unit);
    }
  }
  wakes_ += wakes;
  scheduled_ = wheel_.next();
  if (scheduled_ != never) event_.notify(delay_to(scheduled_));
  wheel_.end();
}

bool ClockDomain::idle() const {
  return wheel_.next() == never;
}

// Somebody booked while no cycle runs.
void ClockDomain::schedule_next() {
  const Cycle next = wheel_.next();
  if (next < scheduled_) schedule(next);
}

void ClockDomain::schedule(Cycle cycle) {
  scheduled_ = cycle;
  event_.notify(delay_to_far(cycle));
}

Cycle ClockDomain::arrival_from_outside(const sc_core::sc_time& delay) const {
  return std::max(wheel_.first(), edges_.first(sc_core::sc_time_stamp().value() + delay.value()));
}

Cycle ClockDomain::free_from(const ClockDomain& to, Cycle at) const {
  if (&to == this) return std::max(at, now());
  if (at == 0) return now();
  const CycleRatio& ratio = ratio_from(to);
  const Cycle seen_before = ratio.covers(at) ? ratio.down(at - 1) : cycle_before(to.edge(at - 1));
  return std::max(now(), seen_before + 1);
}

sc_core::sc_time ClockDomain::delay_to_far(Cycle cycle) const {
  if (running() && cycle <= now_) return sc_core::sc_time();
  const std::uint64_t at = edge(cycle);
  const std::uint64_t time = sc_core::sc_time_stamp().value();
  return sc_core::sc_time::from_value(at > time ? at - time : 0);
}

Cycle ClockDomain::ledger_now() const {
  if (ledger_->running()) return ledger_->now_;
  if (ledger_ == this) return now();
  if (running()) return ledger_at(now_);
  return ledger_->cycle_before(sc_core::sc_time_stamp().value());
}

}  // namespace strata
