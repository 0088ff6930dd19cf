#include "platforms/report/text_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "models/common/text.h"

namespace strata::platforms {
namespace {

/// Characters on the screen: bytes except UTF-8 continuations and colour codes.
std::size_t width(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b')
      i = std::min(text.find('m', i), text.size());
    else if ((text[i] & 0xc0) != 0x80)
      ++count;
  }
  return count;
}

std::string replaced(std::string text, char what, const char* by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 2))
    text.replace(at, 1, by);
  return text;
}

}  // namespace

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    if (widths.size() < row.size()) widths.resize(row.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  return widths;
}

std::string TextTable::text(const std::string& indent) const {
  const std::vector<std::size_t> widths = this->widths();
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

std::string TextTable::fitted(const std::string& indent, std::size_t most) const {
  constexpr std::size_t gap = 2, least = 40;
  std::vector<std::size_t> widths = this->widths();
  if (widths.empty()) return {};
  std::size_t all = indent.size() + widths[0];
  for (std::size_t i = 1; i < widths.size(); ++i) all += gap + widths[i];
  if (all <= most) return text(indent);
  TextTable narrow;
  const std::size_t first = std::max(least, widths[0] + most > all ? widths[0] + most - all : 0);
  for (const auto& row : rows_) {
    const std::string cell = row.empty() ? "" : wrapped(row[0], std::min(first, widths[0]), gap);
    std::istringstream lines(cell);
    std::string line;
    std::getline(lines, line);
    narrow.add(row);
    if (!row.empty()) narrow.rows_.back()[0] = line;
    while (std::getline(lines, line)) narrow.add({line});
  }
  widths = narrow.widths();
  std::string out;
  for (std::size_t from = 1; from < widths.size();) {
    std::size_t to = from, wide = indent.size() + widths[0];
    while (to < widths.size() && (to == from || wide + gap + widths[to] <= most)) wide += gap + widths[to++];
    TextTable piece;
    for (const auto& row : narrow.rows_) {
      std::vector<std::string> cells(row.begin(), row.begin() + (row.empty() ? 0 : 1));
      for (std::size_t i = from; i < to && i < row.size(); ++i) cells.push_back(row[i]);
      piece.add(std::move(cells));
    }
    out += (out.empty() ? "" : "\n") + piece.text(indent);
    from = to;
  }
  return out;
}

std::string TextTable::markdown() const {
  std::string out;
  bool head = true;
  for (const auto& row : rows_) {
    for (const std::string& cell : row) out += "| " + replaced(cell, '|', "\\|") + " ";
    out += row.empty() ? "\n" : "|\n";
    for (std::size_t i = 0; head && i < row.size(); ++i) out += i == 0 ? "| --- " : "| ---: ";
    if (head && !row.empty()) out += "|\n";
    head = row.empty();
  }
  return out;
}

std::string TextTable::csv() const {
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool quoted = row[i].find_first_of(",\"\n") != std::string::npos;
      out += (i == 0 ? "" : ",") + (quoted ? "\"" + replaced(row[i], '"', "\"\"") + "\"" : row[i]);
    }
    out += "\n";
  }
  return out;
}

std::string wrapped(const std::string& text, std::size_t most, std::size_t indent) {
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    while (width(line) > most) {
      std::size_t at = std::string::npos;
      for (std::size_t i = indent + 1; i < line.size() && width(line.substr(0, i)) <= most; ++i)
        if (line[i] == ' ' && line.compare(i, 2, " %") != 0) at = i;
      if (at == std::string::npos) break;
      out += line.substr(0, at) + "\n";
      line = std::string(indent, ' ') + line.substr(at + 1);
    }
    out += line + "\n";
    begin = end + 1;
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

std::string plus_minus(double half) {
  if (half <= 0) return {};
  return " ± " + (half < 0.1 ? formatted("%.2g", half) : rounded(half, 2));
}

std::string percent(double share) {
  return formatted("%.1f %%", 100 * share);
}

std::string bar(double share, int width) {
  static const char* const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int total = static_cast<int>(std::lround(std::min(1.0, std::max(0.0, share)) * width * 8));
  std::string out;
  for (int i = 0; i < total / 8; ++i) out += "█";
  return out + eighths[total % 8];
}

}  // namespace strata::platforms
