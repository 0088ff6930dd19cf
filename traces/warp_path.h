#pragma once

#include <deque>
#include <vector>

#include "models/common/instruction_source.h"

/// What a thread block executed, as patterns that come again and what differs from one time to the next.
namespace strata::traces {

/// What is noted of an access while it executes: 16 bytes.
struct PathCell {
  std::uint64_t value = 0;  ///< address of the first lane, or where the list begins
  std::uint32_t extra = 0;  ///< stride
  std::uint32_t tag = 0;    ///< the instruction, and the bits below
};
constexpr std::uint32_t listed_cell = 1u << 25;  ///< of a tag: the addresses are a list

/// Instructions that follow each other, but for their addresses, strides and masks.
struct Pattern {
  struct Access {
    std::uint32_t record = 0, cell = 0;
    bool own_mask = false;  ///< that is the value of the next cell; else it is that of the stretch
    bool listed = false;    ///< so it was the first time; each time the cell says it
  };
  std::uint32_t id = 0;     ///< no other of the program has it; 0: it comes but once
  std::uint32_t place = 0;  ///< then: among CtaPath::own
  bool own_masks = false;
  std::uint32_t cells = 0;
  std::vector<WarpInstruction> records;
  std::vector<Access> accesses;  ///< in the order of their records
};

/// Once that a pattern was executed; or several times, one behind the other, each cell's value as far from
/// that of the time before.
struct Stretch {
  const Pattern* pattern = nullptr;
  const PathCell* cells = nullptr;
  std::uint32_t mask = 0;
  std::uint32_t repeats = 0;  ///< behind the first time
  bool as_known = false;      ///< lists are where the pattern has lists

  /// One time of these.
  Stretch at(std::uint32_t time) const {
    return {pattern, cells + std::size_t{time} * pattern->cells, mask, 0, as_known};
  }

  /// The instruction of an access as it was executed.
  WarpInstruction instruction(const Pattern::Access& access) const {
    WarpInstruction made = pattern->records[access.record];
    made.active_mask = mask;
    fill(access, made);
    return made;
  }
  /// Calls visit(instruction) for those from `first` to before `last`.
  template <class Visit>
  void for_each(std::size_t first, std::size_t last, Visit visit) const {
    auto access = pattern->accesses.begin();
    while (access != pattern->accesses.end() && access->record < first) ++access;
    for (std::size_t n = first; n < last; ++n) {
      if (access != pattern->accesses.end() && access->record == n) {
        visit(instruction(*access++));
        continue;
      }
      WarpInstruction made = pattern->records[n];
      made.active_mask = mask;
      visit(made);
    }
  }
  /// All of them.
  void append(std::vector<WarpInstruction>& to) const {
    const std::size_t before = to.size();
    to.insert(to.end(), pattern->records.begin(), pattern->records.end());
    WarpInstruction* const made = to.data() + before;
    for (std::size_t n = 0; n < pattern->records.size(); ++n) made[n].active_mask = mask;
    for (const Pattern::Access& access : pattern->accesses) fill(access, made[access.record]);
  }

 private:
  /// What differs from the pattern, but for the mask of the stretch.
  void fill(const Pattern::Access& access, WarpInstruction& made) const {
    const PathCell* const cell = cells + access.cell;
    if (access.own_mask) made.active_mask = static_cast<std::uint32_t>(cell[1].value);
    if (made.address_kind == AddressKind::none) return;
    made.address = cell->value;
    made.stride = static_cast<std::int32_t>(cell->extra);
    made.address_kind = (cell->tag & listed_cell) != 0 ? AddressKind::list : AddressKind::stride;
  }
};

/// A thread block: valid until the next one runs.
struct CtaPath {
  struct Warp {
    std::size_t begin = 0, end = 0;  ///< among the stretches
    std::uint64_t instructions = 0;
  };
  std::uint64_t index = 0;
  std::vector<Warp> warps;
  std::vector<Stretch> stretches;
  std::deque<Pattern> own;             ///< those that come but once
  const Address* addresses = nullptr;  ///< pool of AddressKind::list
  std::size_t address_count = 0;

  std::uint64_t instructions() const {
    std::uint64_t all = 0;
    for (const Warp& warp : warps) all += warp.instructions;
    return all;
  }
  void clear() {
    warps.clear();
    stretches.clear();
    own.clear();
  }
};

}  // namespace strata::traces
