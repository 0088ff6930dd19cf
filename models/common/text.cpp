#include "models/common/text.h"

#include <algorithm>
#include <cstdio>

namespace strata {
namespace {

// Long enough for the path of a deep folder, and for a message with a list of what is allowed.
constexpr std::size_t longest_word = 400;
constexpr std::size_t longest_line = 4000;

unsigned char at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// Bytes of the UTF-8 character at `i` that a terminal shows as it is; 0: a control character or no UTF-8.
std::size_t shown_bytes(std::string_view text, std::size_t i) {
  const unsigned char first = at(text, i);
  if (first == '\n' || (first >= 0x20 && first < 0x7f)) return 1;
  const std::size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size == 0 || i + size > text.size()) return 0;
  for (std::size_t k = 1; k < size; ++k)
    if ((at(text, i + k) & 0xc0) != 0x80) return 0;
  const unsigned char second = at(text, i + 1);
  const bool control = first == 0xc2 && second < 0xa0;  // C1: some terminals take them for escape sequences
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool beyond = first == 0xf4 && second >= 0x90;
  return control || overlong || surrogate || beyond ? 0 : size;
}

std::string escaped(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = shown_bytes(text, i);
    if (size == 0) {
      out += {'\\', 'x', digits[at(text, i) / 16], digits[at(text, i) % 16]};
      ++i;
      continue;
    }
    out += text.substr(i, size);
    i += size;
  }
  return out;
}

/// Parts of `text` between `separator`s, each at most `most` bytes.
std::string shortened(const std::string& text, const char* separators, std::size_t most) {
  std::string out;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    std::size_t head = end, tail = end;
    if (end - begin > most) {
      const auto middle_of_character = [&](std::size_t i) { return (at(text, i) & 0xc0) == 0x80; };
      head = begin + most / 2;
      tail = end - most / 4;
      while (middle_of_character(head)) --head;
      while (tail < end && middle_of_character(tail)) ++tail;
    }
    out.append(text, begin, head - begin);
    if (tail != head) out += "...(" + std::to_string(tail - head) + " bytes left out)...";
    out.append(text, tail, end - tail);
    if (end < text.size()) out += text[end];
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return shortened(shortened(escaped(text), " \n", longest_word), "\n", longest_line);
}

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string number_text(double value) {
  return formatted("%.6g", value);
}

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string hex_text(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string comma_list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

}  // namespace strata
