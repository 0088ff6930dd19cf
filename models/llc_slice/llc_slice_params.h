#pragma once

#include "models/cache/fill_units.h"
#include "models/cache/prefetch_params.h"
#include "models/cache/set_index.h"
#include "models/common/params.h"

namespace strata {

/// One slice of the memory-side LLC. Defaults: 96 KiB, 16 ways, 128 B, LRU, 120 cycles (ISCA 2019, Table 1).
struct LlcSliceParams final : ParamSet, SectorParams, PrefetchParams {
  enum class Write : int { back, through };

  Bytes size{96 * KiB};
  int ways = 16;
  Bytes line{128};
  SetIndex::Kind set_index = SetIndex::Kind::hashed;
  int replacement = 0;  // row of the table of policies: LRU
  Write write = Write::back;
  int latency = 120;
  int lookup = 0;
  int mshrs = 64;
  int merges = 16;
  int request_queue = 8;
  int reply_queue = 8;
  int write_queue = 8;
  int atomic_lanes_per_cycle = 0;
  int atomic_same_address = 0;

  std::uint64_t sets() const { return size / (line * static_cast<std::uint64_t>(ways)); }
  int lookup_cycles() const { return lookup == 0 ? latency : lookup; }
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

}  // namespace strata
