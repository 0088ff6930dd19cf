#pragma once

#include <array>
#include <cstdint>

#include "traces/source.h"

namespace strata::traces {

/// One line touched by a warp instruction.
struct LineAccess {
  Address line;         ///< address of the line's first byte
  std::uint8_t chunks;  ///< bit i: 32 B chunk i of the line is touched
};

/// Lines of one warp instruction in order of first touch, at most two per lane (a lane may straddle a
/// boundary).
struct LineAccesses {
  std::array<LineAccess, 64> lines;
  int count = 0;
  const LineAccess* begin() const { return lines.data(); }
  const LineAccess* end() const { return lines.data() + count; }
};

/// Merge the active lanes' accesses into lines of `line_bytes` (a power of two, 32 to 256) with chunk masks.
/// Lanes with address 0 are ignored, as Accel-Sim does (TRACEG_FORMAT: predicated-off lanes).
void coalesce(const WarpInstruction& instruction, const CtaTrace& cta, unsigned line_bytes,
              LineAccesses& out);

/// Largest number of distinct 4 B words that fall into one of the 32 shared-memory banks; 0 without active
/// lanes.
int shared_conflict_degree(const WarpInstruction& instruction, const CtaTrace& cta);

/// Address of each active lane, ascending lane; returns how many.
int lane_addresses(const WarpInstruction& instruction, const CtaTrace& cta, std::array<Address, 32>& out);

}  // namespace strata::traces
