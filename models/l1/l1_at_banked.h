#pragma once

#include "models/l1/l1_at.h"

namespace strata {

// hit_now() of an at L1 with banks: apart, so that others keep fewer registers.
template <class Organization, bool carried>
[[gnu::noinline]] Cycle L1At<Organization, carried>::hit_in_banks(Address line, std::uint8_t chunks,
                                                                  Cycle now) {
  if (banks_.free(line, chunks) > now || behind_banks_.full(line, chunks)) return never;
  if (!organization.hit(line, chunks, now)) return never;
  accounts_.count_hit();
  ++accounts_.stats.replies;
  occupy(line, chunks, now, 0);
  return now + latency_;
}

}  // namespace strata
