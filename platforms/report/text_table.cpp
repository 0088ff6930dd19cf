#include "platforms/report/text_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace strata::platforms {
namespace {

/// Characters on the screen: bytes that do not continue a UTF-8 sequence.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string TextTable::text(const std::string& indent) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    if (widths.size() < row.size()) widths.resize(row.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - width(row[i]), ' ');
      line += i == 0 ? row[i] + gap : "  " + gap + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), " ");
  return digits;
}

std::string rounded(double value, int digits) {
  char text[64];
  const double size = std::fabs(value);
  if (size != 0 && size < 1e-3) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    return text;
  }
  const int before = size < 1 ? 0 : static_cast<int>(std::floor(std::log10(size))) + 1;
  std::snprintf(text, sizeof text, "%.*f", std::max(0, digits - std::max(before, 0)), value);
  return text;
}

std::string percent(double share) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string bar(double share, int width) {
  static const char* const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int total = static_cast<int>(std::lround(std::min(1.0, std::max(0.0, share)) * width * 8));
  std::string out;
  for (int i = 0; i < total / 8; ++i) out += "█";
  return out + eighths[total % 8];
}

}  // namespace strata::platforms
