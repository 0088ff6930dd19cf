#pragma once

#include <deque>
#include <vector>

#include "models/common/instruction_source.h"

/// Path of a thread block: patterns that repeat, and what differs between repetitions.
namespace strata::traces {

/// Record of an access while it executes: 16 bytes.
struct PathCell {
  std::uint64_t value = 0;  ///< address of the first lane, or begin of the address list
  std::uint32_t extra = 0;  ///< stride
  std::uint32_t tag = 0;    ///< the instruction, and flags
};
constexpr std::uint32_t listed_cell = 1u << 25;  ///< flag of a tag: the addresses are a list

/// Consecutive instructions without addresses, strides and masks.
struct Pattern {
  struct Access {
    std::uint32_t record = 0, cell = 0;
    bool own_mask = false;  ///< the next cell holds the mask; else it is the segment's
    bool listed = false;    ///< had an address list the first time; later cells have their own flag
  };
  std::uint32_t id = 0;     ///< unique in the program; 0: the pattern occurs once
  std::uint32_t place = 0;  ///< of a pattern that occurs once: index in CtaPath::own
  bool own_masks = false;
  std::uint32_t cells = 0;
  std::vector<WarpInstruction> records;
  std::vector<Access> accesses;  ///< in the order of their records
};

/// One execution of a pattern, or consecutive ones in which each cell's value advances by a constant.
struct PathSegment {
  const Pattern* pattern = nullptr;
  const PathCell* cells = nullptr;
  std::uint32_t mask = 0;
  std::uint32_t repeats = 0;  ///< executions after the first
  bool as_known = false;      ///< address lists occur where the pattern has them

  /// One of these executions.
  PathSegment at(std::uint32_t time) const {
    return {pattern, cells + std::size_t{time} * pattern->cells, mask, 0, as_known};
  }

  /// The instruction of an access as it was executed.
  WarpInstruction instruction(const Pattern::Access& access) const {
    WarpInstruction made = pattern->records[access.record];
    made.active_mask = mask;
    fill(access, made);
    return made;
  }
  /// Calls visit(instruction) for instructions from `first` to before `last`.
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
  /// All instructions.
  void append(std::vector<WarpInstruction>& to) const {
    const std::size_t before = to.size();
    to.insert(to.end(), pattern->records.begin(), pattern->records.end());
    WarpInstruction* const made = to.data() + before;
    for (std::size_t n = 0; n < pattern->records.size(); ++n) made[n].active_mask = mask;
    for (const Pattern::Access& access : pattern->accesses) fill(access, made[access.record]);
  }

 private:
  /// What differs from the pattern, except for the mask of the segment.
  void fill(const Pattern::Access& access, WarpInstruction& made) const {
    const PathCell* const cell = cells + access.cell;
    if (access.own_mask) made.active_mask = static_cast<std::uint32_t>(cell[1].value);
    if (made.address_kind == AddressKind::none) return;
    made.address = cell->value;
    made.stride = static_cast<std::int32_t>(cell->extra);
    made.address_kind = (cell->tag & listed_cell) != 0 ? AddressKind::list : AddressKind::stride;
  }
};

/// Path of a thread block, valid until the next one runs.
struct CtaPath {
  struct Warp {
    std::size_t begin = 0, end = 0;  ///< range of segments
    std::uint64_t instructions = 0;
  };
  std::uint64_t index = 0;
  std::vector<Warp> warps;
  std::vector<PathSegment> segments;
  std::deque<Pattern> own;             ///< patterns that occur once
  const Address* addresses = nullptr;  ///< address pool of AddressKind::list
  std::size_t address_count = 0;

  std::uint64_t instructions() const {
    std::uint64_t all = 0;
    for (const Warp& warp : warps) all += warp.instructions;
    return all;
  }
  void clear() {
    warps.clear();
    segments.clear();
    own.clear();
  }
};

}  // namespace strata::traces
