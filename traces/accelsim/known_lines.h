#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/accelsim/scanner.h"

namespace strata::traces {

/// Instruction lines that a reader has understood. The lines of a kernel are few; they come again for each
/// warp, mostly after the same line as the last time, with another mask or other addresses.
class KnownLines {
 public:
  static constexpr std::size_t longest = 96;  ///< lines with more before their addresses are not kept

  struct Line {
    std::array<char, longest> text{};  ///< up to the addresses, or all when `accesses` is false
    std::uint8_t length = 0;
    std::uint8_t mask_at = 0;  ///< where the active mask stands, in `mask_digits` digits
    bool accesses = false;     ///< addresses follow
    bool memory = false;       ///< ... and are not ignored
    bool generic = false;      ///< the address decides between shared, local and global memory
    bool copy = false;         ///< the address tells which side of an asynchronous copy the line is of
    std::uint64_t* ignored =
        nullptr;  ///< where to count it, when it moves bytes or orders and is not modelled
    WarpInstruction instruction;
    // What followed `text` the last time, when its addresses were regular, and what the line was then. Shared
    // memory has the same addresses in all warps, or in all thread blocks.
    std::array<char, 48> rest{};
    std::uint8_t rest_length = 0;
    WarpInstruction last;

    bool is_as_last(std::string_view behind) const {
      return rest_length != 0 && behind.size() == rest_length &&
             last.active_mask == instruction.active_mask &&
             std::memcmp(behind.data(), rest.data(), rest_length) == 0;
    }
    void note(std::string_view behind, const WarpInstruction& whole) {
      if (behind.size() > rest.size() || whole.address_kind != AddressKind::stride) return;
      std::memcpy(rest.data(), behind.data(), behind.size());
      rest_length = static_cast<std::uint8_t>(behind.size());
      last = whole;
    }

    std::uint32_t follower = 0;   ///< the line that came after this one
    std::uint32_t same_hash = 0;  ///< the next line with this hash
  };
  static constexpr std::size_t mask_digits = 8;

  KnownLines() { lines_.emplace_back(); }

  /// The line that is `text` but for mask and addresses, with the mask of `text`; null when there is none.
  Line* find(std::string_view text) {
    std::uint32_t at = lines_[last_].follower;
    if (at == none || !same(lines_[at], text)) {
      at = look_up(text);
      if (at == none) return nullptr;
      lines_[last_].follower = at;
    }
    last_ = at;
    return &lines_[at];
  }
  /// `line.text` is filled in from `text`.
  void add(std::string_view text, const Line& line);

 private:
  static constexpr std::uint32_t none = 0;  // lines_[0] stands before the first
  static constexpr std::size_t most = 1 << 14;

  static bool same(Line& line, std::string_view text) {
    const std::size_t length = line.length;
    if (line.accesses ? text.size() <= length || !Scanner::blank(text[length]) : text.size() != length)
      return false;
    return std::memcmp(text.data(), line.text.data(), length) == 0 || same_but_mask(line, text);
  }
  static bool same_but_mask(Line& line, std::string_view text);
  static std::size_t hash(std::string_view text);
  std::uint32_t look_up(std::string_view text);

  std::vector<Line> lines_;
  std::array<std::uint32_t, 1024> by_hash_{};
  std::uint32_t last_ = 0;
};

}  // namespace strata::traces
