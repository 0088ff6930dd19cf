#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "traces/record/lane_form.h"
#include "traces/record/predictor.h"

namespace strata::traces::record {

/// A block is closed when it holds this many instructions or CTAs; one CTA may hold more instructions.
constexpr std::uint64_t block_instructions = std::uint64_t{1} << 17;
constexpr std::uint64_t block_ctas = 4096;

/// The columns of a block, or what some CTAs add to them (docs/guide/trace-formats.md, "Record files").
struct Columns {
  std::string warps, flags, codes, masks, forms, addresses;
  std::array<std::string, 8> differences;
  static constexpr std::size_t count = 14;

  std::array<std::string*, count> all() {
    std::array<std::string*, count> list = {&warps, &flags, &codes, &masks, &forms, &addresses};
    for (std::size_t i = 0; i < differences.size(); ++i) list[6 + i] = &differences[i];
    return list;
  }
  std::size_t bytes() {
    std::size_t sum = 0;
    for (const std::string* column : all()) sum += column->size();
    return sum;
  }
  void append(Columns& more) {
    const auto to = all();
    const auto from = more.all();
    for (std::size_t i = 0; i < count; ++i) to[i]->append(*from[i]);
  }
  void clear() {
    for (std::string* column : all()) column->clear();
  }
};

/// Consecutive CTAs of one kernel in columns.
struct EncodedCtas {
  std::uint64_t first = 0, count = 0, instructions = 0;
  bool begins_block = false;  ///< nothing is remembered of what was before
  Columns columns;
};

// What writer and reader of a block share beside the predictions.

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
