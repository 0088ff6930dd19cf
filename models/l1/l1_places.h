#pragma once

#include "models/l1/cache_design.h"
#include "models/tlm/port_base.h"

namespace strata {

/// Where an L1 charges ledgers.
struct L1Places {
  explicit L1Places(const Block& l1)
      : port(l1.place_for(Cause::port)),
        pipeline(l1.place_for(Cause::pipeline)),
        full(l1.place_for(Cause::full)),
        merge(l1.place_for(Cause::merge)),
        miss_queue(l1.place_for(Cause::miss_queue)),
        fill(l1.place_for(Cause::fill)) {}
  /// What its link to the next level costs is known when that is bound.
  void find_link(const PortBase& noc) {
    reply_link = noc.place_of_link(Cause::reply_link);
    reply_serial = noc.place_of_link(Cause::reply_serial);
    external = noc.place_beyond(Cause::external);
  }
  Place of(L1Stall stall) const { return stall == L1Stall::miss_queue ? miss_queue : full; }

  Place port, pipeline, full, merge, miss_queue, fill;
  Place reply_link = no_place, reply_serial = no_place, external = no_place;
};

}  // namespace strata
