#pragma once

#include "models/l1/l1_at.h"

namespace strata {

// Loads without a transaction.

template <class Organization, bool carried>
Cycle L1At<Organization, carried>::hit_now(Address line, std::uint8_t chunks, Cycle now) {
  if (now < port_free_ || accounts_.watch != nullptr) return never;
  if (banked_) return hit_in_banks(line, chunks, now);
  if (!organization.hit(line, chunks, now))
    return loads_join_ && organization.can_join() && !loads_.full() ? under_way : never;
  accounts_.count_hit();
  ++accounts_.stats.replies;
  port_free_ = now + port_cycles_;
  return now + latency_;
}

template <class Organization, bool carried>
void L1At<Organization, carried>::wait_now(const WaitingLoad& load, Cycle now) {
  loads_.add(organization.join(), load);
  accounts_.count_merge();
  port_free_ = now + port_cycles_;
}

}  // namespace strata
