#pragma once

#include "models/l1/l1_at.h"

namespace strata {

// Loads without a transaction.

template <class Organization, bool carried>
Cycle L1At<Organization, carried>::hit_now(Address line, std::uint8_t chunks, Cycle now) {
  if (now < port_free_ || accounts_.watch != nullptr) return never;
  if (banked_) return hit_in_banks(line, chunks, now);
  if (!organization.hit(line, chunks, now)) return never;
  accounts_.count_hit();
  ++accounts_.stats.replies;
  port_free_ = now + port_cycles_;
  return now + latency_;
}

}  // namespace strata
