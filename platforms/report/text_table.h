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
  /// In at most so many columns: cells of a long first column are broken at spaces, and what is wider still
  /// is several tables below each other, each with the first column.
  std::string fitted(const std::string& indent = "", std::size_t most = 100) const;
  /// The first row is the head; an empty row begins another table.
  std::string markdown() const;
  std::string csv() const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<std::vector<std::string>> rows_;
};

/// Lines of at most so many characters, broken at spaces; further ones of a long line begin with `indent`
/// spaces.
std::string wrapped(const std::string& text, std::size_t most, std::size_t indent);

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
