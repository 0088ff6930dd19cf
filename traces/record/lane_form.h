#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/instruction_source.h"
#include "models/common/units.h"

namespace strata::traces::record {

/// The lowest lane of a mask; 0 if it is empty.
inline unsigned first_lane(std::uint32_t mask) {
  return mask == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(mask));
}

/// Addresses of one access by lane; inactive lanes hold old values.
struct Lanes {
  std::uint32_t mask = 0;
  std::uint8_t width = 0;  ///< bytes per lane
  std::array<Address, 32> at{};
};

/// How the addresses of a warp's lanes relate, for accesses without a single stride.
struct LaneForm {
  enum Kind : std::uint8_t {
    grid,       ///< lane 0 + a (lane mod columns) + b (lane div columns): rows of a thread block
    moved,      ///< distances from the first lane as in an earlier list, scaled by the bytes per lane
    neighbour,  ///< each lane minus the active lane below it
    own,        ///< each lane minus its own last address at this instruction
    region,     ///< each lane minus the middle of all earlier addresses of this instruction
    kinds
  };
  Kind kind = grid;
  std::uint8_t columns = 5;  ///< grid: log2 of the row length, 1 to 5
  std::uint8_t back = 0;     ///< moved: 0 = the last list of this instruction, n = n lists ago
  std::uint8_t bytes = 1;    ///< of each difference, 1 to 8
  std::uint8_t shift = 0;    ///< trailing zero bits of all differences, left out
  Address a = 0, b = 0;      ///< grid: signed

  friend bool operator==(const LaneForm& x, const LaneForm& y) {
    return x.kind == y.kind && x.columns == y.columns && x.back == y.back && x.bytes == y.bytes &&
           x.shift == y.shift && x.a == y.a && x.b == y.b;
  }
  bool has_differences() const { return kind >= neighbour; }
  /// The first lane is among the differences.
  bool holds_first() const { return kind >= own; }
  Address offset(unsigned lane) const { return a * (lane & ((1u << columns) - 1)) + b * (lane >> columns); }
};

/// The address list of an access; `addresses` is the pool of its thread block.
Lanes listed_lanes(const WarpInstruction& instruction, const Address* addresses);

/// Address lists of a block: the last one of each instruction, and the last few of all.
class LaneMemory {
 public:
  static constexpr unsigned depth = 8;
  static constexpr std::uint32_t none = ~0U;

  /// The list that `moved` with `back` refers to; null if there is none. `row` is the instruction's.
  const Lanes* earlier(std::uint32_t row, unsigned back) const {
    if (back == 0) return row == none ? nullptr : &rows_[row].last;
    return back <= count_ ? &ring_[(next_ - back) % depth] : nullptr;
  }
  /// Middle of all addresses of the instruction, with their alignment.
  Address middle(std::uint32_t row, unsigned width) const;
  void insert(std::uint32_t& row, const Lanes& lanes);

 private:
  struct Row {
    Lanes last;
    Address low = ~Address{0}, high = 0;
  };
  std::vector<Row> rows_;
  std::array<Lanes, depth> ring_;
  unsigned next_ = 0, count_ = 0;
};

/// Distance of `lane` from lane `from` in an earlier list, scaled to the current width.
inline Address moved_distance(const Lanes& earlier, unsigned from, unsigned lane, unsigned width) {
  const Address distance = earlier.at[lane] - earlier.at[from];
  if (earlier.width == width || earlier.width == 0) return distance;
  return static_cast<Address>(static_cast<std::int64_t>(distance) / earlier.width) * width;
}

/// True if 32 addresses form this grid, from the first one on.
bool are_grid(const Address* at, const LaneForm& form);

/// The cheapest form, or `expected` if that fits; the list has at least one lane.
LaneForm choose_form(const Lanes& lanes, const LaneForm& expected, const LaneMemory& memory,
                     std::uint32_t row);

/// True if the lanes' addresses are those of threads in rows of 2 to 32 lanes: lane 0 + a (lane mod columns)
/// + b (lane div columns). Workloads with such accesses are called regular.
bool lanes_in_rows(const WarpInstruction& instruction, const CtaTrace& cta);

/// The base of each lane's difference; `below` is the address of the active lane below (neighbour).
class DifferenceBase {
 public:
  DifferenceBase(const LaneForm& form, const LaneMemory& memory, std::uint32_t row, unsigned width)
      : kind_(form.kind),
        own_(form.kind == LaneForm::own ? memory.earlier(row, 0) : nullptr),
        middle_(form.kind == LaneForm::region ? memory.middle(row, width) : 0) {}
  Address operator()(unsigned lane, Address below) const {
    if (kind_ == LaneForm::neighbour) return below;
    return own_ != nullptr ? own_->at[lane] : middle_;
  }

 private:
  LaneForm::Kind kind_;
  const Lanes* own_;
  Address middle_;
};

}  // namespace strata::traces::record
