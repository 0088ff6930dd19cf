#pragma once

#include "models/llc_slice/llc_slice_core.h"
#include "models/tlm/port_base.h"

namespace strata {

/// Where a slice charges ledgers.
struct LlcPlaces {
  explicit LlcPlaces(const Block& slice)
      : queue(slice.place_for(Cause::queue)),
        pipeline(slice.place_for(Cause::pipeline)),
        full(slice.place_for(Cause::full)),
        merge(slice.place_for(Cause::merge)),
        reply_port(slice.place_for(Cause::reply_port)) {}
  /// Known when both sides are bound: requests that it sends to memory wait there.
  void find_links(const PortBase& noc, const PortBase& mem) {
    request_link = noc.place_of_link(Cause::request_link);
    request_serial = noc.place_of_link(Cause::request_serial);
    memory_queue = mem.place_served(Cause::queue);
    memory_bus = mem.place_served(Cause::bus);
    external = mem.place_beyond(Cause::external);
  }
  Place of(LlcStall stall) const { return stall == LlcStall::reply_queue ? reply_port : full; }

  Place queue, pipeline, full, merge, reply_port;
  Place request_link = no_place, request_serial = no_place;
  Place memory_queue = no_place, memory_bus = no_place, external = no_place;
};

}  // namespace strata
