#pragma once

#include <array>
#include <cstdint>

#include "models/common/atomic_lanes.h"
#include "models/common/instruction_source.h"

namespace strata {

/// One line touched by a warp instruction.
struct LineAccess {
  Address line;                  ///< address of the line's first byte
  std::uint8_t sectors;          ///< bit i: 32 B sector i of the line is touched
  std::uint8_t spare_words = 0;  ///< 4 B words of these sectors that are not, by count_spare_words()
  std::uint16_t parts = 0;       ///< bit i: 8 B part i of the line is, by find_parts()
};

/// From a word of a thread's local memory to its next one: between lie the same words of other warps.
inline Address local_word_distance(const WarpInstruction& instruction) {
  constexpr Address row_bytes = 32 * 4;  // a word of each lane of a warp
  return instruction.operand * row_bytes;
}

/// Lines of one warp instruction in order of first touch, at most two per lane (a lane may straddle a
/// boundary), or one for each of the four words of local memory.
struct LineAccesses {
  static constexpr std::size_t most = 128;
  int count = 0;
  std::array<LineAccess, most> lines;
  const LineAccess* begin() const { return lines.data(); }
  const LineAccess* end() const { return lines.data() + count; }
};

/// Merge the active lanes' accesses into lines of `line_bytes` (a power of two, 32 to 256) with sector masks.
/// In local memory a thread's words lie local_word_distance() apart. Lanes with address 0 are ignored, as
/// Accel-Sim does (TRACEG_FORMAT: predicated-off lanes).
void coalesce(const WarpInstruction& instruction, const CtaTrace& cta, unsigned line_bytes,
              LineAccesses& out);

/// Count the `spare_words` of the lines that coalesce() has found for this instruction.
void count_spare_words(const WarpInstruction& instruction, const CtaTrace& cta, unsigned line_bytes,
                       LineAccesses& lines);

/// Find the `parts` of the same lines, of at most 128 B.
void find_parts(const WarpInstruction& instruction, const CtaTrace& cta, unsigned line_bytes,
                LineAccesses& lines);

/// Lanes of each of these lines of an atomic, in their order. Lines of one number have sectors of their own.
void count_atomic_lanes(const WarpInstruction& instruction, const CtaTrace& cta, unsigned line_bytes,
                        const LineAccesses& lines, std::array<AtomicLanes, LineAccesses::most>& out);

/// The usual case of coalesce() without its call: true, and `out` filled, when the lanes touch one contiguous
/// range that lies in one line.
inline bool coalesce_to_one(const WarpInstruction& instruction, unsigned line_bytes, LineAccess& out) {
  const Address first = instruction.address;
  if (instruction.address_kind != AddressKind::stride || first == 0 || instruction.active_mask == 0 ||
      instruction.width == 0 || (instruction.local && instruction.width > 4) ||
      static_cast<std::uint32_t>(instruction.stride) > sector_bytes)
    return false;
  const auto others = static_cast<unsigned>(instruction.active_lanes()) - 1;
  const Address last = first + others * static_cast<unsigned>(instruction.stride) + instruction.width - 1;
  const Address line = first & ~Address{line_bytes - 1};
  if (last - line >= line_bytes) return false;  // also when the range wraps around
  const auto low = static_cast<unsigned>((first - line) / sector_bytes);
  const auto high = static_cast<unsigned>((last - line) / sector_bytes);
  out = {line, static_cast<std::uint8_t>((2U << high) - (1U << low))};
  return true;
}

/// What an access of shared memory takes of its 32 banks of 4 B words.
struct SharedPasses {
  int cycles = 0;  ///< largest number of distinct words that fall into one bank; 0 without active lanes
  int needed = 0;  ///< of these: what that many words need in any case, 4 for 16 B of each of 32 lanes
  int conflicts() const { return cycles - needed; }
};
SharedPasses shared_passes(const WarpInstruction& instruction, const CtaTrace& cta);

/// Address of each active lane, ascending lane; returns how many.
int lane_addresses(const WarpInstruction& instruction, const CtaTrace& cta, std::array<Address, 32>& out);

}  // namespace strata
