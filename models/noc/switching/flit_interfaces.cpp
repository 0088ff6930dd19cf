#include "models/noc/switching/flit_interfaces.h"

#include <algorithm>

namespace strata {
namespace {

std::size_t slots_per_queue(const CrossbarConfig& shape) {
  return static_cast<std::size_t>(shape.voq ? shape.vcs * shape.vc_flits : shape.vc_flits);
}

// Slots come back at most one a cycle and input, so that those before the last few are free for certain. With
// speed-up more flits pass in a cycle, and credits queue up.
std::size_t dates_to_keep(const CrossbarConfig& shape) {
  constexpr int pipeline = 4;  // from passing the switch to leaving, and the credit's own cycles
  const std::size_t recent = static_cast<std::size_t>(shape.credit_delay + pipeline);
  return shape.speedup > 1 ? slots_per_queue(shape) : std::min(slots_per_queue(shape), recent);
}

}  // namespace

FlitInterfaces::FlitInterfaces(const CrossbarConfig& shape)
    : shared_(shape.voq),
      queues_(static_cast<std::size_t>(shape.voq ? shape.outputs : shape.vcs)),
      dates_(dates_to_keep(shape)),
      slots_(static_cast<std::size_t>(shape.inputs) * (shape.voq ? 1 : queues_)),
      slot_dates_(slots_.size() * dates_),
      interface_(static_cast<std::size_t>(shape.inputs)) {
  for (Slots& slots : slots_) slots.free = static_cast<std::uint32_t>(slots_per_queue(shape));
  for (Interface& interface : interface_) interface.queue = queues_ - 1;
}

void FlitInterfaces::add(Access& access, std::size_t input) {
  Interface& interface = interface_[input];
  access.next = nullptr;
  (interface.head == nullptr ? interface.head : interface.tail->next) = &access;
  interface.tail = &access;
}

Cycle FlitInterfaces::free_from(std::size_t input) const {
  if (!idle(input)) return never;
  const Cycle room = room_from(input);
  return room == never ? never : std::max(room, interface_[input].next);
}

bool FlitInterfaces::put_slot(std::size_t input, std::size_t queue, Cycle at) {
  const std::size_t index = slots_of(input, queue);
  Slots& slots = slots_[index];
  ++slots.free;
  if (slots.dated == dates_) {  // the oldest has been free for long
    slots.first = static_cast<std::uint32_t>((slots.first + 1) % dates_);
    --slots.dated;
  }
  slot_dates_[index * dates_ + (slots.first + slots.dated) % dates_] = at;
  ++slots.dated;
  return interface_[input].holds || !idle(input);
}

Cycle FlitInterfaces::slot_time(std::size_t index) const {
  const Slots& slots = slots_[index];
  if (slots.free == 0) return never;
  return slots.free > slots.dated ? 0 : slot_dates_[index * dates_ + slots.first];
}

void FlitInterfaces::take_slot(std::size_t index) {
  Slots& slots = slots_[index];
  if (slots.free-- > slots.dated) return;
  slots.first = static_cast<std::uint32_t>((slots.first + 1) % dates_);
  --slots.dated;
}

Cycle FlitInterfaces::room_from(std::size_t input) const {
  if (shared_) return slot_time(input);
  Cycle from = never;
  for (std::size_t q = 0; q < queues_; ++q) from = std::min(from, slot_time(input * queues_ + q));
  return from;
}

// Virtual output queues: that of the packet's output. VCs: of those with a slot at the earliest time at which
// there is one, the next in turn. No slot becomes known for a time before those that are.
bool FlitInterfaces::choose(std::size_t input, std::size_t output, Cycle& from, std::size_t& queue) const {
  const Cycle room = room_from(input);
  if (room == never) return false;
  from = std::max(from, room);
  if (shared_) {
    queue = output;
    return true;
  }
  do {
    if (++queue == queues_) queue = 0;
  } while (slot_time(input * queues_ + queue) > from);
  return true;
}

int FlitInterfaces::free_slots(std::size_t input) const {
  std::uint32_t free = 0;
  const std::size_t count = shared_ ? 1 : queues_;
  for (std::size_t q = 0; q < count; ++q) free += slots_[input * count + q].free;
  return static_cast<int>(free);
}

}  // namespace strata
