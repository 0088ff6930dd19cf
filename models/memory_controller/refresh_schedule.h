#pragma once

#include <cstdint>

#include "models/memory_controller/memory_controller_params.h"

namespace strata {

/// Says when which banks must be refreshed. All banks every nREFI cycles, or one bank every nREFI / banks
/// cycles (fractions cut off: rather too often than too seldom), turning over the bank groups so that
/// neighbouring refreshes fall into different groups.
class RefreshSchedule {
 public:
  explicit RefreshSchedule(const MemoryControllerParams& params)
      : groups_(params.timing.bank_groups),
        per_group_(params.timing.banks_per_group),
        by_bank_(params.refresh == RefreshPolicy::per_bank),
        interval_(params.refresh == RefreshPolicy::none
                      ? 0
                      : static_cast<Cycle>(params.timing.nREFI / (by_bank_ ? params.timing.banks() : 1))),
        postponed_(static_cast<Cycle>(params.refresh_postpone) * interval_),
        due_(interval_ == 0 ? never : interval_) {}

  bool enabled() const { return interval_ != 0; }
  bool by_bank() const { return by_bank_; }
  Cycle due() const { return due_; }  ///< cycle from which on the next refresh may claim its banks
  Cycle last_chance() const { return due_ == never ? never : due_ + postponed_; }  ///< and must
  /// The bank of the next refresh; 0 when it is of all banks.
  int bank() const { return by_bank_ ? turn_ % groups_ * per_group_ + turn_ / groups_ : 0; }
  std::uint64_t banks() const {  ///< one bit each
    if (by_bank_) return std::uint64_t{1} << bank();
    const int all = groups_ * per_group_;
    return all == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << all) - 1;
  }
  /// One begins in `now`; one that had to begins a row of all that are due.
  void begin(Cycle now) { making_up_ = making_up_ || last_chance() <= now; }
  void done(Cycle now) {
    due_ += interval_;
    turn_ = (turn_ + 1) % (groups_ * per_group_);
    making_up_ = making_up_ && due_ <= now + 1;
  }
  bool making_up() const { return making_up_; }  ///< for postponed ones

 private:
  int groups_;
  int per_group_;
  bool by_bank_;
  Cycle interval_;
  Cycle postponed_;  // at most
  Cycle due_;
  int turn_ = 0;
  bool making_up_ = false;
};

}  // namespace strata
