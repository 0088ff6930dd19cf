#pragma once

#include <cstdint>

#include "traces/record/lane_form.h"
#include "traces/record/predictor.h"

/// What writer and reader of a block share beside the predictions.
namespace strata::traces::record {

// Flags of an instruction: which predictions failed, so that a column holds the value.
constexpr unsigned new_code = 1, new_mask = 2, new_form = 4, new_address = 8, known_flags = 15;
// In the columns `masks` and `addresses`, numbers below these name another prediction.
constexpr std::uint64_t mask_choices = 8, address_choices = Predictor::choices - 1;
constexpr std::size_t planes = 8;

/// Distance of the first active lane from lane 0 in a strided access.
inline Address strided_offset(const Seen& seen, std::uint32_t mask) {
  return static_cast<Address>(static_cast<std::int64_t>(seen.stride)) * first_lane(mask);
}
/// The same of a list, where its form says so.
inline Address listed_offset(const LaneForm& form, const Lanes& lanes, const LaneMemory& memory,
                             std::uint32_t row) {
  const unsigned first = first_lane(lanes.mask);
  if (form.kind == LaneForm::grid) return form.offset(first);
  if (form.kind != LaneForm::moved) return 0;
  const Lanes& earlier = *memory.earlier(row, form.back);
  return moved_distance(earlier, first_lane(earlier.mask), first, lanes.width);
}

}  // namespace strata::traces::record
