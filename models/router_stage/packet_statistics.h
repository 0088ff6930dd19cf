#pragma once

#include <algorithm>

#include "models/router_stage/crossbar.h"

namespace strata {

/// What networks of whole packets report alike, whether their packets bid or reserve. An empty base: the
/// counters stay among the state of each network, where its own order puts them near what is touched with
/// them.
template <class Network>
class PacketStatistics {
 public:
  /// The packet for `output` that was born first, of those at the heads of inputs; null: there is none.
  const Access* oldest_for(int output) const {
    const Access* oldest = nullptr;
    for (const auto& in : self().inputs_)
      if (in.head != nullptr && in.head->tag == output &&
          (oldest == nullptr || in.head->birth < oldest->birth))
        oldest = in.head;
    return oldest;
  }
  CrossbarCounters counters() const {
    CrossbarCounters counters = self().counters_;
    for (std::size_t flits = 0; flits < self().occupancy_.size(); ++flits)
      add_samples(counters.occupancy, flits, self().occupancy_[flits]);
    counters.packets_in = counters.occupancy.samples;
    counters.packets_out = self().packets_out_;
    counters.flits_in = self().flits_in_;
    counters.conflicts = self().conflicts_;
    for (const auto& output : self().outputs_) counters.flits_out += output.busy;
    return counters;
  }
  void reset_counters() {
    self().counters_ = {};
    self().flits_in_ = self().packets_out_ = self().conflicts_ = 0;
    std::fill(self().occupancy_.begin(), self().occupancy_.end(), 0);
    for (auto& output : self().outputs_) output.busy = 0;
  }

 private:
  Network& self() { return static_cast<Network&>(*this); }
  const Network& self() const { return static_cast<const Network&>(*this); }
};

}  // namespace strata
