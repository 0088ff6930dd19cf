#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace strata {

/// As printf() writes it; up to 63 characters.
inline std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// Of six digits at most.
inline std::string number_text(double value) {
  return formatted("%.6g", value);
}

inline std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// `0x7f00`
inline std::string hex_text(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace strata
