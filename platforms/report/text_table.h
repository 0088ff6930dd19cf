#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::platforms {

/// Columns of text for a terminal: the first to the left, the others to the right.
class TextTable {
 public:
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text(const std::string& indent = "  ") const;
  /// The first row is the head; an empty row begins another table.
  std::string markdown() const;
  std::string csv() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// `1 234 567`
std::string grouped(std::uint64_t value);
/// With `digits` significant digits, and no exponent for everyday sizes: `0.4831`, `123.4`, `96.5`.
std::string rounded(double value, int digits = 4);

/// ` ± 0.84` for half an interval, two digits that are not 0; empty for 0, where nothing has varied.
std::string plus_minus(double half);
/// `48.3 %`
std::string percent(double share);
/// A bar of `share` * `width` cells in eighths.
std::string bar(double share, int width);

}  // namespace strata::platforms
