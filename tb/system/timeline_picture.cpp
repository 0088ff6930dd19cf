// Draws a timeline file as SVG: the picture of docs/guide/timeline.md. Tracks, lanes, slices and flows are
// those of the file, laid out as Perfetto lays them out; colours and letters are of this program.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <vector>

#include "platforms/engine/netlist/drawing.h"
#include "tb/support/timeline_reader.h"

using strata::Cycle;
using strata::platforms::markup_of;
using strata::tb::ReadSlice;

namespace {

constexpr double left = 60, width = 1080, lane_height = 30, gap = 8, top = 10;

struct Picture {
  explicit Picture(std::vector<ReadSlice> all) : slices(std::move(all)) {
    first = slices.front().begin;
    for (const ReadSlice& slice : slices) {
      first = std::min(first, slice.begin);
      last = std::max(last, slice.end);
      if (!tracks.count(slice.track)) order.push_back(slice.track);
      std::vector<std::uint64_t>& lanes = tracks[slice.track];
      if (std::find(lanes.begin(), lanes.end(), slice.lane) == lanes.end()) lanes.push_back(slice.lane);
    }
    double y = top;
    for (const std::string& track : order)
      for (const std::uint64_t lane : tracks[track]) {
        at[lane] = y;
        y += lane_height + (lane == tracks[track].back() ? gap : 2);
      }
    height = y + 24;
  }

  double x(Cycle cycle) const {
    return left + width * static_cast<double>(cycle - first) / static_cast<double>(last - first);
  }

  void box(Cycle begin, Cycle end, double y, double tall, const std::string& colour,
           const std::string& text) const {
    const double from = x(begin), wide = std::max(x(end) - from, 1.5);
    std::printf(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" stroke=\"#fff\" "
        "stroke-width=\"0.5\"><title>%s, cycles %llu to %llu</title></rect>\n",
        from, y, wide, tall, colour.c_str(), markup_of(text).c_str(), static_cast<unsigned long long>(begin),
        static_cast<unsigned long long>(end));
    if (wide > 6.2 * static_cast<double>(text.size()))
      std::printf("<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", from + 3, y + tall - 3.5,
                  markup_of(text).c_str());
  }

  void draw(const ReadSlice& slice) const {
    const double y = at.at(slice.lane);
    const bool command = slice.category == "dram";
    std::string text = slice.name;
    if (slice.notes.count("request") != 0) text += " " + std::to_string(slice.notes.at("request"));
    box(slice.begin, slice.end, y, lane_height / 2, command ? "#b8c4d8" : "#dde3ea", text);
    for (const ReadSlice& inner : slice.inner)
      box(inner.begin, inner.end, y + lane_height / 2, lane_height / 2,
          inner.category == "wait" ? "#f2b27a" : "#a5d0a8", inner.name);
  }

  void flows() const {
    std::map<std::uint64_t, std::vector<const ReadSlice*>> ways;
    for (const ReadSlice& slice : slices)
      if (slice.flow != 0) ways[slice.flow].push_back(&slice);
    for (auto& [flow, way] : ways) {
      std::stable_sort(way.begin(), way.end(),
                       [](const ReadSlice* a, const ReadSlice* b) { return a->begin < b->begin; });
      for (std::size_t i = 1; i < way.size(); ++i)
        std::printf("<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#6b4fa0\" stroke-width=\"0.8\"/>\n",
                    x(way[i]->begin), at.at(way[i - 1]->lane) + 7, x(way[i]->begin), at.at(way[i]->lane) + 7);
    }
  }

  void all() const {
    std::printf(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
        "font-size=\"10\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
        left + width + 20, height);
    for (const std::string& track : order)
      std::printf("<text x=\"6\" y=\"%.1f\" font-weight=\"bold\">%s</text>\n",
                  at.at(tracks.at(track).front()) + 12, markup_of(track).c_str());
    for (const ReadSlice& slice : slices) draw(slice);
    flows();
    const double step = strata::platforms::axis_step(static_cast<double>(last - first));
    for (Cycle cycle =
             (first + static_cast<Cycle>(step) - 1) / static_cast<Cycle>(step) * static_cast<Cycle>(step);
         cycle <= last; cycle += static_cast<Cycle>(step))
      std::printf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"#555\">%llu</text>\n", x(cycle),
                  height - 8, static_cast<unsigned long long>(cycle));
    std::printf("</svg>\n");
  }

  std::vector<ReadSlice> slices;
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::uint64_t>> tracks;
  std::map<std::uint64_t, double> at;
  Cycle first = 0, last = 1;
  double height = 0;
};

}  // namespace

int main(int argc, char* argv[]) {
  try {
    if (argc != 2) throw std::runtime_error("usage: timeline_picture FILE >PICTURE.svg");
    std::vector<ReadSlice> slices = strata::tb::read_timeline(argv[1]);
    if (slices.empty()) throw std::runtime_error("the timeline is empty");
    Picture(std::move(slices)).all();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}

/// libsystemc wants one, and nothing here simulates.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) {
  return 1;
}
