#pragma once

#include <array>
#include <cstdint>

#include "models/common/units.h"
#include "models/sm_cluster/held_warps.h"
#include "models/sm_cluster/sm_cluster_stats.h"
#include "models/sm_cluster/warp_order.h"

namespace strata {

/// Ready warps of one scheduler as a bitmap in AGE order: bit 0 is the oldest, so that the oldest ready warp
/// is a count of trailing zeros. Positions are handed out in launch order and closed up when the 64 are used.
class alignas(64) WarpScheduler {
 public:
  static constexpr int positions = 64;

  Cycle free_at = 0;          ///< first cycle of which issue or idleness is not accounted yet
  std::uint64_t slots = 0;    ///< warp slots of the SM that this scheduler serves
  Idle idle = Idle::no_warp;  ///< why nothing is ready
  std::uint8_t number = 0;    ///< in its SM

 private:
  bool has_order_ = false;  // another than gto and lrr

 public:
  /// A new, youngest warp in slot `slot`, not ready. `place(slot, position)` is called for it, and for the
  /// others when they move.
  template <class Place>
  void add(int slot, Place&& place) {
    if (end_ == positions) close_up(place);
    slot_at_[static_cast<std::size_t>(end_)] = static_cast<std::uint8_t>(slot);
    live_ |= bit(end_);
    place(slot, end_++);
    if (has_order_) order_->began(slot);
  }
  void remove(int position) {
    live_ &= ~bit(position);
    clear_ready(position);
  }
  bool empty() const { return live_ == 0; }
  void set_ready(int position) {
    ready_ |= bit(position);
    lsu_waiting_ &= ~bit(position);
  }
  void clear_ready(int position) {
    ready_ &= ~bit(position);
    lsu_waiting_ &= ~bit(position);
  }
  /// A ready warp that waits for room in the load/store queue: a candidate only while there is some.
  void wait_lsu(int position) {
    ready_ &= ~bit(position);
    lsu_waiting_ |= bit(position);
  }
  /// A ready warp that waits for an operand collector: no candidate until wake_collectors().
  void wait_collector(int position) {
    clear_ready(position);
    collector_waiting_ |= bit(position);
  }
  void wake_collectors() {
    ready_ |= collector_waiting_;
    collector_waiting_ = 0;
  }
  /// Bitmap of the warps that can issue while there is (no) room in the load/store queue.
  std::uint64_t candidates(bool queue_room) const { return queue_room ? ready_ | lsu_waiting_ : ready_; }
  bool any_ready(bool queue_room) const { return candidates(queue_room) != 0; }
  bool any_waiting() const { return (lsu_waiting_ | collector_waiting_) != 0; }
  /// A ready warp that waits for a unit of this class: a candidate when one is free.
  void hold(int position, Unit unit) {
    clear_ready(position);
    held_.hold(position, unit);
  }
  bool any_unit_waiting() const { return held_.any(); }
  std::uint64_t released(Cycle now) const { return held_.released(units, now); }
  Cycle next_release() const { return held_.next_release(units); }
  /// It has its turn: ready as others are, if it was held.
  void let_go(int position) {
    if (held_.let_go(position)) ready_ |= bit(position);
  }
  int parked() const { return __builtin_popcountll(lsu_waiting_ | collector_waiting_); }
  int slot_at(int position) const { return slot_at_[static_cast<std::size_t>(position)]; }

  /// Another order than gto and lrr.
  void use(std::unique_ptr<WarpOrder> order) {
    order_ = std::move(order);
    has_order_ = true;
  }
  /// Of `candidates`, not empty: the warp to issue from.
  int pick(bool gto, std::uint64_t candidates) {
    const ReadyWarps ready{candidates, last_, slot_at_.data()};
    if (gto) return pick_gto(ready);
    return has_order_ ? order_->pick(ready) : pick_lrr(ready);
  }
  void issued(int position) {
    last_ = bit(position);
    if (has_order_) [[unlikely]]
      order_->issued(slot_at(position));
  }

  /// Cycles without issue up to `now` have their reason.
  void account_idle(IdleCycles& cycles, Cycle now) {
    if (now <= free_at) return;
    cycles[static_cast<std::size_t>(idle)] += now - free_at;
    free_at = now;
  }

 private:
  static std::uint64_t bit(int position) { return std::uint64_t{1} << position; }

  template <class Place>
  void close_up(Place& place) {
    std::uint64_t ready = 0;
    std::uint64_t parked = 0;
    std::uint64_t barred = 0;
    std::uint64_t last = 0;
    HeldWarps held;
    int to = 0;
    for (std::uint64_t left = live_; left != 0; left &= left - 1, ++to) {
      const int from = __builtin_ctzll(left);
      const std::uint8_t slot = slot_at_[static_cast<std::size_t>(from)];
      slot_at_[static_cast<std::size_t>(to)] = slot;
      place(slot, to);
      if ((ready_ & bit(from)) != 0) ready |= bit(to);
      if ((lsu_waiting_ & bit(from)) != 0) parked |= bit(to);
      if ((collector_waiting_ & bit(from)) != 0) barred |= bit(to);
      if ((last_ & bit(from)) != 0) last = bit(to);
      held.take_over(held_, from, to);
    }
    ready_ = ready;
    lsu_waiting_ = parked;
    collector_waiting_ = barred;
    last_ = last;
    held_ = held;
    live_ = to == 0 ? 0 : ~std::uint64_t{0} >> (positions - to);
    end_ = to;
  }

  // What every turn looks at lies in one cache line with the first members.
  int end_ = 0;
  std::uint64_t ready_ = 0;
  std::uint64_t lsu_waiting_ = 0;  // ready but for a place in the load/store queue
  std::uint64_t last_ = 0;         // bit of the warp that issued last
  std::uint64_t live_ = 0;
  HeldWarps held_;
  alignas(64) std::array<std::uint8_t, positions> slot_at_{};
  std::uint64_t collector_waiting_ = 0;  // ready but for an operand collector

 public:
  int collecting = 0;  ///< memory instructions behind the head of the load/store queue
  Cycle counted = 0;   ///< cycles before this one are in the scheduler_cycles counter
  UnitTimes units;

 private:
  std::unique_ptr<WarpOrder> order_;  // null: gto or lrr
};

}  // namespace strata
