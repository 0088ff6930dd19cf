#include "platforms/report/panel_plot.h"

#include <algorithm>

#include "models/common/number_text.h"
#include "platforms/netlist/svg.h"

namespace strata::platforms {
namespace {

constexpr double width = 720, panel_height = 210;
constexpr double left = 56, right = 72, above = 40, below = 30;  // margins of each panel
constexpr double head = 62, foot = 26;  // margins of the picture: title and two rows of names
constexpr double letter = 6.6;          // width of a letter of the legend, wider than most

struct Look {
  const char* colour;
  const char* dashes;
};
constexpr Look looks[] = {
    {"#000", ""}, {"#555", "7 3"}, {"#888", "2 3"}, {"#333", "9 3 2 3"}, {"#777", "4 2"}};
constexpr std::size_t look_count = sizeof looks / sizeof looks[0];

class Picture {
 public:
  Picture(std::size_t ticks, std::size_t panels)
      : ticks_(ticks), height_(head + foot + panel_height * static_cast<double>(panels)) {}

  void text(double x, double y, const char* anchor, const std::string& words, const char* more = "") {
    body_ += "<text x=\"" + number_text(x) + "\" y=\"" + number_text(y) + "\" text-anchor=\"" + anchor +
             "\"" + more + ">" + markup_of(words) + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, const std::string& style) {
    body_ += "<line x1=\"" + number_text(x1) + "\" y1=\"" + number_text(y1) + "\" x2=\"" + number_text(x2) +
             "\" y2=\"" + number_text(y2) + "\" " + style + "/>\n";
  }
  /// `filled` marks lie on curves, open ones show the worst value.
  void mark(std::size_t shape, double x, double y, const Look& look, bool filled) {
    const std::string paint =
        std::string(" stroke=\"") + look.colour + "\" fill=\"" + (filled ? look.colour : "none") + "\"/>\n";
    const double r = filled ? 3.2 : 3;
    if (shape % 4 == 0)
      body_ += "<circle cx=\"" + number_text(x) + "\" cy=\"" + number_text(y) + "\" r=\"" + number_text(r) +
               "\"" + paint;
    else if (shape % 4 == 1)
      body_ += "<rect x=\"" + number_text(x - r) + "\" y=\"" + number_text(y - r) + "\" width=\"" +
               number_text(2 * r) + "\" height=\"" + number_text(2 * r) + "\"" + paint;
    else if (shape % 4 == 3)
      body_ += "<path d=\"M" + number_text(x) + "," + number_text(y - r - 1) + " l" + number_text(r + 1) +
               "," + number_text(r + 1) + " l" + number_text(-r - 1) + "," + number_text(r + 1) + " l" +
               number_text(-r - 1) + "," + number_text(-r - 1) + " z\"" + paint;
    else
      body_ += "<path d=\"M" + number_text(x) + "," + number_text(y - r - 1) + " l" + number_text(r + 1) +
               "," + number_text(2 * r + 1) + " h" + number_text(-2 * r - 2) + " z\"" + paint;
  }
  void curve(std::size_t index, const PanelCurve& curve, double scale, double floor) {
    const Look& look = looks[index % look_count];
    std::string path;
    for (std::size_t i = 0; i < curve.values.size(); ++i)
      path += (path.empty() ? "M" : " L") + number_text(x(i)) + "," +
              number_text(floor - curve.values[i] * scale);
    body_ += "<path d=\"" + path + "\" fill=\"none\" stroke-width=\"1.6\" stroke=\"" + look.colour +
             "\" stroke-dasharray=\"" + look.dashes + "\"/>\n";
    for (std::size_t i = 0; i < curve.values.size(); ++i)
      mark(index, x(i), floor - curve.values[i] * scale, look, true);
    for (std::size_t i = 0; i < curve.worst.size(); ++i)
      mark(index, x(i), floor - curve.worst[i] * scale, look, false);
  }
  double x(std::size_t tick) const {
    const double step = (width - left - right) / static_cast<double>(std::max<std::size_t>(ticks_, 1));
    return left + step * (static_cast<double>(tick) + 0.5);
  }
  void panel(std::size_t index, const Panel& panel, const std::vector<std::string>& ticks);
  void legend(const std::vector<PanelCurve>& curves) {
    double at = left, row = 38;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const Look& look = looks[i % look_count];
      const double end = at + 60 + letter * static_cast<double>(curves[i].name.size());
      if (end > width && at > left) {
        row += 17;
        --i;
        at = left;
        continue;
      }
      line(at, row, at + 30, row,
           std::string("stroke-width=\"1.6\" stroke=\"") + look.colour + "\" stroke-dasharray=\"" +
               look.dashes + "\"");
      mark(i, at + 15, row, look, true);
      text(at + 36, row + 4, "start", curves[i].name);
      at = end;
    }
  }
  std::string svg() const {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number_text(width) + " " +
           number_text(height_) +
           "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
           "fill=\"white\"/>\n" +
           body_ + "</svg>\n";
  }
  double height() const { return height_; }

 private:
  std::size_t ticks_;
  double height_;
  std::string body_;
};

double top_of(const Panel& panel) {
  double top = 0;
  for (const PanelCurve& curve : panel.curves) {
    for (const double value : curve.values) top = std::max(top, value);
    for (const double value : curve.worst) top = std::max(top, value);
  }
  for (const auto& aim : panel.aims) top = std::max(top, aim.first);
  return top > 0 ? 1.08 * top : 1;
}

void Picture::panel(std::size_t index, const Panel& panel, const std::vector<std::string>& ticks) {
  const double begin = head + panel_height * static_cast<double>(index);
  const double floor = begin + panel_height - below;
  const double top = top_of(panel);
  const double scale = (panel_height - above - below) / top;
  text(left, begin + above - 12, "start", panel.title, " font-weight=\"bold\"");
  const double rung = axis_step(top);
  for (double value = 0; value <= top; value += rung) {
    line(left, floor - value * scale, width - right, floor - value * scale, "stroke=\"#ddd\"");
    text(left - 8, floor - value * scale + 4, "end", number_text(value));
  }
  for (std::size_t i = 0; i < ticks.size(); ++i) text(x(i), floor + 16, "middle", ticks[i]);
  for (const auto& [value, word] : panel.aims) {
    line(left, floor - value * scale, width - right, floor - value * scale,
         "stroke=\"#000\" stroke-dasharray=\"1 3\"");
    text(width - right + 5, floor - value * scale + 4, "start", word, " font-size=\"10\"");
  }
  for (std::size_t i = 0; i < panel.curves.size(); ++i) curve(i, panel.curves[i], scale, floor);
}

}  // namespace

std::string plot_panels(const std::string& title, const std::string& ticks_title,
                        const std::vector<std::string>& ticks, const std::vector<Panel>& panels) {
  Picture picture(ticks.size(), panels.size());
  picture.text(width / 2, 20, "middle", title, " font-size=\"14\"");
  if (!panels.empty()) picture.legend(panels.front().curves);
  for (std::size_t i = 0; i < panels.size(); ++i) picture.panel(i, panels[i], ticks);
  picture.text(width / 2, picture.height() - 10, "middle", ticks_title);
  return picture.svg();
}

}  // namespace strata::platforms
