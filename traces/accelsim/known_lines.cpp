#include "traces/accelsim/known_lines.h"

#include <charconv>

namespace strata::traces {
namespace {

constexpr int most_tries = 32;  // lines that begin alike are few, but in files that are made to be slow

}  // namespace

/// Takes over the mask of `text` when all else is equal.
bool KnownLines::same_but_mask(Line& line, std::string_view text) {
  const std::size_t mask_at = line.mask_at, behind = mask_at + mask_digits;
  if (std::memcmp(text.data(), line.text.data(), mask_at) != 0 ||
      std::memcmp(text.data() + behind, line.text.data() + behind, line.length - behind) != 0)
    return false;
  std::uint32_t mask = 0;
  const char* const first = text.data() + mask_at;
  const auto read = std::from_chars(first, first + mask_digits, mask, 16);
  if (read.ec != std::errc{} || read.ptr != first + mask_digits) return false;
  line.instruction.active_mask = mask;
  std::memcpy(line.text.data() + mask_at, first, mask_digits);
  return true;
}

/// Of the first word: mostly the place in the program.
std::size_t KnownLines::hash(std::string_view text) {
  std::uint32_t value = 0;
  for (const char c : text.substr(0, text.find(' ', 1))) value = value * 31 + static_cast<unsigned char>(c);
  return (value ^ value >> 10) % 1024;
}

std::uint32_t KnownLines::look_up(std::string_view text) {
  std::uint32_t at = by_hash_[hash(text)];
  for (int tries = 0; at != none && tries < most_tries; ++tries, at = lines_[at].same_hash)
    if (same(lines_[at], text)) return at;
  return none;
}

void KnownLines::add(std::string_view text, const Line& line) {
  if (lines_.size() == most || line.length > longest) return;
  const auto at = static_cast<std::uint32_t>(lines_.size());
  lines_.push_back(line);
  std::memcpy(lines_[at].text.data(), text.data(), line.length);
  std::uint32_t& first = by_hash_[hash(text)];
  lines_[at].same_hash = first;
  first = lines_[last_].follower = at;
  last_ = at;
}

}  // namespace strata::traces
