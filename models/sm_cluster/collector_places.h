#pragma once

#include <cstdint>
#include <vector>

#include "models/sm_cluster/load_store_unit.h"
#include "models/sm_cluster/sm_cluster_params.h"

namespace strata {

/// Memory instructions of an SM behind the head of the load/store queue, with `collector_order: lowest`. Of
/// each scheduler one stands at the unit's door, as many as it has collectors in these, and one in front of
/// them, which goes to the lowest that is free. To a free door comes the one in the lowest collector, however
/// long those in others have been there. The unit takes the one at a door that issued first.
class CollectorPlaces {
 public:
  explicit CollectorPlaces(const SmClusterParams& params);

  bool modelled() const { return !places_.empty(); }
  /// There is room in front of a scheduler's collectors.
  bool takes_memory(unsigned scheduler) const { return (full_[scheduler] & front_bit_) == 0; }
  /// One of its collectors is free.
  bool takes_other(unsigned scheduler) const { return (full_[scheduler] & units_) != units_; }
  /// An instruction of a scheduler that takes one.
  void add(unsigned scheduler, const MemoryOp& op);
  /// The next head, into `op`. Returns its scheduler, or -1 when nothing waits.
  int take(MemoryOp& op);

 private:
  struct Place {
    MemoryOp op;
    std::uint64_t order = 0;  // of issue
  };
  Place& at(unsigned scheduler, unsigned place) { return places_[scheduler * stride_ + place]; }
  void move(unsigned scheduler, unsigned from, unsigned to);
  int first_door() const;
  void go_on(unsigned scheduler);

  // Places of a scheduler: the door, the collectors, the one in front.
  static constexpr unsigned door = 0;
  static constexpr std::uint32_t door_bit = 1;
  unsigned front_;
  unsigned stride_;
  std::uint32_t units_;  // collectors, as bits of full_
  std::uint32_t front_bit_;
  std::uint64_t issued_ = 0;
  std::vector<std::uint32_t> full_;  // by scheduler: places with an instruction
  std::vector<Place> places_;
};

}  // namespace strata
