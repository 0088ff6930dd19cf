#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/record/lane_form.h"

namespace strata::traces::record {

/// History of one dictionary entry within a block.
struct alignas(64) History {
  Address last = 0, step = 0;             ///< in this warp: last address and last step
  Address warp_first = 0, warp_step = 0;  ///< first address in the warp before, step between warps
  Address cta_first = 0, cta_step = 0;    ///< first address in the CTA before, step between CTAs
  Address from_previous = 0;              ///< distance from the warp's access before it
  std::uint32_t warp = 0, cta = 0;        ///< that executed it last, counted from 1; 0 = none yet
  std::uint32_t successor = 0;
  std::int32_t stride = 0;         ///< with two or more active lanes
  std::int32_t single_stride = 0;  ///< stride in the source when one lane was active
  std::uint8_t choice = 0;         ///< the prediction that was right last time
  bool looped = false;             ///< `step` is known
  LaneForm form;                   ///< form of its address lists
  std::uint32_t lanes = ~0U;       ///< row of `LaneMemory`, once there was an address list
};

/// The part of an instruction that never changes, packed into three words.
struct StaticPart {
  std::array<std::uint64_t, 3> words{};
  friend bool operator==(const StaticPart& a,
                         const StaticPart& b) {  // avoids a call of memcmp for each instruction
    return ((a.words[0] ^ b.words[0]) | (a.words[1] ^ b.words[1]) | (a.words[2] ^ b.words[2])) == 0;
  }
  friend bool operator!=(const StaticPart& a, const StaticPart& b) { return !(a == b); }
};

// It consists of all fields behind address, stride and mask.
constexpr std::size_t static_begin = offsetof(WarpInstruction, pc);
static_assert(sizeof(WarpInstruction) == static_begin + sizeof(StaticPart::words) &&
              offsetof(WarpInstruction, operand) + sizeof(WarpInstruction::operand) ==
                  sizeof(WarpInstruction));

inline StaticPart static_part(const WarpInstruction& instruction) {
  StaticPart part;
  std::memcpy(part.words.data(), reinterpret_cast<const char*>(&instruction) + static_begin,
              sizeof part.words);
  return part;
}
/// The instruction with mask, address and stride left at 0.
inline WarpInstruction from_static_part(const StaticPart& part) {
  WarpInstruction instruction;
  std::memcpy(reinterpret_cast<char*>(&instruction) + static_begin, part.words.data(), sizeof part.words);
  return instruction;
}

/// The distinct static parts of a file in order of appearance. The index here is an instruction's code.
class Dictionary {
 public:
  struct Entry {
    StaticPart part;
    WarpInstruction instruction;  ///< the same, unpacked
  };

  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  const Entry& operator[](std::uint32_t code) const { return entries_[code]; }
  const std::vector<Entry>& entries() const { return entries_; }
  /// Code of `part`; appends new parts.
  std::uint32_t code(const StaticPart& part) {
    const auto inserted = codes_.emplace(part, size());
    if (inserted.second) entries_.push_back({part, from_static_part(part)});
    return inserted.first->second;
  }

 private:
  struct Hash {
    std::size_t operator()(const StaticPart& part) const {
      std::uint64_t value = part.words[0] * 0x9e3779b97f4a7c15;
      value = (value ^ value >> 32 ^ part.words[1]) * 0x9e3779b97f4a7c15;
      value = (value ^ value >> 32 ^ part.words[2]) * 0x9e3779b97f4a7c15;
      return static_cast<std::size_t>(value ^ value >> 32);
    }
  };
  std::vector<Entry> entries_;
  std::unordered_map<StaticPart, std::uint32_t, Hash> codes_;  // not iterated
};

}  // namespace strata::traces::record
