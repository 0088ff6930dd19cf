#include "models/router_stage/hop_network.h"

#include <algorithm>

#include "models/router_stage/hop_network_hot.h"

namespace strata {

HopNetwork::HopNetwork(const CrossbarShape& shape, int longest, PacketRouterLt& router)
    : inputs_(static_cast<std::size_t>(shape.inputs)),
      outputs_(static_cast<std::size_t>(shape.outputs)),
      longest_(longest),
      ports_(inputs_.size()),
      entering_(inputs_.size()),
      blocked_since_(outputs_.size()) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    inputs_[i].router = &router;
    inputs_[i].reply = shape.reply;
    inputs_[i].index = static_cast<std::uint16_t>(i);
  }
  reshape(shape);
}

void HopNetwork::reshape(const CrossbarShape& shape) {
  read_ports_ = static_cast<std::size_t>(shape.input_speedup);
  enter_ = shape.enter;
  vc_flits_ = std::max(shape.vc_flits, longest_);
  credit_delay_ = shape.credit_delay;
  in_bubble_ = shape.in_bubble;
  out_bubble_ = shape.out_bubble;
}

// A packet that finds too few slots: it takes the free ones, then those that the packet before it leaves, and
// is owed the rest. It leaves in one piece: its head waits until its tail can follow.
Cycle HopNetwork::enter_late(HopInput& in, Access& access, Cycle at, int draining, int missing) {
  const int given = std::min(missing, draining);
  Cycle end = at + access.flits;
  if (given > 0) end = std::max(end, in.drain_last - static_cast<Cycle>(draining - given) + 1);
  in.drain_len = static_cast<std::uint8_t>(draining - given);
  in.owed = static_cast<std::uint16_t>(missing - given);
  in.queued = static_cast<std::uint16_t>(in.queued - in.owed);
  access.ready = end - access.flits + static_cast<Cycle>(enter_);
  if (in.owed == 0) return end;
  ++held_;
  entering_[in.index] = &access;
  return never;
}

// The slots of a leaving packet go to the one that is entering.
void HopNetwork::give_owed(HopInput& in, int flits, CrossbarRelease& release) {
  const int given = std::min<int>(in.owed, flits);
  in.drain_len = static_cast<std::uint8_t>(flits - given);
  in.queued = static_cast<std::uint16_t>(in.queued + given);
  in.owed = static_cast<std::uint16_t>(in.owed - given);
  if (in.owed != 0) return;
  Access& access = *entering_[in.index];
  const Cycle head = access.ready - static_cast<Cycle>(enter_);
  const Cycle end = std::max(head + access.flits, in.drain_last + 1 - static_cast<Cycle>(flits - given));
  access.ready = end - access.flits + static_cast<Cycle>(enter_);
  release = {in.index, end};
}

// Where an input has several ports the next packet does not wait for the end of this one. It leaves no
// earlier, and in the same cycle only for an output that is served behind that one's.
CrossbarRelease HopNetwork::leave_port(HopInput& in, int output, int flits, Cycle at, Cycle end) {
  CrossbarRelease release;
  in.waits = false;
  in.queued = static_cast<std::uint16_t>(in.queued - flits);
  const int coming = draining(in, at);
  in.drain_last = std::max(in.drain_last, end - 1 + static_cast<Cycle>(credit_delay_));
  in.drain_len = static_cast<std::uint8_t>(flits);
  if (in.owed != 0) give_owed(in, flits, release);
  in.drain_len = static_cast<std::uint8_t>(std::min(in.drain_len + coming, 255));
  ReadPorts& ports = ports_[in.index];
  ports.take(end + static_cast<Cycle>(in_bubble_));
  const bool behind = in.head != nullptr && in.head->tag <= output;
  in.next_start = ports.free_from(behind ? at + 1 : at, read_ports_);
  return release;
}

void HopNetwork::held(HopInput& in, int o, int flits, Cycle at) {
  block(static_cast<std::size_t>(o), in.index, flits, at);
}

CrossbarRelease HopNetwork::unblock(int o, Cycle free) {
  const auto index = static_cast<std::size_t>(o);
  const Cycle end = end_block(index, free);
  const Output& output = outputs_[index];
  return leave(inputs_[output.input], o, output.flits, blocked_since_[index], end);
}

}  // namespace strata
