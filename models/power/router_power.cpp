#include "models/power/router_power.h"

#include <cmath>

#include "models/power/formula.h"

namespace strata::power {
namespace {

using Shape = RouterShape;

double ports_bits_flits(const Shape& s) {
  return s.inputs * s.bits * s.flits;
}
double mux_levels(const Shape& s) {
  return s.inputs * s.bits * std::log2(s.flits);
}
double input_bits(const Shape& s) {
  return s.inputs * s.bits;
}
double input_flits(const Shape& s) {
  return s.inputs * s.flits;
}
double mux_bits(const Shape& s) {
  return (s.inputs - 1) * s.outputs * s.bits;
}
double output_bits(const Shape& s) {
  return s.outputs * s.bits;
}
double outputs(const Shape& s) {
  return s.outputs;
}
double bits(const Shape& s) {
  return s.bits;
}

/// A tree of two-way multiplexers has as many levels as a power of two needs: the share of it that an output
/// does not see.
double above_tree(double inputs) {
  return std::pow(2.0, -std::ceil(std::log2(inputs)));
}

// A matrix arbiter keeps a bit for each pair of requesters; a grant of it drives them all.
double pairs(double requesters) {
  return requesters * (requesters - 1);
}
double priorities(const Shape& s) {
  return s.outputs * pairs(s.inputs) + s.inputs * pairs(s.vcs);
}
double requests(const Shape& s) {
  return s.outputs * (s.inputs - 1) + s.inputs * (s.vcs - 1);
}
/// A grant changes the priorities the rarer the more requesters there are. The shape of that (13 requesters,
/// third power) was found from the reference rows of 2 to 40 inputs; it is no law of circuits.
double updates(const Shape& s) {
  return pairs(s.inputs) * std::exp(-std::pow(s.inputs / 13, 3));
}

}  // namespace

const std::vector<Formula<RouterShape>>& router_formulas() {
  static const std::vector<Formula<RouterShape>> formulas = {
      {"router.buffer_area",
       "um2",
       "flip-flops and their read multiplexers",
       {{"flit_bit", ports_bits_flits},
        {"mux_level", mux_levels},
        {"bit", input_bits},
        {"flit", input_flits}}},
      {"router.buffer_leakage",
       "mW",
       "the same",
       {{"flit_bit", ports_bits_flits},
        {"mux_level", mux_levels},
        {"bit", input_bits},
        {"flit", input_flits}}},
      {"router.e_write",
       "pJ",
       "a flit into a buffer: its line to every row, and the row that takes it",
       {{"flit_bit", [](const Shape& s) { return s.bits * s.flits; }},
        {"bit", bits},
        {"flit", [](const Shape& s) { return s.flits; }}}},
      {"router.e_read",
       "pJ",
       "a flit out of a buffer, through its multiplexers to the crossbar's inputs",
       {{"flit_bit", [](const Shape& s) { return s.bits * s.flits; }},
        {"mux_level", [](const Shape& s) { return s.bits * std::log2(s.flits); }},
        {"bit", bits},
        {"output_bit", output_bits}}},
      {"router.xbar_wire",
       "um2",
       "crossing wires: inputs across, outputs down",
       {{"crossing", [](const Shape& s) { return input_bits(s) * output_bits(s); }}}},
      {"router.xbar_mux",
       "um2",
       "multiplexers below the wires; they count where they need more than the wires",
       {{"bit", mux_bits}}},
      {"router.xbar_port",
       "um2",
       "drivers of the outputs, beside them",
       {{"output_bit", output_bits}, {"output", outputs}}},
      {"router.xbar_leakage",
       "mW",
       "multiplexers and drivers",
       {{"output_bit", output_bits}, {"mux_bit", mux_bits}, {"output", outputs}}},
      {"router.e_xbar",
       "pJ",
       "a flit through the crossbar",
       {{"bit", bits},
        {"input_bit", [](const Shape& s) { return s.bits * (s.inputs - 1); }},
        {"tree_bit", [](const Shape& s) { return s.bits * above_tree(s.inputs); }},
        {"output_bit", [](const Shape& s) { return output_bits(s) * (1 - above_tree(s.inputs)); }}}},
      {"router.allocator_area",
       "um2",
       "matrix arbiters: VCs of an input, then inputs of an output",
       {{"priority", priorities},
        {"request", requests},
        {"requester", [](const Shape& s) { return s.inputs + s.vcs; }}}},
      {"router.allocator_leakage", "mW", "the same", {{"priority", priorities}, {"request", requests}}},
      {"router.e_arbitrate",
       "pJ",
       "one grant of an arbiter with that many inputs",
       {{"pair", [](const Shape& s) { return pairs(s.inputs); }}, {"update", updates}}},
  };
  return formulas;
}

const std::vector<Formula<ClockShape>>& clock_formulas() {
  static const std::vector<Formula<ClockShape>> formulas = {
      {"router.e_clock",
       "pJ",
       "a cycle of the clock tree: input and output registers, and the way to them",
       {{"input_bit", [](const ClockShape& s) { return s.input_bits; }},
        {"output_bit", [](const ClockShape& s) { return s.output_bits; }},
        {"side", [](const ClockShape& s) { return s.side_um; }},
        {"root", [](const ClockShape&) { return 1.0; }}}},
      {"router.clock_area",
       "um2",
       "drivers of the tree",
       {{"root", [](const ClockShape&) { return 1.0; }},
        {"driver", [](const ClockShape& s) { return s.driver; }}}},
      {"router.clock_leakage",
       "mW",
       "the same",
       {{"root", [](const ClockShape&) { return 1.0; }},
        {"driver", [](const ClockShape& s) { return s.driver; }}}},
  };
  return formulas;
}

const Formula<RouterShape>& router_cycle() {
  static const Formula<RouterShape> formula = {
      "router.cycle",
      "ns",
      "the least cycle: wires past all inputs, wires past all outputs, and the rest",
      {{"input", [](const Shape& s) { return s.inputs; }}, {"output", outputs}, {"rest", [](const Shape&) {
                                                                                   return 1.0;
                                                                                 }}}};
  return formula;
}

// Both numbers are bounded by the steps of the reference rows: a size s ends between (s / 9.4 + 0.03) pJ and
// (s / 9.2 + 0.03) pJ for all of its sizes.
double clock_driver(double pj_per_cycle) {
  const double wanted = 9.3 * (pj_per_cycle - 0.03);
  for (const double size : cell_sizes)
    if (wanted <= size) return size;
  return cell_sizes.back();
}

RouterModel::RouterModel(const Constants& constants) {
  for (const auto& formula : router_formulas()) figures_.emplace_back(formula, constants);
  for (const auto& formula : clock_formulas()) clock_.emplace_back(formula, constants);
}

Interval RouterModel::figure(const char* name, const RouterShape& shape) const {
  for (std::size_t i = 0; i < figures_.size(); ++i)
    if (router_formulas()[i].name == name) return figures_[i](shape);
  return {};
}

RouterPower RouterModel::operator()(const RouterShape& shape) const {
  RouterPower p;
  check_range(p.notes, "inputs", shape.inputs, 1,
              shape.bits <= 32 ? 80 : 40);  // 80 x 64 x 32 B misses its timing
  check_range(p.notes, "outputs", shape.outputs, 1, 80);
  check_range(p.notes, "bits of a flit", shape.bits, 32, 512);
  check_range(p.notes, "VCs", shape.vcs, 1, 4);
  check_range(p.notes, "flits of an input", shape.flits, 4, 32);
  p.area_buffer = figure("router.buffer_area", shape);
  const Interval wire = figure("router.xbar_wire", shape);
  const Interval mux = figure("router.xbar_mux", shape);
  p.area_crossbar = (wire.nominal > mux.nominal ? wire : mux) + figure("router.xbar_port", shape);
  p.area_allocator = figure("router.allocator_area", shape);
  p.leakage_buffer = figure("router.buffer_leakage", shape);
  p.leakage_crossbar = figure("router.xbar_leakage", shape);
  p.leakage_allocator = figure("router.allocator_leakage", shape);
  p.write = figure("router.e_write", shape);
  p.read = figure("router.e_read", shape);
  p.traverse = figure("router.e_xbar", shape);
  p.arbitrate_inputs = figure("router.e_arbitrate", shape);
  RouterShape vcs = shape;
  vcs.inputs = shape.vcs;
  p.arbitrate_vcs = figure("router.e_arbitrate", vcs);
  ClockShape clock{input_bits(shape), output_bits(shape), std::sqrt(p.area().nominal), 1};
  p.clock = clock_[0](clock);
  clock.driver = clock_driver(p.clock.nominal);
  p.area_clock = clock_[1](clock);
  p.leakage_clock = clock_[2](clock);
  return p;
}

}  // namespace strata::power
