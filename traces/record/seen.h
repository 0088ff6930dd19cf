#pragma once

#include <cstdint>

#include "models/common/instruction_source.h"
#include "traces/record/lane_form.h"

namespace strata::traces::record {

/// What is remembered of one dictionary entry while a block is written or read.
struct alignas(64) Seen {
  Address last = 0, step = 0;             ///< in this warp: last address and last step
  Address warp_first = 0, warp_step = 0;  ///< first address in the warp before, step between warps
  Address cta_first = 0, cta_step = 0;    ///< first address in the CTA before, step between CTAs
  Address beside = 0;                     ///< distance from the access that the warp made just before
  std::uint32_t warp = 0, cta = 0;        ///< that executed it last, counted from 1; 0 = none yet
  std::uint32_t successor = 0;
  std::int32_t stride = 0;         ///< of two lanes or more
  std::int32_t single_stride = 0;  ///< what the source wrote where one lane was active
  std::uint8_t choice = 0;         ///< the prediction that was right last
  bool looped = false;             ///< `step` is known
  LaneForm form;                   ///< listed addresses
  std::uint32_t lanes = ~0U;       ///< row of `LaneMemory`, once addresses were listed
};

}  // namespace strata::traces::record
