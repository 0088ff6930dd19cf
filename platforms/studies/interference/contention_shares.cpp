#include "platforms/studies/interference/contention_shares.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "models/common/text.h"
#include "platforms/engine/netlist/drawing.h"

namespace strata::platforms {

Shares normalized(Shares values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value = sum == 0 ? 0 : value / sum;
  return values;
}

Shares gdc_shares(const ContentionCounts& counts, int victim) {
  const auto& row = counts.demotions[static_cast<std::size_t>(victim)];
  return normalized({row.begin(), row.end()});
}

Shares plob_shares(const ContentionCounts& counts, int victim, bool with_self) {
  const auto& row = counts.evictions[static_cast<std::size_t>(victim)];
  const Shares all(row.begin(), row.end());
  return with_self ? normalized(all) : of_contenders(all, victim);
}

Shares of_contenders(Shares shares, int victim) {
  shares[static_cast<std::size_t>(victim)] = 0;
  return normalized(std::move(shares));
}

double breakdown_distance(const Shares& a, const Shares& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

double mean_absolute_error(const Shares& estimate, const Shares& truth) {
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) sum += std::abs(estimate[i] - truth[i]);
  return truth.empty() ? 0 : sum / static_cast<double>(truth.size());
}

int rank_inversions(const Shares& a, const Shares& b, int left_out) {
  int inversions = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = i + 1; j < a.size(); ++j)
      if (static_cast<int>(i) != left_out && static_cast<int>(j) != left_out &&
          (a[i] - a[j]) * (b[i] - b[j]) < 0)
        ++inversions;
  return inversions;
}

namespace {

constexpr double cell = 46, gap = 34, head = 74, foot = 14;
constexpr double letter = 6.4;  // width of a letter at this size

std::string number(double value) {
  return fixed(value, 1);
}

std::string text_at(double x, double y, const char* anchor, const std::string& words, const char* more = "") {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" +
         markup_of(words) + "</text>\n";
}

/// White at 0, dark blue at 1.
std::string color(double share) {
  const double at = std::min(1.0, std::max(0.0, share));
  char text[16];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", static_cast<int>(std::lround(255 - at * 235)),
                static_cast<int>(std::lround(255 - at * 190)), static_cast<int>(std::lround(255 - at * 110)));
  return text;
}

std::string cell_at(double x, double y, double share) {
  const std::string words = fixed(100 * share, 1);
  return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(cell) + "\" height=\"" +
         number(cell) + "\" fill=\"" + color(share) + "\" stroke=\"#999\"/>\n" +
         text_at(x + cell / 2, y + cell / 2 + 4, "middle", words, share > 0.5 ? " fill=\"white\"" : "");
}

}  // namespace

std::string heat_map(const std::string& title, const std::vector<std::string>& names,
                     const std::vector<HeatPanel>& panels) {
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  const double side = static_cast<double>(names.size()) * cell;
  const double left = 30 + letter * static_cast<double>(longest),
               lean = letter * 0.5 * static_cast<double>(longest);
  const double width = left + static_cast<double>(panels.size()) * (side + gap) + lean;
  const double top = head + lean;
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) + " " +
                    number(top + side + foot) + "\" width=\"" + number(width) +
                    "\" font-family=\"sans-serif\" font-size=\"11\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  out += text_at(12, 18, "start", title, " font-size=\"13\"");
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const double x0 = left + static_cast<double>(p) * (side + gap);
    out += text_at(x0, 40, "start", panels[p].title, " font-style=\"italic\"");
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double at = static_cast<double>(i) * cell;
      const double x = x0 + at + cell / 2, y = top - 6;
      out += text_at(x, y, "start", names[i],
                     (" transform=\"rotate(-30 " + number(x) + " " + number(y) + ")\"").c_str());
      if (p == 0) out += text_at(left - 6, top + at + cell / 2 + 4, "end", names[i]);
      for (std::size_t a = 0; a < names.size(); ++a)
        out += cell_at(x0 + static_cast<double>(a) * cell, top + at, panels[p].rows[i][a]);
    }
  }
  return out + "</svg>\n";
}

}  // namespace strata::platforms
