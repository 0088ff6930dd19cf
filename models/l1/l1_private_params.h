#pragma once

#include "models/cache/set_index.h"
#include "models/common/params.h"

namespace strata {

/// A private L1 data cache. Defaults: 48 KiB, 6 ways, 128 B, LRU (ISCA 2019, Table 1); 28 cycles (HPCA 2021,
/// Table II).
struct L1PrivateParams final : ParamSet {
  enum class Write : int { evict, through };

  Bytes size{48 * KiB};
  int ways = 6;
  Bytes line{128};
  SetIndex::Kind set_index = SetIndex::Kind::hashed;
  Write write = Write::evict;
  int latency = 28;
  int miss_latency = 1;
  int port_cycles = 1;
  int mshrs = 64;
  int merges = 8;
  int miss_queue = 8;

  std::uint64_t sets() const { return size / (line * static_cast<std::uint64_t>(ways)); }
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

}  // namespace strata
