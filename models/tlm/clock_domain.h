#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <systemc>

#include "models/common/ledger_places.h"
#include "models/common/timing_wheel.h"
#include "models/tlm/clock_edges.h"
#include "models/tlm/cycle_ratio.h"

namespace strata {

class Block;

/// One clock: converts between integer cycles and sc_time exactly, and owns the wheel that wakes blocks.
///
/// Wakes deduplicate, nothing allocates and the order within a cycle is by id, therefore deterministic. There
/// is one sc_event and one SC_METHOD per domain, notified only for the next cycle that somebody booked; an
/// idle domain costs nothing.
class ClockDomain final : public sc_core::sc_module {
 public:
  /// `ledger`: the domain whose cycles the latency ledger counts (the core clock); null = this one.
  ClockDomain(sc_core::sc_module_name name, Hertz frequency, ClockDomain* ledger = nullptr);

  Hertz frequency() const { return edges_.frequency(); }
  /// Register the units of a block, the first of which gets the id that is returned; ids are walked in their
  /// order, 64 a word of the wheel, those of a block in one sheet. Before simulation starts only.
  int join(Block& block, int units);
  /// Where the state lies that `id` touches first: hundreds of units take turns, so it is asked for ahead.
  void touches_first(int id, const void* state) { member(id).state = static_cast<const char*>(state); }
  /// What visits a unit; by default its block's advance(), which is looked up in yet another cache line.
  using Visit = void (*)(Block& block, Cycle now, int unit);
  void visited_by(int id, Visit visit) { member(id).visit = visit; }
  /// Words of one sheet of the wheel for a block that takes their turns itself: it is visited when any has
  /// one. Returns the first.
  std::uint64_t* join_words(Block& block, std::size_t words, Visit visit, const void* state);
  /// For such a block: it books for a cycle after now() without further ado, and calls catch_up() then.
  TimingWheel& wheel() { return wheel_; }
  void catch_up() {
    if (!running()) [[unlikely]]
      schedule_next();
  }

  /// The cycle that is being executed, or, called from outside this domain, the first that can still react.
  Cycle now() const { return running() ? now_ : next_reachable(); }
  bool running() const { return wheel_.under_way(); }
  /// Wake the unit that has a number in a word; a cycle that cannot be reached any more becomes the next one
  /// that can.
  void book(std::uint64_t* word, std::size_t number, Cycle cycle) {
    wheel_.book(word, number, std::max(cycle, running() ? wheel_.first() : next_reachable()));
    catch_up();
  }

  /// Cycle in which an annotated arrival after `delay` is seen: that of the first edge not before it.
  Cycle arrival(const sc_core::sc_time& delay) const {
    if (running()) {
      const auto value = static_cast<std::int64_t>(delay.value());
      return value == 0 ? now_ : now_ + edges_.cycles_in(value);
    }
    return arrival_from_outside(delay);
  }

  /// arrival(from.delay_to(at)), without the way over sc_time where the two clocks allow it.
  Cycle arrival_from(const ClockDomain& from, Cycle at) const {
    const CycleRatio& ratio = ratio_from(from);
    if (!ratio.covers(at)) return arrival(from.delay_to(at));
    if (running()) return std::max(now_, ratio.up(at));
    if (from.running()) return std::max(wheel_.first(), ratio.up(std::max(at, from.now_)));
    return std::max(next_reachable(), ratio.up(at));
  }

  /// The first cycle, now or later, whose edge `to` sees in its cycle `at` or a later one: from when on a
  /// link into `to` can be used from here that is taken there until `at`. So each side may use it in every
  /// cycle of its own, as often as the slower one has cycles.
  Cycle free_from(const ClockDomain& to, Cycle at) const;
  /// Annotation that makes an event happen at the edge of `cycle`; zero if that edge is past.
  sc_core::sc_time delay_to(Cycle cycle) const {
    return running() && edges_.has_span(cycle - now_) ? edges_.span(phase_, cycle - now_)
                                                      : delay_to_far(cycle);
  }

  Cycle ledger_now() const;  ///< ledger clock cycle of the last ledger edge not after the current time
  /// Ledger clock cycle of the edge of `cycle` of this domain.
  [[gnu::always_inline]] Cycle ledger_at(Cycle cycle) const {
    return ledger_ == this ? cycle : ledger_of(cycle);
  }
  /// `cycles` of this clock in cycles of the ledger's clock.
  Cycle ledger_cycles(Cycle cycles) const { return ledger_at(cycles) - ledger_at(0); }
  LedgerPlaces& places() const { return ledger_->places_; }  ///< of the ledger

  bool carries_data() const { return ledger_->carries_data_; }        ///< payloads carry bytes (`run.data`)
  void carry_data() { ledger_->carries_data_ = true; }                ///< said before its blocks are made
  std::uint64_t edge(Cycle cycle) const { return edges_.at(cycle); }  ///< its exact time in femtoseconds
  /// Last cycle whose edge is not after it.
  Cycle cycle_before(std::uint64_t femtoseconds) const { return edges_.last(femtoseconds); }

  /// Cycles in which at least one unit ran, and wakes delivered: cost figures for
  /// docs/methods/performance.md.
  std::uint64_t active_cycles() const { return active_cycles_; }
  std::uint64_t wakes() const { return wakes_; }
  bool idle() const;  ///< nothing is booked: with work outstanding, that is a deadlock

 private:
  Cycle ledger_of(Cycle cycle) const {
    return to_ledger_.covers(cycle) ? to_ledger_.down(cycle) : ledger_->cycle_before(edge(cycle));
  }
  struct Member {
    Visit visit = nullptr;
    Block* block = nullptr;
    const char* state = nullptr;
    int unit = 0;
  };
  Member& member(int id) { return members_[static_cast<std::size_t>(id)]; }
  void end_of_elaboration() override;
  void tick();
  void schedule_next();
  void add_word();
  void leave_row(std::size_t words);
  Cycle next_reachable() const {
    const std::uint64_t time = sc_core::sc_time_stamp().value();
    if (time != reached_time_) {
      reached_time_ = time;
      reached_ = edges_.first(time);
    }
    return std::max(wheel_.first(), reached_);
  }
  const CycleRatio& ratio_from(const ClockDomain& from) const { return crossings_.from(from.frequency()); }
  Cycle arrival_from_outside(const sc_core::sc_time& delay) const;
  sc_core::sc_time delay_to_far(Cycle cycle) const;
  void schedule(Cycle cycle);

  ClockEdges edges_;
  ClockDomain* ledger_;
  CycleRatio to_ledger_;
  CycleRatios crossings_;
  Cycle now_ = 0;                           // the last cycle that ran
  Cycle scheduled_ = never;                 // cycle for which the event is notified
  mutable std::uint64_t reached_time_ = 0;  // the last time asked for from outside,
  mutable Cycle reached_ = 0;               // and the first cycle that is not before it
  std::size_t phase_ = 0;                   // of the present cycle
  TimingWheel wheel_;
  std::vector<Member> members_;       // by id
  std::vector<std::uint32_t> owned_;  // by sheet: words whose ids belong together, as a bitmap
  std::size_t joined_ = 0;            // ids given away or left out
  std::uint64_t active_cycles_ = 0, wakes_ = 0;
  sc_core::sc_event event_;
  mutable LedgerPlaces places_;  // of the domain that the ledger counts
  bool carries_data_ = false;    // said to it
};

}  // namespace strata
