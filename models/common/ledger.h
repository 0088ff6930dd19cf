#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>

#include "models/common/ledger_places.h"
#include "models/common/units.h"

namespace strata {

/// Cycles of many ledgers by place.
///
/// The first cycles are added up in 32 bits, as ledgers count them: four times as many fit into a register,
/// and that is what the end of every access costs. Before they can overflow they are put away.
class LedgerSums {
 public:
  std::uint64_t operator[](Place place) const { return at(row_of(place)); }
  void add(Place place, std::uint64_t cycles) { put_away_[row_of(place)] += cycles; }
  LedgerSums& operator+=(const LedgerSums& other) {
    for (int row = 0; row < most_places; ++row) put_away_[row] += other.at(row);
    return *this;
  }

 private:
  friend class Ledger;
  using Row = std::array<std::uint32_t, most_places>;
  static constexpr std::uint64_t most = 0xffff'ffff;

  std::uint64_t at(int row) const { return put_away_[row] + recent_[row]; }
  /// Where cycles may be added that are `cycles` together.
  Row& room_for(std::uint64_t cycles) {
    if (cycles > room_) put_away();
    room_ -= cycles;
    return recent_;
  }
  [[gnu::noinline, gnu::cold]] void put_away() {
    for (int row = 0; row < most_places; ++row) put_away_[row] += recent_[row];
    recent_ = {};
    room_ = most;
  }

  Row recent_{};
  std::uint64_t room_ = most;
  std::array<std::uint64_t, most_places> put_away_{};
};

/// The latency ledger of one request, in cycles of the platform's ledger clock (the core clock): where its
/// cycles went, every one of them to exactly one place. Invariant: the sum over places equals
/// `mark() - birth`.
class Ledger {
 public:
  void open(Cycle now) {
    clear(usual);
    if (wide_) clear(others, usual.size());
    mark_ = now;
  }
  /// Charge the cycles since the last charge to `place`. Time never runs backwards: `now` >= mark().
  void charge(Place place, Cycle now) {
    spent(place) += static_cast<std::uint32_t>(now - mark_);
    mark_ = now;
  }
  /// Like charge(), but does nothing when the cycles until `now` are charged already.
  void charge_until(Place place, Cycle now) {
    if (now > mark_) charge(place, now);
  }
  /// Charge up to `limit` cycles since the last charge to `first`, the rest until `now` to `rest`.
  void charge_split(Place first, Cycle limit, Place rest, Cycle now) {
    const Cycle dwell = now - mark_;
    const Cycle head = dwell < limit ? dwell : limit;
    spent(first) += static_cast<std::uint32_t>(head);
    spent(rest) += static_cast<std::uint32_t>(dwell - head);
    mark_ = now;
  }
  void charge_split_until(Place first, Cycle limit, Place rest, Cycle now) {
    if (now > mark_) charge_split(first, limit, rest, now);
  }
  /// Takes over the cycles of a request made for this access; it was opened at this mark.
  void absorb(const Ledger& other) {
    add(other, usual);
    if (other.wide_) add(other, others, usual.size());
    mark_ = other.mark_;
  }
  /// Asks the host for the rows. Changes nothing.
  void prefetch() const {
    __builtin_prefetch(cycles_.data(), 1);
    __builtin_prefetch(cycles_.data() + usual_places / 2, 1);
  }
  Cycle mark() const { return mark_; }
  std::uint32_t cycles(Place place) const { return cycles_[row_of(place)]; }
  Cycle sum() const { return std::accumulate(cycles_.begin(), cycles_.end(), Cycle{0}); }
  /// Add the cycles of every place, `expected` together, to `sums`. The sum over the places.
  Cycle add_to(LedgerSums& sums, Cycle expected) const {
    LedgerSums::Row& recent = sums.room_for(expected);
    Cycle total = add_to(recent, usual);
    if (wide_) total += add_to(recent, others, usual.size());
    return total;
  }
  /// A platform with more than the usual places: all of them are kept.
  void widen() { wide_ = true; }

 private:
  // Four rows at a time: compilers leave such loops scalar at -O2. Unused rows cost less so than it
  // costs to look which are used.
  typedef std::uint32_t Four __attribute__((vector_size(16)));
  // By copies, which become unaligned loads and stores: a ledger is aligned to 8 bytes only.
  static Four four(const LedgerSums::Row& rows, std::size_t number) {
    Four value;
    std::memcpy(&value, rows.data() + number * 4, sizeof value);
    return value;
  }
  static void put(LedgerSums::Row& rows, std::size_t number, Four value) {
    std::memcpy(rows.data() + number * 4, &value, sizeof value);
  }
  static void raise(LedgerSums::Row& rows, std::size_t number, Four by) {
    put(rows, number, four(rows, number) + by);
  }
  static constexpr auto usual = std::make_index_sequence<usual_places / 4>();
  static constexpr auto others = std::make_index_sequence<(most_places - usual_places) / 4>();

  template <std::size_t... number>
  void clear(std::index_sequence<number...>, std::size_t from = 0) {
    (put(cycles_, from + number, Four{}), ...);
  }
  template <std::size_t... number>
  void add(const Ledger& other, std::index_sequence<number...>, std::size_t from = 0) {
    (raise(cycles_, from + number, four(other.cycles_, from + number)), ...);
  }
  template <std::size_t... number>
  Cycle add_to(LedgerSums::Row& sums, std::index_sequence<number...>, std::size_t from = 0) const {
    Four total{};
    ((total += four(cycles_, from + number), raise(sums, from + number, four(cycles_, from + number))), ...);
    total += Four{total[2], total[3], 0, 0};
    return total[0] + total[1];
  }
  std::uint32_t& spent(Place place) {
    assert(row_of(place) < (wide_ ? most_places : usual_places));
    return cycles_[row_of(place)];
  }

  Cycle mark_ = 0;
  LedgerSums::Row cycles_{};
  bool wide_ = false;
};

}  // namespace strata
