#include "traces/record/lane_form.h"

#include <algorithm>
#include <cstring>

#include "traces/record/record_format.h"

namespace strata::traces::record {
namespace {

bool fits_grid(const Lanes& lanes, const LaneForm& form) {
  if (lanes.mask == ~0U) return are_grid(lanes.at.data(), form);
  const unsigned first = first_lane(lanes.mask);
  const Address zero = lanes.at[first] - form.offset(first);
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    if (lanes.at[lane] != zero + form.offset(lane)) return false;
  }
  return true;
}

/// Finds the step s with to = from + s * lanes; false if there is none.
bool step_between(Address from, Address to, unsigned distance, Address& step) {
  const auto difference = static_cast<std::int64_t>(to - from);
  if (difference % static_cast<std::int64_t>(distance) != 0) return false;
  step = static_cast<Address>(difference / static_cast<std::int64_t>(distance));
  return true;
}

/// Finds a grid with rows of 2^columns lanes, from the first pair of lanes in a row and the first in two
/// rows.
bool find_grid(const Lanes& lanes, unsigned columns, LaneForm& form) {
  form = LaneForm();
  form.columns = static_cast<std::uint8_t>(columns);
  bool in_row = false;
  unsigned below = first_lane(lanes.mask);
  for (std::uint32_t rest = lanes.mask & (lanes.mask - 1); rest != 0 && !in_row; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    if (lane >> columns == below >> columns) {
      if (!step_between(lanes.at[below], lanes.at[lane], lane - below, form.a)) return false;
      in_row = true;
    }
    below = lane;
  }
  const unsigned first = first_lane(lanes.mask);
  for (std::uint32_t rest = lanes.mask & (lanes.mask - 1); rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    if (lane >> columns == first >> columns) continue;
    const unsigned low = (1u << columns) - 1;
    if (!step_between(lanes.at[first] - form.a * (first & low), lanes.at[lane] - form.a * (lane & low),
                      (lane >> columns) - (first >> columns), form.b))
      return false;
    break;
  }
  return fits_grid(lanes, form);
}

/// Upper bound of log2 of the row length, from the first lanes.
unsigned most_columns(const Lanes& lanes) {
  const auto step = [&](std::size_t lane) { return lanes.at[lane + 1] - lanes.at[lane]; };
  if (lanes.mask != ~0U || step(0) == step(1)) return 5;
  return step(0) == step(2) ? 1 : 0;
}

bool fits_moved(const Lanes& lanes, const Lanes* earlier) {
  if (earlier == nullptr || (lanes.mask & ~earlier->mask) != 0) return false;
  const unsigned first = first_lane(lanes.mask);
  for (std::uint32_t rest = lanes.mask & (lanes.mask - 1); rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    if (lanes.at[lane] - lanes.at[first] != moved_distance(*earlier, first, lane, lanes.width)) return false;
  }
  return true;
}

constexpr std::uint64_t change_bits = 16;  // cost of a form other than the predicted one
constexpr std::uint64_t no_limit = ~std::uint64_t{0};

struct Cost {
  std::uint64_t bits = 0;     ///< of all differences
  std::uint64_t largest = 1;  ///< all bits of all differences, zigzag
  LaneForm form;
};

std::uint8_t bytes_of(std::uint64_t value) {  // at least 1
  return static_cast<std::uint8_t>((71 - __builtin_clzll(value | 1)) / 8);
}

/// Counting stops at `limit`.
template <LaneForm::Kind Kind>
Cost cost_of(const Lanes& lanes, const LaneMemory& memory, std::uint32_t row, std::uint64_t limit) {
  Cost cost;
  cost.form.kind = Kind;
  if (!cost.form.holds_first()) cost.bits += 16;  // its address costs about as much as in a difference
  const DifferenceBase base(cost.form, memory, row, lanes.width);
  std::array<Address, 32> differences;
  unsigned count = 0;
  Address all = 0, below = 0;
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    if (rest != lanes.mask || cost.form.holds_first()) {
      differences[count] = lanes.at[lane] - base(lane, below);
      all |= differences[count++];
    }
    below = lanes.at[lane];
  }
  cost.form.shift = all == 0 ? 0 : static_cast<std::uint8_t>(std::min(__builtin_ctzll(all), 15));
  for (unsigned i = 0; i < count && cost.bits < limit; ++i) {
    const Address value =
        zigzag(static_cast<Address>(static_cast<std::int64_t>(differences[i]) >> cost.form.shift));
    cost.largest |= value;
    cost.bits += 64 - static_cast<unsigned>(__builtin_clzll(value << 1 | 1));  // and its end
  }
  cost.form.bytes = bytes_of(cost.largest);
  return cost;
}
Cost cost_of(LaneForm::Kind kind, const Lanes& lanes, const LaneMemory& memory, std::uint32_t row,
             std::uint64_t limit) {
  return kind == LaneForm::own      ? cost_of<LaneForm::own>(lanes, memory, row, limit)
         : kind == LaneForm::region ? cost_of<LaneForm::region>(lanes, memory, row, limit)
                                    : cost_of<LaneForm::neighbour>(lanes, memory, row, limit);
}

}  // namespace

bool are_grid(const Address* at, const LaneForm& form) {
  using Pair = Address __attribute__((vector_size(16)));  // two lanes: a row has at least two
  const Pair step = {2 * form.a, 2 * form.a}, next_row = {form.b, form.b};
  Pair row = {at[0], at[0] + form.a}, differences = {0, 0};
  for (const Address* const end = at + 32; at != end; row += next_row) {
    Pair expected = row;
    for (const Address* const row_end = at + (1u << form.columns); at != row_end; at += 2, expected += step) {
      Pair found;
      std::memcpy(&found, at, sizeof found);
      differences |= found ^ expected;
    }
  }
  return (differences[0] | differences[1]) == 0;
}

Lanes listed_lanes(const WarpInstruction& instruction, const Address* addresses) {
  const Address* next = addresses + instruction.address;
  Lanes lanes;
  lanes.mask = instruction.active_mask;
  lanes.width = instruction.width;
  if (lanes.mask == ~0U) {
    std::copy(next, next + lanes.at.size(), lanes.at.begin());
    return lanes;
  }
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) lanes.at[first_lane(rest)] = *next++;
  return lanes;
}

bool lanes_in_rows(const WarpInstruction& instruction, const CtaTrace& cta) {
  if (instruction.address_kind != AddressKind::list || instruction.active_mask == 0) return true;
  const Lanes lanes = listed_lanes(instruction, cta.addresses.data());
  LaneForm form;
  for (unsigned columns = 5; columns > 0; --columns)
    if (find_grid(lanes, columns, form)) return true;
  return false;
}

Address LaneMemory::middle(std::uint32_t row, unsigned width) const {
  if (row == none) return 0;
  const Address half = (rows_[row].high - rows_[row].low + 1) / 2;
  return rows_[row].low + (width == 0 ? half : (half + width - 1) / width * width);
}

void LaneMemory::insert(std::uint32_t& row, const Lanes& lanes) {
  if (row == none) {
    row = static_cast<std::uint32_t>(rows_.size());
    rows_.emplace_back();
  }
  Row& mine = rows_[row];
  mine.last.mask |= lanes.mask;
  mine.last.width = lanes.width;
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    mine.last.at[lane] = lanes.at[lane];
    mine.low = std::min(mine.low, lanes.at[lane]);
    mine.high = std::max(mine.high, lanes.at[lane]);
  }
  ring_[next_++ % depth] = lanes;
  count_ = std::min(count_ + 1, depth);
}

LaneForm choose_form(const Lanes& lanes, const LaneForm& expected, const LaneMemory& memory,
                     std::uint32_t row) {
  if (expected.kind == LaneForm::grid && fits_grid(lanes, expected)) return expected;
  if (expected.kind == LaneForm::moved && fits_moved(lanes, memory.earlier(row, expected.back)))
    return expected;
  LaneForm form;
  for (unsigned columns = most_columns(lanes); columns > 0; --columns)
    if (find_grid(lanes, columns, form)) return form;
  form = LaneForm();
  form.kind = LaneForm::moved;
  for (unsigned back = 0; back <= LaneMemory::depth; ++back) {
    form.back = static_cast<std::uint8_t>(back);
    if (fits_moved(lanes, memory.earlier(row, back))) return form;
  }
  if (memory.earlier(row, 0) == nullptr)
    return cost_of(LaneForm::neighbour, lanes, memory, row, no_limit).form;
  // The cheapest form, the first of equal ones; the predicted form is tried first.
  const LaneForm::Kind first = expected.has_differences() ? expected.kind : LaneForm::neighbour;
  Cost best = cost_of(first, lanes, memory, row, no_limit);
  best.bits += expected.kind == first ? 0 : change_bits;
  for (const LaneForm::Kind kind : {LaneForm::neighbour, LaneForm::own, LaneForm::region}) {
    const std::uint64_t limit = best.bits + (kind < best.form.kind ? 1 : 0);
    if (kind == first || limit <= change_bits) continue;
    Cost cost = cost_of(kind, lanes, memory, row, limit - change_bits);
    cost.bits += change_bits;
    if (cost.bits < limit) best = cost;
  }
  // Not worth another form: fewer zero bits left out, but the same number of bytes.
  const bool alike = best.form.kind == expected.kind && best.form.bytes == expected.bytes &&
                     best.form.shift > expected.shift && best.largest < std::uint64_t{1} << 48;
  return alike && bytes_of((best.largest + 1) << (best.form.shift - expected.shift)) <= expected.bytes
             ? expected
             : best.form;
}

}  // namespace strata::traces::record
