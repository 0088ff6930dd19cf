#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::platforms {

/// Columns of text for a terminal: the first aligned left, the others right.
class TextTable {
 public:
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text(const std::string& indent = "  ") const;
  /// Fits the table into `most` characters: breaks cells of a long first column at spaces, and splits a wider
  /// table into several, one below the other, each with the first column.
  std::string fitted(const std::string& indent = "", std::size_t most = 100) const;
  /// The first row is the head; an empty row starts another table.
  std::string markdown() const;
  std::string csv() const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<std::vector<std::string>> rows_;
};

/// Breaks the text at spaces into lines of at most `most` characters; continuation lines are indented by
/// `indent` spaces.
std::string wrapped(const std::string& text, std::size_t most, std::size_t indent);

/// `1 234 567`
std::string grouped(std::uint64_t value);
/// With `digits` significant digits, and no exponent for common sizes: `0.4831`, `123.4`, `96.5`.
std::string rounded(double value, int digits = 4);

/// ` ± 0.84` for half an interval, with two significant digits; empty for 0, if nothing varied.
std::string plus_minus(double half);
/// `48.3 %`
std::string percent(double share);
/// A bar of `share` * `width` cells in eighths.
std::string bar(double share, int width);

}  // namespace strata::platforms
