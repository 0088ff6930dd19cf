// How packets leave a FlitCrossbar, and what it reports.
#include <algorithm>
#include <string>

#include "models/router_stage/flit_crossbar.h"

namespace strata {
// ---------------------------------------------------------------------------------------------

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

// ------------------------------------------------------------------------------------------------

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
    if (queue.head != nullptr && queue.head->tag == output &&
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
