#pragma once

#include "models/l1/l1_places.h"

namespace strata {

/// Where a DC-L1 node charges ledgers: as an L1, and for its queues towards the cores.
struct DcL1Places : L1Places {
  explicit DcL1Places(const Block& node)
      : L1Places(node), queue(node.place_for(Cause::queue)), reply_port(node.place_for(Cause::reply_port)) {}
  /// What its links cost is known when they are bound.
  void find_links(const PortBase& sm, const PortBase& noc) {
    find_link(noc);
    request_link = sm.place_of_link(Cause::request_link);
    request_serial = sm.place_of_link(Cause::request_serial);
  }

  Place queue, reply_port;
  Place request_link = no_place, request_serial = no_place;
};

}  // namespace strata
