#include "models/sm_cluster/collector_places.h"

namespace strata {

CollectorPlaces::CollectorPlaces(const SmClusterParams& params)
    : front_(static_cast<unsigned>(params.collectors) + 1),
      stride_(front_ + 1),
      units_((1U << front_) - 2),
      front_bit_(1U << front_) {
  if (params.collectors == 0 || params.collector_order != CollectorOrder::lowest) return;
  full_.resize(static_cast<std::size_t>(params.schedulers));
  places_.resize(full_.size() * stride_);
}

void CollectorPlaces::add(unsigned scheduler, const MemoryOp& op) {
  at(scheduler, front_) = {op, issued_++};
  full_[scheduler] |= front_bit_;
  go_on(scheduler);
}

int CollectorPlaces::take(MemoryOp& op) {
  const int scheduler = first_door();
  if (scheduler < 0) return scheduler;
  const auto number = static_cast<unsigned>(scheduler);
  op = at(number, door).op;
  full_[number] &= ~door_bit;
  go_on(number);
  return scheduler;
}

void CollectorPlaces::move(unsigned scheduler, unsigned from, unsigned to) {
  at(scheduler, to) = at(scheduler, from);
  full_[scheduler] = (full_[scheduler] & ~(1U << from)) | 1U << to;
}

// The scheduler at whose door the instruction stands that issued first; -1: there is none.
int CollectorPlaces::first_door() const {
  int found = -1;
  std::uint64_t order = ~std::uint64_t{0};
  for (std::size_t i = 0; i < full_.size(); ++i) {
    const std::uint64_t its = places_[i * stride_ + door].order;
    if ((full_[i] & door_bit) == 0 || its > order) continue;
    found = static_cast<int>(i);
    order = its;
  }
  return found;
}

// One to the door and one into a collector, until nothing moves: the door before the collector, which is free
// by then.
void CollectorPlaces::go_on(unsigned scheduler) {
  for (bool moved = true; moved;) {
    moved = false;
    const std::uint32_t full = full_[scheduler];
    if ((full & door_bit) == 0 && (full & units_) != 0) {
      move(scheduler, static_cast<unsigned>(__builtin_ctz(full & units_)), door);
      moved = true;
    }
    if (!takes_memory(scheduler) && takes_other(scheduler)) {
      move(scheduler, front_, static_cast<unsigned>(__builtin_ctz(units_ & ~full_[scheduler])));
      moved = true;
    }
  }
}

}  // namespace strata
