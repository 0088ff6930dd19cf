#include "models/router_stage/flit_crossbar.h"

#include <algorithm>
#include <string>

namespace strata {
namespace {

// The longest packet, as in RouterStageParams::validate(): its flits are booked ahead.
constexpr int longest_packet = 256;

Cycle horizon(const CrossbarShape& shape) {
  return static_cast<Cycle>(2 * shape.link + shape.credit_delay + shape.stages + 8 + longest_packet +
                            shape.vcs * shape.vc_flits);
}

// Slots come back at most one a cycle and input, each a fixed delay after its flit has passed the switch.
// More pass in a cycle with speed-up, so that credits queue up.
std::size_t dates_to_keep(const CrossbarShape& shape) {
  const int own = shape.voq ? shape.vcs * shape.vc_flits : shape.vc_flits;
  return static_cast<std::size_t>(shape.speedup > 1 ? own : std::min(own, shape.credit_delay + 4));
}

}  // namespace

FlitCrossbar::FlitCrossbar(const CrossbarShape& shape, FlitNeighbours& neighbours)
    : shape_(shape),
      neighbours_(neighbours),
      queues_(static_cast<std::size_t>(shape.voq ? shape.outputs : shape.vcs)),
      inputs_(static_cast<std::size_t>(shape.inputs)),
      out_vcs_(static_cast<std::size_t>(shape.vcs)),
      wheel_(horizon(shape)),
      queue_(inputs_ * queues_),
      slots_(shape.voq ? inputs_ : inputs_ * queues_),
      dates_(dates_to_keep(shape)),
      slot_dates_(slots_.size() * dates_),
      interface_(inputs_),
      outputs_(static_cast<std::size_t>(shape.outputs)),
      credits_(outputs_.size() * out_vcs_, static_cast<std::uint16_t>(shape.vc_flits)),
      linked_in_(inputs_),
      capacity_(outputs_.size(), static_cast<std::uint16_t>(shape.vc_flits)),
      allocating_(queue_.size()),
      active_(queue_.size()),
      emitting_(outputs_.size()),
      busy_outputs_(outputs_.size()),
      vc_bids_(outputs_.size(), Bits(queue_.size())),
      vc_pointer_(outputs_.size() * out_vcs_),
      vc_accept_(queue_.size()),
      switch_(inputs_, outputs_.size()),
      candidate_(inputs_ * outputs_.size()),
      next_queue_(inputs_),
      holder_(shape.hold_switch ? outputs_.size() : 0, -1),
      held_inputs_(inputs_),
      chosen_(out_vcs_) {
  for (Slots& slots : slots_)
    slots.free = static_cast<std::uint32_t>(shape.voq ? capacity() : shape.vc_flits);
  for (Output& output : outputs_) output.free_vcs = (1U << out_vcs_) - 1;
  for (Interface& interface : interface_) interface.last = static_cast<int>(queues_) - 1;
  grants_.reserve(outputs_.size());
  reshape(shape);
}

// Other timing; buffers and ports stay.
void FlitCrossbar::reshape(const CrossbarShape& shape) {
  shape_.link = shape.link;
  shape_.stages = shape.stages;
  shape_.credit_delay = shape.credit_delay;
  route_steps_ = static_cast<std::uint64_t>(std::max(0, shape.stages - 3));
  switch_steps_ = shape.stages >= 3 ? 1 : 0;
  traverse_steps_ = shape.stages >= 2 ? 1 : 0;
  speedup_ = static_cast<std::uint64_t>(shape.speedup);
  arrive_delay_ = static_cast<Cycle>(std::max(1, shape.link));
  // A flit sent in s is seen in s + link. Without link, or without router, one cycle less passes behind the
  // switch, since it cannot be seen in the cycle of its sending.
  leave_delay_ = shape.link > 0 && shape.stages > 0 ? 1 : 0;
}

void FlitCrossbar::link_output(int output, int vc_flits) {
  const auto o = static_cast<std::size_t>(output);
  outputs_[o].linked = true;
  capacity_[o] = static_cast<std::uint16_t>(vc_flits);
  std::fill_n(credits_.begin() + static_cast<std::ptrdiff_t>(o * out_vcs_), out_vcs_, capacity_[o]);
}

// --- arrivals
// -----------------------------------------------------------------------------------------------

CrossbarEntry FlitCrossbar::arrive(Access& access, int input, int output, Cycle at, Cycle now) {
  CrossbarEntry entry = force(access, input, output, at, now);
  Interface& interface = interface_[static_cast<std::size_t>(input)];
  const Cycle room = room_from(input);
  if (interface.head == nullptr && interface.left == 0 && room != never) {
    entry.at = std::max(interface.next, room);
  } else {
    interface.holds = true;
    ++counters_.held;
    entry.at = never;
  }
  return entry;
}

CrossbarEntry FlitCrossbar::force(Access& access, int input, int output, Cycle at, Cycle now) {
  access.tag = static_cast<std::uint16_t>(output);
  access.ready = at;
  access.next = nullptr;
  ++counters_.packets_in;
  counters_.flits_in += access.flits;
  Interface& interface = interface_[static_cast<std::size_t>(input)];
  (interface.head == nullptr ? interface.head : interface.tail->next) = &access;
  interface.tail = &access;
  run_interface(input);
  return {interface.next, wheel_.next(now)};
}

void FlitCrossbar::arrive_linked(Access& access, int input, int output, int vc, Cycle at) {
  ++counters_.packets_in;
  counters_.flits_in += access.flits;
  access.tag = static_cast<std::uint16_t>(output);
  const std::size_t index = queue_of(input, vc);
  counters_.occupancy.add(queue_[index].available);
  append(access, index);
  book(visible, index, at + arrive_delay_);
}

void FlitCrossbar::flit_sent(int input, int vc, Cycle at) {
  book(visible, queue_of(input, vc), at + arrive_delay_);
}

void FlitCrossbar::credit_returned(int output, int vc, Cycle at) {
  book(credit, static_cast<std::size_t>(output) * out_vcs_ + static_cast<std::size_t>(vc), at);
}

void FlitCrossbar::append(Access& access, std::size_t index) {
  Queue& queue = queue_[index];
  access.next = nullptr;
  (queue.head == nullptr ? queue.head : queue.tail->next) = &access;
  queue.tail = &access;
}

Cycle FlitCrossbar::slot_time(std::size_t index) const {
  const Slots& slots = slots_[index];
  if (slots.free == 0) return never;
  return slots.free > slots.dated ? 0 : slot_dates_[index * dates_ + slots.first];
}

void FlitCrossbar::take_slot(std::size_t index) {
  Slots& slots = slots_[index];
  if (slots.free-- > slots.dated) return;
  slots.first = static_cast<std::uint32_t>((slots.first + 1) % dates_);
  --slots.dated;
}

void FlitCrossbar::put_slot(std::size_t index, Cycle at) {
  Slots& slots = slots_[index];
  ++slots.free;
  if (slots.dated == dates_) {  // the oldest has been free for long
    slots.first = static_cast<std::uint32_t>((slots.first + 1) % dates_);
    --slots.dated;
  }
  slot_dates_[index * dates_ + (slots.first + slots.dated) % dates_] = at;
  ++slots.dated;
}

Cycle FlitCrossbar::room_from(int input) const {
  if (shape_.voq) return slot_time(static_cast<std::size_t>(input));
  Cycle from = never;
  for (std::size_t q = 0; q < queues_; ++q)
    from = std::min(from, slot_time(queue_of(input, static_cast<int>(q))));
  return from;
}

// Virtual output queues: that of the packet's output. VCs: of those with a slot at the earliest time at which
// there is one, the next in turn. -1: none known yet. No slot becomes known for a time before those that are.
int FlitCrossbar::choose_queue(int input, const Access& access, Cycle& from) const {
  const Cycle room = room_from(input);
  if (room == never) return -1;
  from = std::max(from, room);
  if (shape_.voq) return access.tag;
  int queue = interface_[static_cast<std::size_t>(input)].last;
  do {
    if (++queue == static_cast<int>(queues_)) queue = 0;
  } while (slot_time(queue_of(input, queue)) > from);
  return queue;
}

// Send flits as far as slots for them are known. The rest follows when more come back.
void FlitCrossbar::run_interface(int input) {
  Interface& interface = interface_[static_cast<std::size_t>(input)];
  while (interface.left != 0 || interface.head != nullptr) {
    if (interface.left == 0) {
      Access& access = *interface.head;
      Cycle from = std::max(interface.next, access.ready);
      const int queue = choose_queue(input, access, from);
      if (queue < 0) break;
      interface.head = access.next;
      interface.queue = interface.last = queue;
      interface.left = access.flits;
      interface.next = from;
      append(access, queue_of(input, queue));
      const int all = shape_.voq ? capacity() : shape_.vc_flits;
      counters_.occupancy.add(static_cast<std::uint64_t>(all) - slots_[slots_of(input, queue)].free);
    }
    const std::size_t slots = slots_of(input, interface.queue);
    const std::size_t queue = queue_of(input, interface.queue);
    while (interface.left != 0 && slots_[slots].free != 0) {
      interface.next = std::max(interface.next, slot_time(slots));
      take_slot(slots);
      book(visible, queue, interface.next++ + arrive_delay_);
      --interface.left;
    }
    if (interface.left != 0) break;
  }
  if (!interface.holds || interface.left != 0 || interface.head != nullptr) return;
  const Cycle room = room_from(input);
  if (room == never) return;
  interface.holds = false;
  releases_.push_back({input, std::max(interface.next, room)});
}

// --- one cycle
// ----------------------------------------------------------------------------------------------

std::size_t FlitCrossbar::arbitrate(Cycle now) {
  again_ = false;
  grants_.clear();
  take_events(now);
  for (std::uint64_t sub = 0; sub < speedup_; ++sub) {
    const std::uint64_t step = now * speedup_ + sub;
    allocate_vcs(step);
    allocate_switch(step, now);
  }
  emitting_.drain([&](std::size_t o) { emit(o, now); });
  return grants_.size();
}

void FlitCrossbar::take_events(Cycle now) {
  wheel_.take(now, [&](std::uint32_t event) {
    const std::size_t index = event >> 2;
    switch (static_cast<Event>(event & 3)) {
      case visible:
        see_flit(index, now * speedup_);
        break;
      case credit:
        ++credits_[index];
        break;
      case emission:
        emitting_.set(index);
        break;
    }
  });
}

void FlitCrossbar::see_flit(std::size_t index, std::uint64_t step) {
  Queue& queue = queue_[index];
  if (++queue.available != 1) return;
  if (queue.state == State::idle)
    start_front(queue, index, step + route_steps_);
  else if (queue.state == State::active)
    active_.set(index);
}

void FlitCrossbar::start_front(Queue& queue, std::size_t index, std::uint64_t ready) {
  queue.left = queue.head->flits;
  queue.output = queue.head->tag;
  queue.state = State::allocating;
  queue.fresh = true;
  queue.ready = ready;
  allocating_.set(index);
}

void FlitCrossbar::allocate_vcs(std::uint64_t step) {
  allocating_.each([&](std::size_t index) {
    const Queue& queue = queue_[index];
    if (queue.ready > step) {
      again_ = true;
    } else if (outputs_[queue.output].free_vcs != 0) {
      vc_bids_[queue.output].set(index);
      busy_outputs_.set(queue.output);
    }
  });
  busy_outputs_.drain([&](std::size_t o) {
    again_ = true;
    for (int n = 0; n < shape_.iterations && outputs_[o].free_vcs != 0 && vc_bids_[o].any(); ++n)
      offer_vcs(o, step, n == 0);
    vc_bids_[o].reset();
  });
}

// One iteration of iSLIP: each free VC of the output grants one queue, each queue accepts one VC.
void FlitCrossbar::offer_vcs(std::size_t o, std::uint64_t step, bool first) {
  Output& output = outputs_[o];
  const std::uint32_t offered = output.free_vcs;
  const std::size_t all = outputs_.size() * out_vcs_;
  const auto distance = [&](std::size_t vc, std::size_t index) {
    const std::size_t place = o * out_vcs_ + vc;
    return place >= vc_accept_[index] ? place - vc_accept_[index] : place + all - vc_accept_[index];
  };
  for (std::uint32_t bits = offered; bits != 0; bits &= bits - 1) {
    const auto vc = static_cast<std::size_t>(__builtin_ctz(bits));
    chosen_[vc] = vc_bids_[o].first_from(vc_pointer_[o * out_vcs_ + vc]);
  }
  for (std::uint32_t bits = offered; bits != 0; bits &= bits - 1) {
    const auto vc = static_cast<std::size_t>(__builtin_ctz(bits));
    const std::size_t index = chosen_[vc];
    bool best = true;
    for (std::uint32_t others = offered; others != 0 && best; others &= others - 1) {
      const auto other = static_cast<std::size_t>(__builtin_ctz(others));
      best = other == vc || chosen_[other] != index || distance(vc, index) < distance(other, index);
    }
    if (!best) continue;
    taken_.push_back({vc, index});
  }
  for (const auto& [vc, index] : taken_) {
    if (first) {
      vc_pointer_[o * out_vcs_ + vc] = static_cast<std::uint16_t>(index + 1 == queue_.size() ? 0 : index + 1);
      vc_accept_[index] =
          static_cast<std::uint32_t>(o * out_vcs_ + vc + 1 == all ? 0 : o * out_vcs_ + vc + 1);
    }
    Queue& queue = queue_[index];
    queue.out_vc = static_cast<std::uint16_t>(vc);
    queue.state = State::active;
    queue.ready = step + switch_steps_;
    output.free_vcs &= ~(1U << vc);
    allocating_.clear(index);
    vc_bids_[o].clear(index);
    if (queue.available != 0) active_.set(index);
  }
  taken_.clear();
}

void FlitCrossbar::allocate_switch(std::uint64_t step, Cycle now) {
  if (shape_.hold_switch) pass_held(step, now);
  active_.each([&](std::size_t index) {
    if (queue_[index].ready > step)
      again_ = true;
    else if (may_pass(index))
      bid(index);
  });
  switch_.match(shape_.iterations, [&](std::size_t input, std::size_t output) {
    pass(input, output, candidate_[input * outputs_.size() + output], step, now);
  });
  if (shape_.hold_switch) held_inputs_.reset();
}

bool FlitCrossbar::may_pass(std::size_t index) const {
  const Queue& queue = queue_[index];
  return !outputs_[queue.output].blocked && credits_[queue.output * out_vcs_ + queue.out_vc] != 0;
}

void FlitCrossbar::bid(std::size_t index) {
  const std::size_t output = queue_[index].output;
  const std::size_t input = index / queues_;
  if (shape_.hold_switch && (holder_[output] >= 0 || held_inputs_.test(input))) {
    again_ = true;
    return;
  }
  std::uint16_t& candidate = candidate_[input * outputs_.size() + output];
  // Of several queues of an input with flits for one output, the next in turn bids.
  const auto turn = [&](std::size_t queue) {
    const std::size_t place = queue % queues_;
    return place >= next_queue_[input] ? place - next_queue_[input] : place + queues_ - next_queue_[input];
  };
  if (switch_.bids(input, output) && turn(candidate) < turn(index)) return;
  candidate = static_cast<std::uint16_t>(index);
  switch_.bid(input, output);
}

// Packets that keep the switch go on, unless they have no flit or no credit: that ends the hold.
void FlitCrossbar::pass_held(std::uint64_t step, Cycle now) {
  for (std::size_t o = 0; o < holder_.size(); ++o) {
    if (holder_[o] < 0) continue;
    const auto index = static_cast<std::size_t>(holder_[o]);
    if (queue_[index].available == 0 || !may_pass(index)) {
      holder_[o] = -1;
      continue;
    }
    held_inputs_.set(index / queues_);
    pass(index / queues_, o, index, step, now);
  }
}

// A flit passes the switch.
void FlitCrossbar::pass(std::size_t input, std::size_t o, std::size_t index, std::uint64_t step, Cycle now) {
  Queue& queue = queue_[index];
  Output& output = outputs_[o];
  again_ = true;
  --queue.available;
  --queue.left;
  const std::size_t vc = queue.out_vc;
  --credits_[o * out_vcs_ + vc];
  const std::size_t turn = index % queues_ + 1;
  next_queue_[input] = static_cast<std::uint16_t>(turn == queues_ ? 0 : turn);
  const Cycle at = std::max((step + traverse_steps_) / speedup_ + leave_delay_, output.link_free);
  output.link_free = at + 1;
  ++output.busy;
  give_back_slot(input, index, now);
  const bool head = queue.fresh;
  const bool tail = queue.left == 0;
  queue.fresh = false;
  if (head && switch_.contested(o)) ++counters_.conflicts;
  if (output.linked) {
    if (!head) neighbours_.forward_flit(static_cast<int>(o), static_cast<int>(vc), at);
  } else {
    // Link, endpoint, link back, and a cycle to count the credit.
    book(credit, o * out_vcs_ + vc, at + 2 * static_cast<Cycle>(shape_.link) + 1);
  }
  if (output.linked ? head : tail) {
    Access& access = *queue.head;
    queue.head = access.next;
    leave(access, o, at, input << 4 | vc, now);
  }
  if (shape_.hold_switch) holder_[o] = tail ? -1 : static_cast<int>(index);
  if (tail) {
    output.free_vcs |= 1U << vc;
    queue.state = State::idle;
    active_.clear(index);
    if (queue.available != 0) start_front(queue, index, step + 1 + route_steps_);
  } else if (queue.available == 0) {
    active_.clear(index);
  }
}

// A credit channel carries one credit a cycle.
void FlitCrossbar::give_back_slot(std::size_t input, std::size_t index, Cycle now) {
  const bool linked = linked_in_[input] != 0;
  Interface& interface = interface_[input];
  const Cycle at =
      std::max(now + static_cast<Cycle>(shape_.credit_delay) + (linked ? 0 : traverse_steps_ + leave_delay_),
               interface.credit + 1);
  interface.credit = at;
  const int queue = static_cast<int>(index % queues_);
  if (linked) {
    neighbours_.return_credit(static_cast<int>(input), queue, at);
    return;
  }
  put_slot(slots_of(static_cast<int>(input), queue), at);
  if (interface.left != 0 || interface.head != nullptr || interface.holds)
    run_interface(static_cast<int>(input));
}

// --- departures
// ---------------------------------------------------------------------------------------------

void FlitCrossbar::leave(Access& access, std::size_t o, Cycle at, std::size_t tag, Cycle now) {
  Output& output = outputs_[o];
  access.next = nullptr;
  access.ready = at;
  access.tag = static_cast<std::uint16_t>(tag);
  (output.head == nullptr ? output.head : output.tail->next) = &access;
  output.tail = &access;
  ++counters_.packets_out;
  if (at == now)
    emitting_.set(o);
  else
    book(emission, o, at);
}

void FlitCrossbar::emit(std::size_t o, Cycle now) {
  Output& output = outputs_[o];
  if (output.blocked || output.head == nullptr || output.head->ready > now) return;
  if (output.port_free > now) {
    book(emission, o, output.port_free);
    return;
  }
  Access& access = *output.head;
  output.head = access.next;
  access.next = nullptr;
  output.input = static_cast<std::uint16_t>(access.tag >> 4);
  grants_.push_back(
      {&access, static_cast<std::uint16_t>(access.tag & 15), static_cast<std::uint16_t>(o), access.flits});
}

void FlitCrossbar::sent(const CrossbarGrant& grant, Cycle at, Cycle now) {
  Output& output = outputs_[grant.output];
  output.port_free = std::max(at, now + 1);
  if (output.head != nullptr && output.head->ready <= output.port_free)
    book(emission, grant.output, output.port_free);
}

void FlitCrossbar::held(const CrossbarGrant& grant, Cycle now) {
  Output& output = outputs_[grant.output];
  output.blocked = true;
  output.blocked_since = now;
  ++counters_.blocked;
}

void FlitCrossbar::unblock(int index, Cycle at, Cycle now) {
  Output& output = outputs_[static_cast<std::size_t>(index)];
  if (!output.blocked) return;
  output.blocked = false;
  output.port_free = std::max(at, now + 1);
  const Cycle lost = output.port_free - output.blocked_since - 1;
  counters_.blocked_cycles += lost;
  // Flits behind the held tail stood still as long.
  output.link_free += lost;
  for (Access* access = output.head; access != nullptr; access = access->next) {
    access->ready += lost;
    book(emission, static_cast<std::size_t>(index), std::max(access->ready, now + 1));
  }
  // Also where no packet has passed the switch: those in front of it go on.
  book(emission, static_cast<std::size_t>(index), output.port_free);
}

// --- reports
// ------------------------------------------------------------------------------------------------

int FlitCrossbar::queued_flits(int input) const {
  int flits = 0;
  for (std::size_t q = 0; q < queues_; ++q) flits += queue_[queue_of(input, static_cast<int>(q))].available;
  return flits;
}

const Access* FlitCrossbar::oldest_for(int output) const {
  const Access* oldest = nullptr;
  for (const Queue& queue : queue_)
    if (queue.head != nullptr && queue.head->tag == output &&
        (oldest == nullptr || queue.head->birth < oldest->birth))
      oldest = queue.head;
  return oldest;
}

bool FlitCrossbar::drained() const {
  Faults faults;
  check_idle(faults, "");
  return faults.empty() && wheel_.empty();
}

CrossbarCounters FlitCrossbar::counters() const {
  CrossbarCounters counters = counters_;
  for (const Output& output : outputs_) counters.flits_out += output.busy;
  return counters;
}

void FlitCrossbar::reset_counters() {
  counters_ = {};
  for (Output& output : outputs_) output.busy = 0;
}

void FlitCrossbar::check_idle(Faults& faults, const char* network) const {
  const auto fault = [&](const std::string& text) {
    faults.push_back({{}, std::string(network) + " network: " + text});
  };
  for (std::size_t i = 0; i < inputs_; ++i) {
    const std::string where = "input " + std::to_string(i);
    if (interface_[i].head != nullptr || interface_[i].left != 0) fault(where + " holds up its sender");
    int free = 0;
    for (std::size_t q = 0; q < queues_; ++q) {
      if (queue_[i * queues_ + q].head != nullptr || queue_[i * queues_ + q].available != 0)
        fault(where + " VC " + std::to_string(q) + " holds packets");
      if (!shape_.voq) free += static_cast<int>(slots_[i * queues_ + q].free);
    }
    if (shape_.voq) free = static_cast<int>(slots_[i].free);
    if (free != capacity()) fault(where + " lacks " + std::to_string(capacity() - free) + " credits");
  }
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    const std::string where = "output " + std::to_string(o);
    if (outputs_[o].blocked) fault(where + " is blocked by the next hop");
    if (outputs_[o].head != nullptr) fault(where + " holds packets");
    for (std::size_t v = 0; v < out_vcs_; ++v)
      if (credits_[o * out_vcs_ + v] != capacity_[o])
        fault(where + " VC " + std::to_string(v) + " lacks credits of the next hop");
  }
}

}  // namespace strata
