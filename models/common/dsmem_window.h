#pragma once

namespace strata {

/// Requests to the shared memory of SM n of a cluster of SMs have addresses from n << 24 on. Network stages
/// between SMs route by them.
constexpr unsigned dsmem_window_bits = 24;

}  // namespace strata
