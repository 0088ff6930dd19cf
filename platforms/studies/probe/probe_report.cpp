#include "platforms/studies/probe/probe_report.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "models/common/dram_rows_if.h"
#include "platforms/engine/netlist/drawing.h"
#include "platforms/report/json_text.h"
#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

bool is_latency(const ProbeFigure& figure) {
  return figure.probe.measure == Probe::Measure::cycles_per_work;
}

std::string share_of(const ProbeFigure& figure) {
  const auto share = figure.of_peak();
  return share ? percent(*share) : "";
}

std::string element(const char* name, int x, int y, const std::string& attributes,
                    const std::string& inside = "") {
  return "<" + std::string(name) + " x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" " +
         attributes + (inside.empty() ? "/>\n" : ">" + markup_of(inside) + "</" + name + ">\n");
}

}  // namespace

std::string why_low(const ProbeFigure& figure) {
  const auto share = figure.of_peak();
  if (!share || *share >= low_share) return {};
  if (figure.place.empty()) return "instructions wait for a unit that is busy, or for their warp's turn";
  return "accesses spend most of their time in " + figure.place + " (" + percent(figure.share) + ")";
}

std::string probe_text(const std::string& title, const std::vector<ProbeFigure>& figures) {
  std::string text = title + "\n";
  std::string unit, low;
  TextTable table;
  const auto finish = [&] {
    if (!unit.empty()) text += "\n" + unit + "\n" + table.text();
    table = {};
  };
  for (const ProbeFigure& figure : figures) {
    if (figure.probe.unit != unit) {
      finish();
      unit = figure.probe.unit;
      if (is_latency(figure))
        table.add({"probe", "figure"});
      else
        table.add({"probe", "figure", "peak", "of it"});
    }
    std::vector<std::string> cells{figure.probe.name, rounded(figure.value)};
    if (!is_latency(figure)) {
      cells.push_back(figure.probe.peak ? rounded(*figure.probe.peak) : "-");
      cells.push_back(share_of(figure));
    }
    table.add(cells);
    if (const std::string why = why_low(figure); !why.empty())
      low += "  " + figure.probe.name + ": " + why + "\n";
  }
  finish();
  if (!low.empty()) text += "\nbelow " + percent(low_share) + " of the peak\n" + low;
  return text;
}

std::string probe_json(const std::string& title, const std::vector<ProbeFigure>& figures) {
  nlohmann::ordered_json probes = nlohmann::ordered_json::object();
  for (const ProbeFigure& figure : figures) {
    nlohmann::ordered_json& one = probes[figure.probe.name];
    one["value"] = figure.value;
    one["unit"] = figure.probe.unit;
    if (figure.probe.peak) {
      one["peak"] = *figure.probe.peak;
      one["of_peak"] = *figure.of_peak();
      one["peak_is"] = figure.probe.limit;
    }
    one["probe"] = figure.probe.sentence;
    if (const std::string why = why_low(figure); !why.empty()) one["why"] = why;
    if (!figure.place.empty()) {
      one["longest_in"] = figure.place;
      one["share"] = figure.share;
    }
  }
  return json_text({{"platform", title}, {"probes", probes}}) + "\n";
}

std::string probe_svg(const std::string& title, const std::vector<ProbeFigure>& figures) {
  constexpr int row = 22, name_width = 190, bar_width = 320, right = 240, top = 52;
  const int count = static_cast<int>(figures.size());
  const int width = name_width + bar_width + right, height = top + row * count + 30;
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) +
                    "\" height=\"" + std::to_string(height) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n";
  svg += element("rect", 0, 0, "width=\"100%\" height=\"100%\" fill=\"white\"");
  svg += element("text", 10, 20, "font-size=\"14\" font-weight=\"bold\"", title);
  for (const int part : {0, 25, 50, 75, 100}) {
    const int x = name_width + bar_width * part / 100;
    svg += "<path d=\"M" + std::to_string(x) + " " + std::to_string(top - 6) + "V" +
           std::to_string(top + row * count) + "\" stroke=\"#bbb\"/>\n";
    svg += element("text", x, top - 10, "text-anchor=\"middle\" fill=\"#555\"", std::to_string(part) + " %");
  }
  for (int i = 0; i < count; ++i) {
    const ProbeFigure& figure = figures[static_cast<std::size_t>(i)];
    const int y = top + row * i;
    svg += element("text", name_width - 8, y + 14, "text-anchor=\"end\"", figure.probe.name);
    int end = name_width;
    if (const auto share = figure.of_peak()) {
      const int length = std::max(1, static_cast<int>(std::min(1.0, *share) * bar_width));
      svg += element("rect", name_width, y + 3,
                     "width=\"" + std::to_string(length) + "\" height=\"15\" fill=\"" +
                         (*share < low_share ? "#c44" : "#558") + "\"");
      end += bar_width;
    }
    std::string text = rounded(figure.value);
    if (figure.probe.peak) text += " of " + rounded(*figure.probe.peak);
    text += is_latency(figure)                         ? " cycles"
            : figure.probe.unit.rfind("bytes", 0) == 0 ? " B/cycle"
                                                       : " per cycle";
    svg += element("text", end + 8, y + 14, "", text);
  }
  svg += element("text", name_width, height - 8, "fill=\"#555\"",
                 "share of the peak that the netlist allows; red: below 70 %");
  return svg + "</svg>\n";
}

namespace {

constexpr Address base = 0x7f0000000000;
constexpr Address searched = 16 * MiB;

}  // namespace

ProbePlaces probe_places(const ResolvedNetlist& netlist) {
  const DramRowsParams* params = nullptr;
  for (const ResolvedGroup& group : netlist.groups)
    if (const auto* found = dynamic_cast<const DramRowsParams*>(group.base.params.get())) params = found;
  ProbePlaces places;
  if (params == nullptr) return places;
  const auto map = make_address_map(netlist.address_map);
  const auto row_at = params->dram_rows(*map);
  std::map<std::array<std::uint64_t, 3>, std::int64_t> row_of;  // by channel, controller and bank
  std::array<std::uint64_t, 3> first{};
  std::int64_t first_row = 0;
  for (Address line = base; line < base + searched; line += map->line_bytes()) {
    const DramRow where = row_at(line);
    const std::array<std::uint64_t, 3> bank{where.channel, where.controller, where.bank};
    if (line == base) {
      first = bank;
      first_row = where.row;
    }
    if (bank == first && where.row == first_row && places.same_row.size() < 64)
      places.same_row.push_back(line);
    if (places.banks.size() < 64 && row_of.emplace(bank, where.row).second) places.banks.push_back(line);
  }
  return places;
}

}  // namespace strata::platforms
