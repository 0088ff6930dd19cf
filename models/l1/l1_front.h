#pragma once

#include "models/l1/l1_accounts.h"
#include "models/l1/l1_banks.h"
#include "models/l1/l1_places.h"

namespace strata {

/// What every access of an at L1 asks for, in one cache line: L1s are visited cold, dozens of them in turn.
class alignas(64) L1Front {
 protected:
  L1Front(L1Organization& organization, Bytes line, const L1Places& places)
      : accounts_(organization),
        latency_(static_cast<std::uint16_t>(organization.params().hit_latency())),
        miss_latency_(static_cast<std::uint16_t>(organization.params().miss_latency)),
        port_cycles_(static_cast<std::uint16_t>(organization.params().port_cycles)),
        banked_(!L1Banks(organization.params(), line).plain()),
        bank_queues_(organization.params().bank_queue != 0),
        places_(places) {}
  ~L1Front() = default;

  L1Accounts accounts_;
  Cycle port_free_ = 0;  // never: when a hit has left
  const std::uint16_t latency_;
  const std::uint16_t miss_latency_;
  const std::uint16_t port_cycles_;
  L1Stall stall_ = L1Stall::none;
  const bool banked_;            // several may enter in a cycle
  const bool bank_queues_;       // requests wait at their banks
  bool splits_ = false;          // fetches may be several requests
  std::uint8_t request_chunks_;  // of what a request asks for: a line of the address map, or a part of one
  bool hits_wait_ = false;       // for their turn on the way back
  L1Places places_;
};

}  // namespace strata
