#include "platforms/noc/noc_plot.h"

#include <algorithm>
#include <cmath>

#include "models/common/number_text.h"
#include "platforms/netlist/svg.h"

namespace strata::platforms {
namespace {

constexpr double width = 640, height = 420;
constexpr double left = 60, right = 20, top = 40, bottom = 50;
constexpr double legend_left = 470;  // above what saturated networks reach

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
    text(left, top - 8, "start", "mean net latency, cycles");
  }
  void curve(const NocCurve& curve) {
    std::string path;
    for (const NocPoint& point : curve.points) {
      if (point.latency_mean <= 0 || (curve.marks && point.latency_mean > ceiling_)) continue;
      const std::string place = number_text(x(point.load)) + "," + number_text(y(point.latency_mean));
      if (curve.marks)
        svg += "<circle cx=\"" + number_text(x(point.load)) + "\" cy=\"" +
               number_text(y(point.latency_mean)) + "\" r=\"3.5\" fill=\"none\" stroke=\"" + curve.colour +
               "\"/>\n";
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
  for (const NocCurve& curve : curves) plot.curve(curve);
  plot.legend(curves);
  return plot.svg + "</svg>\n";
}

}  // namespace strata::platforms
