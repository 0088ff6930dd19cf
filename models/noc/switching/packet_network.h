#pragma once

#include <algorithm>
#include <string>

#include "models/noc/switching/crossbar.h"

namespace strata {

/// Common functions, reports and checks of networks of whole packets. The state stays in each network, which
/// places it beside the data used with it.
template <class Network>
class PacketNetwork : public Crossbar {
 public:
  const Access* oldest_for(int output) const final {
    const Access* oldest = nullptr;
    for (const auto& in : self().inputs_)
      if (in.head != nullptr && in.head->tag == output &&
          (oldest == nullptr || in.head->birth < oldest->birth))
        oldest = in.head;
    return oldest;
  }
  CrossbarCounters counters() const final {
    CrossbarCounters counters = self().counters_;
    for (std::size_t flits = 0; flits < self().occupancy_.size(); ++flits)
      add_samples(counters.occupancy, flits, self().occupancy_[flits]);
    counters.packets_in = counters.occupancy.samples;
    counters.packets_out = self().packets_out_;
    counters.flits_in = self().flits_in_;
    counters.conflicts = self().conflicts_;
    counters.held = self().held_;
    for (const auto& output : self().outputs_) counters.flits_out += output.busy;
    return counters;
  }
  std::uint64_t busy_cycles(int output) const final { return output_at(output).busy; }
  int blocked_input(int output) const final {
    return output_at(output).blocked ? output_at(output).input : -1;
  }
  int queued_flits(int input) const final { return self().inputs_[static_cast<std::size_t>(input)].queued; }
  int capacity() const final { return static_cast<int>(self().vc_flits_); }
  bool drained() const final {
    const auto& inputs = self().inputs_;
    return std::all_of(inputs.begin(), inputs.end(),
                       [](const auto& in) { return in.head == nullptr && in.queued == 0 && in.owed == 0; });
  }
  void check_idle(Faults& faults, const char* network) const final {
    const auto fault = [&](const char* port, std::size_t number, const std::string& text) {
      faults.push_back({{}, std::string(network) + " network: " + port + std::to_string(number) + text});
    };
    for (std::size_t i = 0; i < self().inputs_.size(); ++i) {
      const auto& in = self().inputs_[i];
      if (in.head != nullptr) fault("input ", i, " holds packets");
      if (in.queued != 0) fault("input ", i, " lacks " + std::to_string(in.queued) + " credits");
      if (in.owed != 0) fault("input ", i, " holds up its sender");
    }
    for (std::size_t o = 0; o < self().outputs_.size(); ++o) {
      if (self().outputs_[o].blocked) fault("output ", o, " is blocked by the next hop");
      if (self().has_bids(o)) fault("output ", o, " has bids");
    }
  }
  void reset_counters() final {
    self().counters_ = {};
    self().flits_in_ = self().packets_out_ = self().conflicts_ = self().held_ = 0;
    std::fill(self().occupancy_.begin(), self().occupancy_.end(), 0);
    for (auto& output : self().outputs_) output.busy = 0;
  }

 protected:
  static constexpr std::size_t counted_occupancies = 256;  // fuller inputs are counted one by one
  /// Slots of the packet that has left an input last which have not come back by cycle `at`.
  template <class Input>
  static int draining(const Input& in, Cycle at) {
    return in.drain_last > at ? static_cast<int>(std::min<Cycle>(in.drain_last - at, in.drain_len)) : 0;
  }
  /// A packet comes to an input that holds `occupied` flits; it can leave from cycle `ready` on. True: it is
  /// the head there.
  template <class Input>
  [[gnu::always_inline]] bool append(Input& in, Access& access, int output, Cycle ready,
                                     std::size_t occupied) {
    Network& network = self();
    network.flits_in_ += access.flits;
    if (occupied < network.occupancy_.size()) [[likely]]
      ++network.occupancy_[occupied];
    else
      network.counters_.occupancy.add(occupied);
    access.tag = static_cast<std::uint16_t>(output);
    access.ready = ready;
    access.next = nullptr;
    const bool first = in.head == nullptr;
    (first ? in.head : in.tail->next) = &access;
    in.tail = &access;
    return first;
  }
  /// The next hop has no room for a packet of `input`.
  void block(std::size_t o, std::uint16_t input, int flits, Cycle at) {
    auto& output = self().outputs_[o];
    output.blocked = true;
    output.input = input;
    output.flits = static_cast<std::uint8_t>(flits);
    self().blocked_since(o) = at;
    ++self().counters_.blocked;
  }
  /// That packet is through in cycle `at`; returns the cycle behind its tail.
  Cycle end_block(std::size_t o, Cycle at) {
    auto& output = self().outputs_[o];
    output.blocked = false;
    const Cycle since = self().blocked_since(o), end = std::max(at, since + output.flits);
    self().counters_.blocked_cycles += end - since - output.flits;
    output.free_at = end + static_cast<Cycle>(self().out_bubble_);
    return end;
  }
  // Turns of outputs are numbered behind those of inputs, from a word of their own on.
  static std::size_t output_turn(int inputs) { return (static_cast<std::size_t>(inputs) + 63) / 64 * 64; }

 private:
  Network& self() { return static_cast<Network&>(*this); }
  const Network& self() const { return static_cast<const Network&>(*this); }
  const auto& output_at(int output) const { return self().outputs_[static_cast<std::size_t>(output)]; }
};

}  // namespace strata
