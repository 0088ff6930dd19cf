#include "models/noc/switching/flit_crossbar.h"

#include <algorithm>
#include <string>

namespace strata {
namespace {

// The tag of a packet that has not passed the switch: its output, and above that its VC there and 1, or 0.
std::uint16_t tag_of(RouteStep step) {
  return static_cast<std::uint16_t>(step.output | (step.vc + 1) << 8);
}
std::uint16_t output_of_tag(std::uint16_t tag) {
  return tag & 255;
}

}  // namespace

FlitCrossbar::FlitCrossbar(const CrossbarConfig& shape, FlitNeighbours& neighbours)
    : shape_(shape),
      neighbours_(neighbours),
      queues_(static_cast<std::size_t>(shape.voq ? shape.outputs : shape.vcs)),
      ports_(static_cast<std::size_t>(shape.voq ? 1 : shape.input_speedup)),
      inputs_(static_cast<std::size_t>(shape.inputs)),
      out_vcs_(static_cast<std::size_t>(shape.vcs)),
      queue_(inputs_ * queues_),
      interfaces_(shape),
      last_credit_(inputs_ * ports_),
      opens_(inputs_, never),
      outputs_(static_cast<std::size_t>(shape.outputs)),
      credits_(outputs_.size() * out_vcs_, static_cast<std::uint16_t>(shape.vc_flits)),
      linked_in_(inputs_),
      capacity_(outputs_.size(), static_cast<std::uint16_t>(shape.vc_flits)),
      allocating_(queue_.size()),
      active_(queue_.size()),
      emitting_(outputs_.size()),
      vcs_(outputs_.size(), out_vcs_, queue_.size()),
      switch_(inputs_ * ports_, outputs_.size()),
      candidate_(inputs_ * ports_ * outputs_.size()),
      next_queue_(inputs_ * ports_),
      holder_(shape.hold_switch ? outputs_.size() : 0, -1),
      held_ports_(inputs_ * ports_) {
  for (Output& output : outputs_) output.free_vcs = (1U << out_vcs_) - 1;
  for (std::size_t q = 0; q < queue_.size(); ++q)
    queue_[q].port = static_cast<std::uint16_t>(q / queues_ * ports_ + q % queues_ % ports_);
  grants_.reserve(outputs_.size());
  reshape(shape);
}

// Other timing; buffers and ports stay.
void FlitCrossbar::reshape(const CrossbarConfig& shape) {
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

CrossbarEntry FlitCrossbar::arrive(Access& access, int input, RouteStep step, Cycle at, Cycle now) {
  const auto i = static_cast<std::size_t>(input);
  interfaces_.end_hold(i);
  opens_[i] = never;
  CrossbarEntry entry = force(access, input, step, at, now);
  entry.at = interfaces_.free_from(i);
  if (entry.at == never) {
    interfaces_.hold(i);
    ++counters_.held;
  } else if (open_later(i, entry.at, now)) {
    entry = {never, next_event()};
  }
  return entry;
}

// When its sender may go on is known, but lies behind the tail of its packet, because there is no slot for
// the next head before. The answer to a request may come first where credits take longer than the shortest
// way there and back; it must find the request held, which it ends. The sender is notified in time for the
// cycle.
bool FlitCrossbar::open_later(std::size_t input, Cycle from, Cycle now) {
  constexpr int shortest_way = 2;
  if (shape_.reply || shape_.credit_delay <= shortest_way) return false;
  if (from <= std::max(interfaces_.tail_sent(input), now + 1)) return false;
  opens_[input] = from;
  book(entrance, input, from - 1);
  return true;
}

void FlitCrossbar::open(std::size_t input, Cycle now) {
  if (opens_[input] != now + 1) return;  // the sender has gone on since
  opens_[input] = never;
  releases_.push_back({static_cast<int>(input), now});
}

CrossbarEntry FlitCrossbar::force(Access& access, int input, RouteStep step, Cycle at, Cycle now) {
  access.tag = tag_of(step);
  access.ready = at;
  ++counters_.packets_in;
  counters_.flits_in += access.flits;
  interfaces_.add(access, static_cast<std::size_t>(input));
  run_interface(static_cast<std::size_t>(input), now);
  return {at, next_event()};
}

void FlitCrossbar::run_interface(std::size_t input, Cycle now) {
  const auto all = static_cast<std::uint64_t>(shape_.voq ? capacity() : shape_.vc_flits);
  interfaces_.run(
      input,
      [&](Access& access, std::size_t queue, std::uint64_t free) {
        append(access, input * queues_ + queue);
        counters_.occupancy.add(all - free);
      },
      [&](std::size_t queue, Cycle at) { book(visible, input * queues_ + queue, at + arrive_delay_); },
      [&](Cycle until) {
        if (!open_later(input, until, now)) releases_.push_back({static_cast<int>(input), until});
      });
}

void FlitCrossbar::arrive_linked(Access& access, int input, RouteStep step, int vc, Cycle at) {
  ++counters_.packets_in;
  counters_.flits_in += access.flits;
  access.tag = tag_of(step);
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

// --- one cycle

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

Cycle FlitCrossbar::next_event() const {
  Cycle next = never;
  for (const auto& events : events_) next = std::min(next, events.next());
  return next;
}

void FlitCrossbar::take_events(Cycle now) {
  const auto take = [&](Event event, auto work) {
    while (events_[event].next() <= now) work(std::size_t{events_[event].pop().value});
  };
  take(visible, [&](std::size_t queue) { see_flit(queue, now * speedup_); });
  take(credit, [&](std::size_t vc) { ++credits_[vc]; });
  take(emission, [&](std::size_t output) { emitting_.set(output); });
  take(entrance, [&](std::size_t input) { open(input, now); });
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
  queue.output = output_of_tag(queue.head->tag);
  const unsigned vc = queue.head->tag >> 8U;
  queue.allowed = vc == 0 ? ~0U : 1U << (vc - 1);
  queue.state = State::allocating;
  queue.fresh = true;
  queue.ready = ready;
  allocating_.set(index);
}

void FlitCrossbar::allocate_vcs(std::uint64_t step) {
  allocating_.each([&](std::size_t index) {
    const Queue& queue = queue_[index];
    if (queue.ready > step)
      again_ = true;
    else if ((outputs_[queue.output].free_vcs & queue.allowed) != 0)
      vcs_.bid(index, queue.output, queue.allowed);
  });
  const auto free = [&](std::size_t o) { return outputs_[o].free_vcs; };
  const auto give = [&](std::size_t o, std::size_t vc, std::size_t index) {
    Queue& queue = queue_[index];
    queue.out_vc = static_cast<std::uint16_t>(vc);
    queue.state = State::active;
    queue.ready = step + switch_steps_;
    outputs_[o].free_vcs &= ~(1U << vc);
    allocating_.clear(index);
    if (queue.available != 0) active_.set(index);
  };
  if (vcs_.match(shape_.iterations, free, give)) again_ = true;
}

void FlitCrossbar::allocate_switch(std::uint64_t step, Cycle now) {
  if (shape_.hold_switch) pass_held(step, now);
  active_.each([&](std::size_t index) {
    if (queue_[index].ready > step)
      again_ = true;
    else if (may_pass(index, now))
      bid(index);
  });
  switch_.match(shape_.iterations, [&](std::size_t port, std::size_t output) {
    pass(port, output, candidate_[port * outputs_.size() + output], step, now);
  });
  if (shape_.hold_switch) held_ports_.reset();
}

bool FlitCrossbar::may_pass(std::size_t index, Cycle now) const {
  const Queue& queue = queue_[index];
  return outputs_[queue.output].opens <= now && has_credit(queue);
}

bool FlitCrossbar::has_credit(const Queue& queue) const {
  return credits_[queue.output * out_vcs_ + queue.out_vc] != 0;
}

void FlitCrossbar::bid(std::size_t index) {
  const std::size_t output = queue_[index].output;
  const std::size_t port = queue_[index].port;
  if (shape_.hold_switch && (holder_[output] >= 0 || held_ports_.test(port))) {
    again_ = true;
    return;
  }
  std::uint16_t& candidate = candidate_[port * outputs_.size() + output];
  // Among several queues of a read port with flits for one output, the next in turn bids.
  const auto turn = [&](std::size_t queue) {
    const std::size_t place = queue % queues_;
    return place >= next_queue_[port] ? place - next_queue_[port] : place + queues_ - next_queue_[port];
  };
  if (switch_.bids(port, output) && turn(candidate) < turn(index)) return;
  candidate = static_cast<std::uint16_t>(index);
  switch_.bid(port, output);
}

// Packets that keep the switch go on, unless they have no flit or no credit: that ends the hold.
void FlitCrossbar::pass_held(std::uint64_t step, Cycle now) {
  for (std::size_t o = 0; o < holder_.size(); ++o) {
    if (holder_[o] < 0) continue;
    const auto index = static_cast<std::size_t>(holder_[o]);
    if (queue_[index].available == 0 || !may_pass(index, now)) {
      holder_[o] = -1;
      continue;
    }
    held_ports_.set(queue_[index].port);
    pass(queue_[index].port, o, index, step, now);
  }
}

// A flit passes the switch.
void FlitCrossbar::pass(std::size_t port, std::size_t o, std::size_t index, std::uint64_t step, Cycle now) {
  Queue& queue = queue_[index];
  const std::size_t input = ports_ == 1 ? port : port / ports_;
  Output& output = outputs_[o];
  again_ = true;
  --queue.available;
  --queue.left;
  const std::size_t vc = queue.out_vc;
  --credits_[o * out_vcs_ + vc];
  const std::size_t turn = index % queues_ + ports_;
  next_queue_[port] = static_cast<std::uint16_t>(turn >= queues_ ? turn - queues_ : turn);
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

// A credit channel carries one credit a cycle; credits for the VCs of different read ports go together.
void FlitCrossbar::give_back_slot(std::size_t input, std::size_t index, Cycle now) {
  const bool linked = linked_in_[input] != 0;
  const Cycle delay = static_cast<Cycle>(shape_.credit_delay) + (linked ? 0 : traverse_steps_ + leave_delay_);
  Cycle& last = last_credit_[queue_[index].port];
  const Cycle at = last = std::max(now + delay, last + 1);
  const std::size_t queue = index % queues_;
  if (linked)
    neighbours_.return_credit(static_cast<int>(input), static_cast<int>(queue), at);
  else if (interfaces_.put_slot(input, queue, at))
    run_interface(input, now);
}

// --- departures, and what is reported

void FlitCrossbar::leave(Access& access, std::size_t o, Cycle at, std::size_t tag, Cycle now) {
  Output& output = outputs_[o];
  access.next = nullptr;
  access.ready = at;
  access.tag = static_cast<std::uint16_t>(tag);
  const bool first = output.head == nullptr;
  (first ? output.head : output.tail->next) = &access;
  output.tail = &access;
  ++counters_.packets_out;
  if (at == now)
    emitting_.set(o);
  else if (first)  // those behind it are booked as they come to the front
    book(emission, o, at);
}

void FlitCrossbar::emit(std::size_t o, Cycle now) {
  Output& output = outputs_[o];
  if (output.blocked() || output.head == nullptr || output.head->ready > now) return;
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
  if (output.head != nullptr) book(emission, grant.output, std::max(output.head->ready, output.port_free));
}

void FlitCrossbar::held(const CrossbarGrant& grant, Cycle now) {
  Output& output = outputs_[grant.output];
  output.opens = never;
  output.blocked_since = now;
  ++counters_.blocked;
}

void FlitCrossbar::unblock(int index, Cycle at, Cycle now) {
  Output& output = outputs_[static_cast<std::size_t>(index)];
  if (!output.blocked()) return;
  output.opens = output.port_free = std::max(at, now + 1);
  const Cycle lost = output.port_free - output.blocked_since - 1;
  counters_.blocked_cycles += lost;
  // Flits behind the held tail stood still as long.
  output.link_free += lost;
  for (Access* access = output.head; access != nullptr; access = access->next) access->ready += lost;
  // Also where no packet has passed the switch: those in front of it go on.
  book(emission, static_cast<std::size_t>(index), output.port_free);
  if (output.head != nullptr && output.head->ready > output.port_free)
    book(emission, static_cast<std::size_t>(index), output.head->ready);
}

int FlitCrossbar::queued_flits(int input) const {
  int flits = 0;
  for (std::size_t q = 0; q < queues_; ++q) flits += queue_[queue_of(input, static_cast<int>(q))].available;
  return flits;
}

int FlitCrossbar::blocked_input(int output) const {
  const Output& out = outputs_[static_cast<std::size_t>(output)];
  if (out.blocked()) return out.input;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const Queue& queue = queue_[i];
    if (queue.state == State::active && queue.available != 0 && queue.output == output && !has_credit(queue))
      return static_cast<int>(i / queues_);
  }
  return -1;
}

const Access* FlitCrossbar::oldest_for(int output) const {
  const Access* oldest = nullptr;
  for (const Queue& queue : queue_)
    if (queue.head != nullptr && output_of_tag(queue.head->tag) == output &&
        (oldest == nullptr || queue.head->birth < oldest->birth))
      oldest = queue.head;
  return oldest;
}

bool FlitCrossbar::drained() const {
  Faults faults;
  check_idle(faults, "");
  return faults.empty() && next_event() == never;
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
    if (!interfaces_.idle(i)) fault(where + " holds up its sender");
    for (std::size_t q = 0; q < queues_; ++q) {
      if (queue_[i * queues_ + q].head != nullptr || queue_[i * queues_ + q].available != 0)
        fault(where + " VC " + std::to_string(q) + " holds packets");
    }
    const int free = interfaces_.free_slots(i);
    if (free != capacity()) fault(where + " lacks " + std::to_string(capacity() - free) + " credits");
  }
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    const std::string where = "output " + std::to_string(o);
    if (outputs_[o].blocked()) fault(where + " is blocked by the next hop");
    if (outputs_[o].head != nullptr) fault(where + " holds packets");
    for (std::size_t v = 0; v < out_vcs_; ++v)
      if (credits_[o * out_vcs_ + v] != capacity_[o])
        fault(where + " VC " + std::to_string(v) + " lacks credits of the next hop");
  }
}

}  // namespace strata
