#include "models/power/link_power.h"

#include "models/power/formula.h"

namespace strata::power {
namespace {

using Shape = LinkShape;

enum Figure : std::size_t { delay, energy, repeater_area, wire_area, leakage };

constexpr int most_segments = 40;  // beyond, more repeaters make a wire slower

}  // namespace

const std::vector<Formula<LinkShape>>& link_formulas() {
  static const std::vector<Formula<LinkShape>> formulas = {
      {"link.delay",
       "ns",
       "Elmore: each repeater drives its piece of the wire and the next repeater",
       {{"drive", [](const Shape& s) { return s.length_mm / s.size; }},
        {"repeater", [](const Shape& s) { return s.segments; }},
        {"wire", [](const Shape& s) { return s.length_mm * s.length_mm / s.segments; }},
        {"load", [](const Shape& s) { return s.length_mm * s.size; }}}},
      {"link.e_flit",
       "pJ",
       "wires and repeaters, at a toggle probability of 0.5",
       {{"wire", [](const Shape& s) { return s.bits * s.length_mm; }},
        {"repeater", [](const Shape& s) { return s.bits * s.segments * s.size; }}}},
      {"link.repeater_area",
       "um2",
       "repeaters",
       {{"size", [](const Shape& s) { return s.bits * s.segments * (s.size + 1); }}}},
      {"link.wire_area",
       "um2",
       "wires, on a layer above the gates",
       {{"pitch", [](const Shape& s) { return s.bits * s.length_mm; }}}},
      {"link.leakage",
       "mW",
       "repeaters",
       {{"size", [](const Shape& s) { return s.bits * s.segments * s.size; }}}},
  };
  return formulas;
}

LinkModel::LinkModel(const Constants& constants) {
  for (const auto& formula : link_formulas()) figures_.emplace_back(formula, constants);
}

LinkPower LinkModel::operator()(double bits, double length_mm, double delay_ns) const {
  LinkPower p;
  p.shape = {bits, length_mm, 2, 1};
  check_range(p.notes, "mm of a link", length_mm, 1, 12.3);
  check_range(p.notes, "bits of a link", bits, 32, 512);
  LinkShape fastest = p.shape;
  const auto choose = [&] {
    for (int segments = 2; segments <= most_segments; segments += 2)
      for (const double size : cell_sizes) {
        const LinkShape tried{bits, length_mm, static_cast<double>(segments), size};
        if (figures_[delay].nominal(tried) < figures_[delay].nominal(fastest)) fastest = tried;
        if (figures_[delay].nominal(tried) > delay_ns) continue;
        p.shape = tried;
        return true;
      }
    p.shape = fastest;
    return false;
  };
  p.in_time = choose();
  p.delay = figures_[delay](p.shape);
  p.flit = figures_[energy](p.shape);
  p.area_repeaters = figures_[repeater_area](p.shape);
  p.area_wires = figures_[wire_area](p.shape);
  p.leakage = figures_[leakage](p.shape);
  if (!p.in_time) p.notes.push_back({"ns for a link", delay_ns, p.delay.nominal});
  return p;
}

}  // namespace strata::power
