#include "models/tlm/clock_domain.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "models/tlm/block.h"

namespace strata {
namespace {

constexpr std::uint64_t femtoseconds_per_second = 1'000'000'000'000'000ULL;
constexpr std::uint64_t most_span_rows = 16;  // clocks with a longer phase pattern compute their delays

using Wide = unsigned __int128;

}  // namespace

ClockDomain::ClockDomain(sc_core::sc_module_name name, Hertz frequency, ClockDomain* ledger)
    : sc_module(name),
      frequency_(frequency),
      ledger_(ledger != nullptr ? ledger : this),
      to_ledger_(frequency, ledger_->frequency_),
      last_crossing_{this, CycleRatio(frequency, frequency)} {
  const std::uint64_t common = std::gcd(femtoseconds_per_second, frequency.count);
  period_num_ = femtoseconds_per_second / common;
  period_den_ = frequency.count / common;
  narrow_ = static_cast<Wide>(period_num_) * period_den_ < std::numeric_limits<std::uint64_t>::max() / 4;
  const double period = static_cast<double>(period_num_) / static_cast<double>(period_den_);
  cycles_per_fs_ = 1.0 / period;
  round_up_ = 1.0 - 2.0 / period;
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_FS))
    SC_REPORT_FATAL("strata/clock",
                    "the time resolution must be 1 fs: call sc_set_time_resolution(1, SC_FS) first");
  span_rows_ = period_den_ <= most_span_rows ? period_den_ : 0;
  for (std::uint64_t row = 0; row < span_rows_; ++row)
    for (std::uint64_t n = 0; n < span_cycles; ++n)
      spans_.push_back(sc_core::sc_time::from_value(edge(row + n) - edge(row)));
  SC_HAS_PROCESS(ClockDomain);
  SC_METHOD(tick);
  sensitive << event_;
  dont_initialize();
}

int ClockDomain::join(Block& block, int unit) {
  members_.push_back({&block, unit, reinterpret_cast<const char*>(&block)});
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
  base_ = now_;
  if (span_rows_ != 0) phase_ = now_ % span_rows_;
  for (; !far_.empty() && far_.top().first - base_ < turns_.horizon; far_.pop())
    turns_.set(static_cast<std::size_t>(far_.top().second), far_.top().first);
  std::uint64_t* const turns = turns_.take(now_);
  for (std::size_t word = 0; word < turns_.words(); ++word) {
    std::uint64_t due = turns[word];
    turns[word] = 0;
    for (std::uint64_t ahead = due; ahead != 0; ahead &= ahead - 1) {
      const char* state = members_[word * 64 + static_cast<std::size_t>(__builtin_ctzll(ahead))].state;
      __builtin_prefetch(state);
      __builtin_prefetch(state + 64);
    }
    while (due != 0) {
      ++wakes_;
      const Member& member = members_[word * 64 + static_cast<std::size_t>(__builtin_ctzll(due))];
      due &= due - 1;
      member.block->advance(now_, member.unit);
    }
  }
  next_free_ = now_ + 1;
  scheduled_ = next_booked();
  if (scheduled_ != never) event_.notify(delay_to(scheduled_));
  running_ = false;
}

bool ClockDomain::idle() const {
  return next_booked() == never;
}

void ClockDomain::book_far(int id, Cycle cycle) {
  far_.emplace(cycle, id);
}

void ClockDomain::schedule(Cycle cycle) {
  scheduled_ = cycle;
  event_.notify(delay_to_far(cycle));
}

std::uint64_t ClockDomain::edge(Cycle cycle) const {
  const std::uint64_t whole = cycle / period_den_;
  const std::uint64_t rest = cycle % period_den_;
  if (narrow_) return whole * period_num_ + (rest * period_num_ * 2 + period_den_) / (2 * period_den_);
  return whole * period_num_ +
         static_cast<std::uint64_t>((static_cast<Wide>(rest) * period_num_ * 2 + period_den_) /
                                    (2 * period_den_));
}

Cycle ClockDomain::cycle_before(std::uint64_t femtoseconds) const {
  if (narrow_) {
    const std::uint64_t part = femtoseconds % period_num_ * period_den_;
    const Cycle exact = femtoseconds / period_num_ * period_den_ + part / period_num_;
    // The edge after it may have been rounded down to this very femtosecond.
    return 2 * (period_num_ - part % period_num_) < period_den_ ? exact + 1 : exact;
  }
  Cycle cycle = static_cast<Cycle>(static_cast<Wide>(femtoseconds) * period_den_ / period_num_);
  while (edge(cycle + 1) <= femtoseconds) ++cycle;
  while (cycle > 0 && edge(cycle) > femtoseconds) --cycle;
  return cycle;
}

Cycle ClockDomain::cycle_not_before(std::uint64_t femtoseconds) const {
  const Cycle cycle = cycle_before(femtoseconds);
  return edge(cycle) == femtoseconds ? cycle : cycle + 1;
}

const CycleRatio& ClockDomain::other_ratio_from(const ClockDomain& from) const {
  const auto known = std::find_if(crossings_.begin(), crossings_.end(),
                                  [&](const Crossing& crossing) { return crossing.from == &from; });
  last_crossing_ =
      known != crossings_.end() ? *known : Crossing{&from, CycleRatio(from.frequency_, frequency_)};
  if (known == crossings_.end()) crossings_.push_back(last_crossing_);
  return last_crossing_.ratio;
}

Cycle ClockDomain::arrival_from_outside(const sc_core::sc_time& delay) const {
  return std::max(next_free_, cycle_not_before(sc_core::sc_time_stamp().value() + delay.value()));
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
