#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// Escapes text from files and command lines for a terminal: control characters and bytes that are not UTF-8
/// become \xNN (line breaks stay). The middle of very long words and lines is left out, with a count of its
/// bytes.
std::string printable(std::string_view text);

/// `value` in a format of printf(); up to 63 characters.
std::string formatted(const char* format, double value);
/// Up to six significant digits.
std::string number_text(double value);
/// `digits` digits after the decimal point.
std::string fixed(double value, int digits);
/// `0x7f00`
std::string hex_text(std::uint64_t value);

/// `a, b, c`
std::string comma_list(const std::vector<std::string>& words);
/// The parts of `a:b:c`; at least one.
std::vector<std::string> split(const std::string& text, char separator);

inline bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}
inline bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace strata
