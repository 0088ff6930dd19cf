#include "platforms/studies/reproduce/bar_chart.h"

#include <algorithm>
#include <cmath>

#include "models/common/text.h"
#include "platforms/engine/netlist/drawing.h"

namespace strata::platforms {
namespace {

constexpr double least_left = 62, right_margin = 16, legend_top = 34, plot_height = 220, section_height = 26;
constexpr double bar_width = 11, gap = 12, letter = 6.6;  // mean width of a letter of the labels
constexpr double lean = 28, cos_lean = 0.883;             // degrees, for labels that are too wide
constexpr double lean_shift = 8;  // how far right of the bars' middle such a label ends

// Whites, greys and hatchings that are distinct in print. `defs` below has the patterns.
constexpr const char* fills[] = {"#ffffff",     "#6b6b6b", "url(#hatch)", "#c4c4c4",
                                 "url(#cross)", "#111111", "url(#dots)",  "url(#lines)"};
constexpr std::size_t fill_count = sizeof fills / sizeof *fills;
constexpr const char* defs =
    "<defs>\n"
    "<pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"#fff\"/>"
    "<rect width=\"2\" height=\"5\" fill=\"#222\"/></pattern>\n"
    "<pattern id=\"cross\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
    "<rect width=\"5\" height=\"5\" fill=\"#fff\"/><path d=\"M0 0H5M0 0V5\" stroke=\"#222\"/></pattern>\n"
    "<pattern id=\"dots\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">"
    "<rect width=\"4\" height=\"4\" fill=\"#fff\"/><circle cx=\"2\" cy=\"2\" r=\"1\" "
    "fill=\"#111\"/></pattern>\n"
    "<pattern id=\"lines\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">"
    "<rect width=\"4\" height=\"4\" fill=\"#999\"/><path d=\"M0 0H4\" stroke=\"#111\"/></pattern>\n"
    "</defs>\n";

std::string number(double value) {
  return formatted("%.5g", std::abs(value) < 1e-9 ? 0.0 : value);
}

class Drawing {
 public:
  explicit Drawing(const BarChart& chart) : chart_(chart) {
    find_range();
    slot_ = gap + bar_width * static_cast<double>(chart.stacked ? 1 : chart.series.size());
    slot_ = std::max(slot_, 34.0);
    find_labels();
    width_ = std::max(360.0 + left_ - least_left,
                      left_ + right_margin + slot_ * static_cast<double>(chart.categories.size()));
    arrange_legend();
    height_ = top_ + plot_height + label_height_ + (chart.sections.empty() ? 0 : section_height);
  }
  std::string svg();

 private:
  void find_range();
  void find_labels();
  void arrange_legend();
  bool too_wide(const std::string& label) const { return letter * static_cast<double>(label.size()) > slot_; }
  double y(double value) const { return top_ + plot_height * (high_ - value) / (high_ - low_); }
  double x(std::size_t category) const { return left_ + slot_ * static_cast<double>(category); }
  void text(double px, double py, const char* anchor, const std::string& words, const char* more = "");
  void line(double x1, double y1, double x2, double y2, const char* stroke);
  void rectangle(double px, double from, double to, std::size_t fill);
  void axes();
  void legend();
  void bars();
  void labels();

  const BarChart& chart_;
  std::size_t columns_ = 1;  // of the legend
  double left_ = least_left, top_ = 0, slot_ = 0, width_ = 0, height_ = 0, low_ = 0, high_ = 1, step_ = 1;
  double label_height_ = 22;
  bool lean_ = false;
  std::string out_;
};

void Drawing::find_range() {
  double low = 0, high = chart_.line.value_or(0);
  for (std::size_t c = 0; c < chart_.categories.size(); ++c) {
    double sum = 0;
    for (const BarSeries& series : chart_.series) {
      const double value = series.values[c].value_or(0);
      sum += value;
      low = std::min(low, chart_.stacked ? sum : value);
      high = std::max(high, chart_.stacked ? sum : value);
    }
  }
  if (high - low <= 0) high = low + 1;
  step_ = axis_step(high - low);
  low_ = std::floor(low / step_ + 1e-9) * step_;
  high_ = std::ceil(high / step_ - 1e-9) * step_;
}

// If one name is too wide, all labels lean, as in the papers. The left margin grows for labels that start in
// it.
void Drawing::find_labels() {
  for (const std::string& label : chart_.categories)
    if (too_wide(label)) lean_ = true;
  if (!lean_) return;
  for (std::size_t c = 0; c < chart_.categories.size(); ++c) {
    const double length = letter * static_cast<double>(chart_.categories[c].size());
    label_height_ = std::max(label_height_, 22 + length * 0.5);
    left_ = std::max(left_, 4 + length * cos_lean - lean_shift - slot_ * (static_cast<double>(c) + 0.5));
  }
}

void Drawing::text(double px, double py, const char* anchor, const std::string& words, const char* more) {
  out_ += "<text x=\"" + number(px) + "\" y=\"" + number(py) + "\" text-anchor=\"" + anchor + "\"" + more +
          ">" + markup_of(words) + "</text>\n";
}

void Drawing::line(double x1, double y1, double x2, double y2, const char* stroke) {
  out_ += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" +
          number(y2) + "\" stroke=\"" + stroke + "\"/>\n";
}

void Drawing::rectangle(double px, double from, double to, std::size_t fill) {
  const double y1 = std::min(y(from), y(to));
  out_ += "<rect x=\"" + number(px) + "\" y=\"" + number(y1) + "\" width=\"" + number(bar_width) +
          "\" height=\"" + number(std::abs(y(from) - y(to))) + "\" fill=\"" + fills[fill % fill_count] +
          "\" stroke=\"#111\" stroke-width=\"0.7\"/>\n";
}

// As many columns (at most four) as fit the names.
void Drawing::arrange_legend() {
  std::size_t longest = 0;
  for (const BarSeries& series : chart_.series) longest = std::max(longest, series.name.size());
  const double column = 30 + letter * static_cast<double>(longest);
  const std::size_t most = std::clamp<std::size_t>(chart_.series.size(), 1, 4);
  while (columns_ < most && column * static_cast<double>(columns_ + 1) <= width_ - left_ - right_margin)
    ++columns_;
  const std::size_t rows = (chart_.series.size() + columns_ - 1) / columns_;
  top_ = legend_top + 16 * static_cast<double>(rows) + 14;
}

void Drawing::axes() {
  for (double value = low_; value <= high_ + step_ / 2; value += step_) {
    line(left_, y(value), width_ - right_margin, y(value), "#ddd");
    text(left_ - 6, y(value) + 4, "end", number(value));
  }
  line(left_, y(0), width_ - right_margin, y(0), "#111");
  if (chart_.line) line(left_, y(*chart_.line), width_ - right_margin, y(*chart_.line), "#111");
  const double px = left_ - 48;
  const std::string turn =
      " transform=\"rotate(-90 " + number(px) + " " + number(top_ + plot_height / 2) + ")\"";
  text(px, top_ + plot_height / 2, "middle", chart_.axis, turn.c_str());
}

void Drawing::legend() {
  const double column = (width_ - left_ - right_margin) / static_cast<double>(columns_);
  for (std::size_t s = 0; s < chart_.series.size(); ++s) {
    const double px = left_ + column * static_cast<double>(s % columns_);
    const double py = legend_top + 16 * static_cast<double>(s / columns_);
    out_ += "<rect x=\"" + number(px) + "\" y=\"" + number(py) + "\" width=\"12\" height=\"10\" fill=\"" +
            fills[s % fill_count] + "\" stroke=\"#111\" stroke-width=\"0.7\"/>\n";
    text(px + 17, py + 9, "start", chart_.series[s].name);
  }
}

void Drawing::bars() {
  for (std::size_t c = 0; c < chart_.categories.size(); ++c) {
    const double bars = static_cast<double>(chart_.stacked ? 1 : chart_.series.size());
    double px = x(c) + (slot_ - bars * bar_width) / 2;
    double base = 0;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      const std::optional<double>& value = chart_.series[s].values[c];
      if (value) {
        rectangle(px, base, base + *value, s);
        if (chart_.stacked) base += *value;
      } else if (!chart_.stacked && chart_.series[s].complete) {
        text(px + bar_width / 2, y(0) - 3, "middle", "?");
      }
      if (!chart_.stacked) px += bar_width;
    }
  }
}

void Drawing::labels() {
  const double below = top_ + plot_height;
  for (std::size_t c = 0; c < chart_.categories.size(); ++c) {
    const double px = x(c) + slot_ / 2;
    const std::string turn =
        " transform=\"rotate(-" + number(lean) + " " + number(px) + " " + number(below + 14) + ")\"";
    text(lean_ ? px + lean_shift : px, below + 14, lean_ ? "end" : "middle", chart_.categories[c],
         lean_ ? turn.c_str() : "");
  }
  std::size_t first = 0;
  for (const BarSection& section : chart_.sections) {
    const double from = x(first), to = x(first + section.categories);
    if (first != 0) line(from, top_, from, below + label_height_, "#888");
    text((from + to) / 2, below + label_height_ + 16, "middle", section.name, " font-style=\"italic\"");
    first += section.categories;
  }
}

std::string Drawing::svg() {
  out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width_) + " " + number(height_) +
         "\" width=\"" + number(width_) + "\" font-family=\"sans-serif\" font-size=\"11\">\n" + defs +
         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  text(width_ / 2, 18, "middle", chart_.title, " font-size=\"13\"");
  legend();
  axes();
  bars();
  labels();
  return out_ + "</svg>\n";
}

}  // namespace

std::string to_svg(const BarChart& chart) {
  return Drawing(chart).svg();
}

namespace {

/// Bar of one workload: the mean over the seeds, relative to another configuration on request.
std::optional<double> bar_of(const Chart& chart, const Metric& metric, const std::string& configuration,
                             const std::string& workload, Measurements& measurements) {
  double sum = 0;
  std::string why;
  const auto& seeds = measurements.plan().seeds_of(chart.figures);
  for (const std::uint64_t seed : seeds) {
    const auto value = measurements.value(metric.name, configuration, workload, seed, why);
    if (!value) return std::nullopt;
    double divisor = metric.unit == "%" ? 0.01 : 1;
    if (!chart.relative_to.empty()) {
      const auto reference = measurements.value(metric.name, chart.relative_to, workload, seed, why);
      if (!reference || *reference == 0) return std::nullopt;
      divisor = *reference;
    }
    sum += *value / divisor;
  }
  return sum / static_cast<double>(seeds.size());
}

void append_mean(std::vector<std::optional<double>>& values, std::size_t count) {
  double sum = 0;
  std::size_t present = 0;
  for (std::size_t i = values.size() - count; i < values.size(); ++i) {
    if (!values[i]) continue;
    sum += *values[i];
    ++present;
  }
  // A mean over some of the workloads must not stand beside means over all of them.
  values.push_back(present == count && count != 0 ? std::optional<double>(sum / static_cast<double>(count))
                                                  : std::nullopt);
}

std::string label_of(const Paper& paper, const std::string& configuration) {
  const ConfigurationName name = configuration_name(configuration);
  const std::string organization = paper.organization(name.organization)->label;
  return name.variant.empty() ? organization : organization + ", " + paper.variant(name.variant)->label;
}

void add_categories(const Chart& chart, const Paper& paper, BarChart& bars) {
  for (const WorkloadGroup& group : paper.groups) {
    if (std::find(chart.on.begin(), chart.on.end(), group.name) == chart.on.end()) continue;
    if (chart.only_means) {
      bars.categories.push_back(group.label);
      continue;
    }
    for (const std::string& workload : group.workloads)
      bars.categories.push_back(paper.workload(workload)->label);
    bars.categories.emplace_back("mean");
    bars.sections.push_back({group.label, group.workloads.size() + 1});
  }
}

BarSeries series_of(const Chart& chart, const Metric& metric, const std::string& configuration,
                    Measurements& measurements) {
  BarSeries series;
  for (const WorkloadGroup& group : measurements.paper().groups) {
    if (std::find(chart.on.begin(), chart.on.end(), group.name) == chart.on.end()) continue;
    for (const std::string& workload : group.workloads)
      series.values.push_back(bar_of(chart, metric, configuration, workload, measurements));
    append_mean(series.values, group.workloads.size());
    if (chart.only_means)
      series.values.erase(series.values.end() - 1 - static_cast<std::ptrdiff_t>(group.workloads.size()),
                          series.values.end() - 1);
  }
  return series;
}

void add_series(BarChart& bars, BarSeries series) {
  const auto has_value = [](const std::optional<double>& value) { return value.has_value(); };
  if (std::any_of(series.values.begin(), series.values.end(), has_value))
    bars.series.push_back(std::move(series));
}

/// What distinguishes the claims of a chart: their variants, their organizations, or both.
std::vector<std::string> labels_of_claims(const Chart& chart, const Paper& paper) {
  std::vector<ConfigurationName> names;
  for (const std::string& claim : chart.claims) names.push_back(configuration_name(paper.claim(claim)->of));
  const auto all_have = [&](std::string ConfigurationName::*part) {
    return std::all_of(names.begin(), names.end(),
                       [&](const ConfigurationName& name) { return name.*part == names.front().*part; });
  };
  const bool one_organization = all_have(&ConfigurationName::organization);
  const bool one_variant = all_have(&ConfigurationName::variant);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ConfigurationName& name = names[i];
    if (one_organization)
      labels.push_back(name.variant.empty() ? "baseline" : paper.variant(name.variant)->label);
    else if (one_variant)
      labels.push_back(paper.organization(name.organization)->label);
    else
      labels.push_back(label_of(paper, paper.claim(chart.claims[i])->of));
  }
  return labels;
}

BarChart bars_of_claims(const Chart& chart, const Paper& paper, const std::vector<ClaimResult>& claims) {
  BarChart bars;
  bars.series = {{"paper", {}, false}, {"model", {}}};
  bars.categories = labels_of_claims(chart, paper);
  for (const std::string& name : chart.claims) {
    const Claim& claim = *paper.claim(name);
    bars.series[0].values.push_back(claim.printed ? std::optional<double>(claim.paper) : std::nullopt);
    const auto at = std::find_if(claims.begin(), claims.end(),
                                 [&](const ClaimResult& one) { return one.claim == &claim; });
    const bool judged = at != claims.end() && at->verdict != Verdict::not_run;
    bars.series[1].values.push_back(judged ? std::optional<double>(at->model) : std::nullopt);
  }
  return bars;
}

}  // namespace

std::optional<BarChart> bars_of(const Chart& chart, Measurements& measurements,
                                const std::vector<ClaimResult>& claims) {
  const Paper& paper = measurements.paper();
  BarChart bars;
  if (!chart.claims.empty()) {
    bars = bars_of_claims(chart, paper, claims);
    const auto& model = bars.series[1].values;
    if (std::none_of(model.begin(), model.end(), [](const auto& value) { return value.has_value(); }))
      return std::nullopt;
  } else {
    add_categories(chart, paper, bars);
    bars.stacked = chart.metrics.size() > 1;
    for (const std::string& metric : chart.metrics)
      for (const std::string& configuration : chart.configurations) {
        if (bars.stacked && configuration != chart.configurations.front()) continue;
        BarSeries series = series_of(chart, *paper.metric(metric), configuration, measurements);
        series.name = bars.stacked ? paper.metric(metric)->label : label_of(paper, configuration);
        add_series(bars, std::move(series));
      }
    if (bars.series.empty()) return std::nullopt;
  }
  bars.title = chart.title;
  bars.axis = chart.axis;
  if (!chart.relative_to.empty()) bars.line = 1;
  return bars;
}

}  // namespace strata::platforms
