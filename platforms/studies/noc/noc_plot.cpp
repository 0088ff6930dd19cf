#include "platforms/studies/noc/noc_plot.h"

#include <algorithm>
#include <cmath>

#include "models/common/text.h"
#include "platforms/engine/netlist/drawing.h"

namespace strata::platforms {
namespace {

constexpr double width = 640, height = 420;
constexpr double left = 60, right = 20, top = 40, bottom = 50;
constexpr double legend_left = 470;  // above what saturated networks reach

constexpr double knee_latency = 3;  // times that of an empty network

double latency_of(const NocPoint& point, bool from_queue) {
  return point.latency_mean <= 0 ? 0 : point.latency_mean + (from_queue ? point.wait_mean : 0);
}

class Plot {
 public:
  Plot(double last_load, double ceiling) : last_load_(last_load), ceiling_(ceiling) {}

  void text(double x, double y, const std::string& anchor, const std::string& words) {
    svg += "<text x=\"" + number_text(x) + "\" y=\"" + number_text(y) + "\" text-anchor=\"" + anchor + "\">" +
           markup_of(words) + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, const std::string& colour) {
    svg += "<line x1=\"" + number_text(x1) + "\" y1=\"" + number_text(y1) + "\" x2=\"" + number_text(x2) +
           "\" y2=\"" + number_text(y2) + "\" stroke=\"" + colour + "\"/>\n";
  }
  double x(double load) const { return left + (width - left - right) * load / last_load_; }
  double y(double latency) const {
    return height - bottom - (height - top - bottom) * std::min(latency, ceiling_) / ceiling_;
  }
  void axes() {
    const double step = last_load_ > 0.5 ? 0.1 : 0.05;
    for (double load = 0; load < last_load_ + step / 2; load += step) {
      line(x(load), y(0), x(load), y(ceiling_), "#ddd");
      text(x(load), y(0) + 18, "middle", number_text(load));
    }
    const double rung = ceiling_ > 60 ? 20 : 10;
    for (double latency = 0; latency <= ceiling_; latency += rung) {
      line(x(0), y(latency), x(last_load_), y(latency), "#ddd");
      text(x(0) - 8, y(latency) + 4, "end", number_text(latency));
    }
    text((left + width - right) / 2, height - 12, "middle", "offered load, flits per cycle and source");
  }
  void what(bool from_queue) {
    text(left, top - 8, "start", from_queue ? "mean latency, cycles" : "mean net latency, cycles");
  }
  /// A dashed line at the load of the knee.
  void knee(const NocCurve& curve) {
    const auto load = knee_of(curve.points);
    if (!load) return;
    svg += "<line x1=\"" + number_text(x(*load)) + "\" y1=\"" + number_text(y(0)) + "\" x2=\"" +
           number_text(x(*load)) + "\" y2=\"" + number_text(y(ceiling_)) +
           "\" stroke=\"#b45309\" stroke-dasharray=\"5 4\"/>\n";
    // On the left, where the curve is low, if there is room.
    const bool on_the_left = x(*load) > left + 190;
    const double at = x(*load) + (on_the_left ? -6 : 6);
    const char* const anchor = on_the_left ? "end" : "start";
    text(at, y(ceiling_) + 54, anchor, "knee at " + formatted("%.2f", *load));
    text(at, y(ceiling_) + 70, anchor, "3 times the latency at low load");
  }
  void curve(const NocCurve& curve) {
    std::string path;
    const NocPoint* before = nullptr;
    for (const NocPoint& point : curve.points) {
      const double latency = latency_of(point, curve.from_queue);
      if (latency <= 0 || (curve.marks && latency > ceiling_)) continue;
      if (curve.from_queue && before != nullptr && latency > ceiling_) {  // it leaves the picture
        const double last = latency_of(*before, true);
        const double load = before->load + (point.load - before->load) * (ceiling_ - last) / (latency - last);
        path += " L" + number_text(x(load)) + "," + number_text(y(ceiling_));
        break;
      }
      before = &point;
      const std::string place = number_text(x(point.load)) + "," + number_text(y(latency));
      if (curve.marks)
        svg += "<circle cx=\"" + number_text(x(point.load)) + "\" cy=\"" + number_text(y(latency)) +
               "\" r=\"3.5\" fill=\"none\" stroke=\"" + curve.colour + "\"/>\n";
      else
        path += (path.empty() ? "M" : " L") + place;
    }
    if (!path.empty())
      svg +=
          "<path d=\"" + path + "\" fill=\"none\" stroke-width=\"1.5\" stroke=\"" + curve.colour + "\"/>\n";
  }
  void legend(const std::vector<NocCurve>& curves) {
    double row = top + 12;
    for (const NocCurve& curve : curves) {
      if (curve.name.empty()) continue;
      line(legend_left, row, legend_left + 20, row, curve.colour);
      text(legend_left + 26, row + 4, "start", curve.name);
      row += 17;
    }
  }

  std::string svg;

 private:
  double last_load_;
  double ceiling_;
};

}  // namespace

std::optional<double> knee_of(const std::vector<NocPoint>& points) {
  const NocPoint* before = nullptr;
  double limit = 0;
  for (const NocPoint& point : points) {
    const double latency = latency_of(point, true);
    if (latency <= 0) continue;
    if (before == nullptr) limit = knee_latency * latency;
    if (latency >= limit) {
      const double from = latency_of(*before, true);
      return before->load + (point.load - before->load) * (limit - from) / (latency - from);
    }
    before = &point;
  }
  return std::nullopt;
}

std::string plot_latency(const std::string& title, const std::vector<NocCurve>& curves, double ceiling) {
  double last_load = 0.1;
  double least = 0;
  for (const NocCurve& curve : curves)
    for (const NocPoint& point : curve.points) {
      last_load = std::max(last_load, point.load);
      if (point.latency_mean > 0)
        least = least == 0 ? point.latency_mean : std::min(least, point.latency_mean);
    }
  if (ceiling == 0) ceiling = std::ceil(std::max(10.0, 5 * least) / 10) * 10;
  Plot plot(last_load, ceiling);
  plot.svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number_text(width) + " " +
             number_text(height) +
             "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
             "fill=\"white\"/>\n";
  plot.text(width / 2, 18, "middle", title);
  plot.axes();
  plot.what(
      std::any_of(curves.begin(), curves.end(), [](const NocCurve& curve) { return curve.from_queue; }));
  for (const NocCurve& curve : curves) plot.curve(curve);
  for (const NocCurve& curve : curves)
    if (curve.from_queue) plot.knee(curve);
  plot.legend(curves);
  return plot.svg + "</svg>\n";
}

}  // namespace strata::platforms
