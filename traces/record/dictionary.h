#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces::record {

/// The part of an instruction that never changes, packed into three words.
struct StaticPart {
  std::array<std::uint64_t, 3> words{};
  friend bool operator==(const StaticPart& a,
                         const StaticPart& b) {  // not a call of memcmp for each instruction
    return ((a.words[0] ^ b.words[0]) | (a.words[1] ^ b.words[1]) | (a.words[2] ^ b.words[2])) == 0;
  }
  friend bool operator!=(const StaticPart& a, const StaticPart& b) { return !(a == b); }
};

// It is what lies behind address, stride and mask.
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

/// The distinct static parts of a file in order of appearance; an instruction is named by its index here.
class Dictionary {
 public:
  struct Entry {
    StaticPart part;
    WarpInstruction instruction;  ///< the same, unpacked
  };

  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  const Entry& operator[](std::uint32_t code) const { return entries_[code]; }
  const std::vector<Entry>& entries() const { return entries_; }
  /// Index of `part`; appends it when it is new.
  std::uint32_t code(const StaticPart& part);

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
  std::unordered_map<StaticPart, std::uint32_t, Hash> codes_;  // looked up, never walked
};

}  // namespace strata::traces::record
