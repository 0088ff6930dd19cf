#pragma once

#include <cassert>

#include "models/common/cycle_window.h"
#include "models/dram_channel/timing_set.h"

namespace strata {

/// In which cycles commands planned ahead will issue: the command buses, and what the distance between reads
/// keeps free on the channel and in each bank group. Plans may come in any order of time; each gets the first
/// cycle that suits it.
class CommandCalendar {
 public:
  explicit CommandCalendar(const TimingSet& set);

  /// It is cycle `now`: nothing will be planned before it any more.
  void slide(Cycle now) { window_.slide(now); }
  bool row_free(Cycle cycle) {
    reach(cycle, 0);
    return !window_.test(rows, cycle);
  }
  /// The first cycle from `from` on in which the row command bus is free.
  Cycle next_row(Cycle from) const { return window_.first_free(rows, std::max(from, window_.begin())); }
  void take_row(Cycle cycle) {
    reach(cycle, 0);
    window_.set(rows, cycle);
  }
  /// Whether reads of `group` from `from` on should be farther apart than they must: where the distance
  /// within a group is no multiple of that between groups (3 and 2), the nearest reads of one group leave
  /// holes into which no other read fits. That matters where reads of other groups are planned too.
  bool spread(Cycle from, std::size_t group) {
    if (spread_.before == long_.before) return false;
    reach(from, margin_);
    const std::uint64_t* const taken = window_.at(from);
    return (taken[reads] & ~taken[first_group + group]) >> from % 64 != 0;
  }
  Cycle distance(bool spread) const { return (spread ? spread_ : long_).before + 1; }
  /// Take the first cycle from `from` on in which RD may issue in `group`, as far as other reads go.
  Cycle take_read(Cycle from, std::size_t group, bool spread = false) {
    const Distance& within = spread ? spread_ : long_;
    reach(from, margin_);
    std::uint64_t* const taken = window_.at(from);
    const std::uint64_t free = free_reads(taken, group) >> from % 64;
    if (free == 0) return take_read_later(from, group, spread);
    const Cycle place = from % 64 + static_cast<Cycle>(__builtin_ctzll(free));
    const Cycle found = from / 64 * 64 + place;
    taken[rows] |= (std::uint64_t{1} << place) & shared_;
    if (place < within.before || place + within.before >= 64) {
      mark(reads, found, short_);
      mark(first_group + group, found, within);
    } else {
      taken[reads] |= short_.around << (place - short_.before);
      taken[first_group + group] |= within.around << (place - within.before);
    }
    return found;
  }
  /// How many of the 64 cycles from `now` on are taken on the bus of the row commands.
  int busy(Cycle now) {
    reach(now, 64);
    const Cycle passed = now % 64;
    const std::uint64_t next = passed == 0 ? 0 : window_.at(now + 64)[rows] << (64 - passed);
    return __builtin_popcountll(window_.at(now)[rows] >> passed | next);
  }

 private:
  // Of each 64 cycles: the row command bus (with a single bus: the bus), reads on the channel, by group.
  static constexpr std::size_t rows = 0;
  static constexpr std::size_t reads = 1;
  static constexpr std::size_t first_group = 2;

  struct Distance {  // between reads
    explicit Distance(int cycles)
        : before(static_cast<Cycle>(cycles) - 1),
          around(before < 32 ? (std::uint64_t{2} << 2 * before) - 1 : 0) {}
    Cycle before;
    std::uint64_t around;  // a read rules out others in so many cycles: `before`, its own, `before`
  };

  std::uint64_t free_reads(const std::uint64_t* taken, std::size_t group) const {
    return ~((taken[rows] & shared_) | taken[reads] | taken[first_group + group]);
  }
  Cycle take_read_later(Cycle from, std::size_t group, bool spread);
  /// Reads too near to `cycle` are ruled out.
  void mark(std::size_t what, Cycle cycle, const Distance& distance);
  /// Make the window hold `from` and `more` cycles behind it.
  void reach(Cycle from, Cycle more) {
    assert(from >= window_.begin());
    window_.reach(from + more);
  }

  Distance short_;        // to a read of another group
  Distance long_;         // to one of the same
  Distance spread_;       // likewise, so that reads of other groups fit between
  Cycle margin_;          // how far beyond the first cycle that is asked for bits are set
  std::uint64_t shared_;  // all ones: columns take the row command bus too
  CycleWindow window_;
};

}  // namespace strata
