#include "models/power/sram_power.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strata::power {

namespace {

using Array = SramArray;

enum Figure : std::size_t { height, width, tag_width, leakage, reading, writing, access_time, cycle_time };

constexpr double most_columns = 1024;    // of a subarray
constexpr double most_parts = 4;         // of a word line: the tool took no more in any row
constexpr double tag_address_bits = 42;  // physical addresses of the reference rows

double one(const Array&) {
  return 1;
}
double bitlines(const Array& a) {
  return a.columns * a.rows;
}
double out_bits(const Array& a) {
  return a.moved_bits();
}
// Addresses of mats beside each other: a share of them for every wire across.
double address_wires(const Array& a) {
  return a.width_mm * (1 - 1 / a.across);
}
double levels(const Array& a) {
  return std::log2(a.mats());
}
double tag_columns(const Array& a) {
  return a.tag_columns;
}
double down_wires(const Array& a) {
  return a.moved_bits() * a.height_mm * (1 - 1 / a.down);
}
double across_wires(const Array& a) {
  return a.moved_bits() * a.width_mm * (1 - 1 / a.across);
}
double columns(const Array& a) {
  return a.columns;
}
double rows(const Array& a) {
  return a.rows;
}
double columns_squared(const Array& a) {
  return a.columns * a.columns;
}
double rows_squared(const Array& a) {
  return a.rows * a.rows;
}
double ways(const Array& a) {
  return a.order.ways;
}
double in_sequence(const Array& a) {
  return a.order.tags == TagAccess::sequential ? 1 : 0;
}

std::vector<Formula<SramArray>> formulas_of(const std::string& ports) {
  return {
      {ports + ".height",
       "mm",
       "mats above each other, with their drivers and the wires between them",
       {{"row", [](const Array& a) { return a.down * a.rows; }},
        {"mat", [](const Array& a) { return a.down; }},
        {"port_bit", [](const Array& a) { return a.down * a.port_bits(); }},
        {"route_bit", [](const Array& a) { return (1 - 1 / a.across) * a.port_bits(); }}}},
      {ports + ".width",
       "mm",
       "mats beside each other, and the wires between them",
       {{"column", [](const Array& a) { return a.across * a.columns; }},
        {"mat", [](const Array& a) { return a.across; }},
        {"route_bit", [](const Array& a) { return (1 - 1 / a.down) * a.port_bits(); }}}},
      {ports + ".tag_width",
       "mm",
       "the tag array beside them",
       {{"column", [](const Array& a) { return a.tag_columns; }}, {"edge", one}}},
      {ports + ".leakage",
       "mW",
       "cells, what stands along rows and columns, drivers",
       {{"bit", [](const Array& a) { return 8 * a.order.bytes; }},
        {"column", [](const Array& a) { return a.mats() * a.columns; }},
        {"row", [](const Array& a) { return a.mats() * a.rows; }},
        {"port_bit", [](const Array& a) { return a.mats() * a.port_bits(); }},
        {"mat", [](const Array& a) { return a.mats(); }},
        {"way", ways},
        {"rest", one}}},
      {ports + ".read",
       "nJ",
       "columns and their bitlines, the row driver, column multiplexers, output drivers, the tree of wires "
       "to "
       "mats, columns of tags",
       {{"column", columns},
        {"bitline", bitlines},
        {"row", rows},
        {"mux", [](const Array& a) { return a.columns_to_a_bit; }},
        {"out_bit", out_bits},
        {"down", down_wires},
        {"across", across_wires},
        {"address", address_wires},
        {"level", levels},
        {"tag_column", tag_columns},
        {"rest", one}}},
      {ports + ".write",
       "nJ",
       "the same, with full swing on bitlines that are written, those of the tags included",
       {{"column", columns},
        {"out_bit", out_bits},
        {"swing", [](const Array& a) { return a.moved_bits() * a.rows; }},
        {"way_mux", [](const Array& a) { return (1 - in_sequence(a)) * a.columns_to_a_bit; }},
        {"down", down_wires},
        {"across", across_wires},
        {"address", address_wires},
        {"tag_column", tag_columns},
        {"tag_swing", [](const Array& a) { return a.tag_bits * a.order.ways * a.tag_rows; }},
        {"rest", one}}},
      {ports + ".access",
       "ns",
       "word line (its RC: columns squared), decoder and bit line (its RC: rows squared), tree of mats; tags "
       "before it, or a multiplexer of ways behind it",
       {{"column", columns},
        {"wordline", columns_squared},
        {"row", rows},
        {"decoder", [](const Array& a) { return std::sqrt(a.rows); }},
        {"bitline", rows_squared},
        {"level", levels},
        {"down", [](const Array& a) { return a.height_mm * (1 - 1 / a.down); }},
        {"across", address_wires},
        {"tags", in_sequence},
        {"tag_rows", [](const Array& a) { return in_sequence(a) * std::sqrt(a.tag_rows); }},
        {"tag_columns", [](const Array& a) { return in_sequence(a) * a.tag_columns; }},
        {"tag_bitline", [](const Array& a) { return a.tag_columns * a.tag_rows; }},
        {"way_mux", [](const Array& a) { return (1 - in_sequence(a)) * a.order.ways; }}}},
      {ports + ".cycle",
       "ns",
       "word line, bit line, and back",
       {{"rest", one},
        {"column", columns},
        {"wordline", columns_squared},
        {"row", rows},
        {"bitline", rows_squared}}},
  };
}

/// The formulas cannot distinguish two layouts whose costs (energy x delay^2) differ by less: the errors of
/// energy and delay are 0.3 and 0.4 % in the mean (docs/methods/energy-and-area.md).
constexpr double sure_of_cost = 0.01;

void widen(Interval& figure, const Interval& other) {
  figure.low = std::min(figure.low, other.low);
  figure.high = std::max(figure.high, other.high);
}

/// A layout of equal cost: the expected value stays, and the bounds widen to include the other.
void may_be(SramPower& chosen, const SramPower& other) {
  widen(chosen.read, other.read);
  widen(chosen.write, other.write);
  widen(chosen.leakage, other.leakage);
  widen(chosen.access, other.access);
  widen(chosen.cycle, other.cycle);
  widen(chosen.area, other.area);
}

/// The tag array: as many sets to a row as leave it neither wider nor higher than needed.
void lay_out_tags(SramArray& a) {
  double sets_in_row = std::max(0.5, 4 / a.order.ways);
  const double least_rows = a.order.read_port ? 32 : 16;
  const double most_rows = a.order.read_port ? 128 : 96;
  while (a.sets() / (2 * sets_in_row) > most_rows) sets_in_row *= 2;
  while (a.sets() / (2 * sets_in_row) < least_rows && sets_in_row > 0.25) sets_in_row /= 2;
  a.tag_bits = tag_address_bits - std::log2(a.order.line) - std::log2(a.sets());
  a.tag_rows = a.sets() / (2 * sets_in_row);
  a.tag_columns = a.order.ways * a.tag_bits * sets_in_row / 2;
}

}  // namespace

const std::vector<Formula<SramArray>>& sram_formulas(bool read_port) {
  static const std::vector<Formula<SramArray>> one_port = formulas_of("sram_1rw");
  static const std::vector<Formula<SramArray>> two_ports = formulas_of("sram_1rw1r");
  return read_port ? two_ports : one_port;
}

bool lay_out(const SramShape& order, double wordline_parts, double bitline_parts, double sets_in_row,
             SramArray& array) {
  // With the tags read first, one way is all that the data array knows.
  const double ways_read = order.tags == TagAccess::sequential ? 1 : order.ways;
  array = SramArray{};
  array.order = order;
  array.rows = order.bytes / (order.line * ways_read * bitline_parts * sets_in_row);
  array.columns = 8 * order.line * ways_read * sets_in_row / wordline_parts;
  array.across = wordline_parts / 2;
  array.down = bitline_parts / 2;
  array.columns_to_a_bit = 4 * array.columns / (order.out_bits * ways_read);
  lay_out_tags(array);
  return array.rows >= 16 && array.rows <= 512 && array.columns >= 64 && array.columns <= most_columns &&
         array.columns * wordline_parts >= order.out_bits * ways_read;
}

SramModel::SramModel(const Constants& constants) {
  for (const bool read_port : {false, true})
    for (const auto& formula : sram_formulas(read_port))
      figures_[read_port ? 1 : 0].emplace_back(formula, constants);
}

void SramModel::size(SramArray& array) const {
  const auto& of_ports = figures(array.order);
  array.height_mm = of_ports[height].nominal(array);
  array.width_mm = of_ports[width].nominal(array);
}

// Columns and bitlines of the tag array, which cost what those of the data array do.
Interval SramModel::tags_of(const SramArray& array) const {
  SramArray with = array;
  with.columns = array.tag_columns;
  with.rows = array.tag_rows;
  SramArray without = with;
  without.columns = 0;
  const auto& of_ports = figures(array.order);
  return of_ports[reading](with) - of_ports[reading](without);
}

SramPower SramModel::of(SramArray array) const {
  size(array);
  const auto& of_ports = figures(array.order);
  SramPower p;
  p.array = array;
  p.read = of_ports[reading](array);
  p.write = of_ports[writing](array);
  p.tags = tags_of(array);
  p.leakage = of_ports[leakage](array);
  p.access = of_ports[access_time](array);
  p.cycle = of_ports[cycle_time](array);
  p.area = of_ports[height](array) * (of_ports[width](array) + of_ports[tag_width](array));
  return p;
}

SramPower SramModel::exact(const SramShape& order) const {
  const auto& of_ports = figures(order);
  double best = -1;
  std::vector<std::pair<double, SramArray>> layouts;
  for (const double across : {2.0, most_parts})
    for (const double down : {2, 4, 8, 16})
      for (const double sets_in_row : {0.25, 0.5, 1.0, 2.0}) {
        SramArray array;
        if (!lay_out(order, across, down, sets_in_row, array)) continue;
        size(array);
        const double delay = of_ports[access_time].nominal(array);
        const double cost = of_ports[reading].nominal(array) * delay * delay;
        if (best < 0 || cost < best) best = cost;
        layouts.emplace_back(cost, array);
      }
  SramPower chosen;
  for (const auto& [cost, array] : layouts)
    if (cost == best) {
      chosen = of(array);
      break;
    }
  for (const auto& [cost, array] : layouts)
    if (cost > best && cost <= best * (1 + sure_of_cost)) may_be(chosen, of(array));
  return chosen;
}

SramPower SramModel::operator()(const SramShape& wanted) const {
  std::vector<OutOfRange> notes;
  check_range(notes, "bytes of an SRAM", wanted.bytes, 16384, 131072);
  check_range(notes, "ways of an SRAM", wanted.ways, 4, 16);
  check_range(notes, "bytes of a line", wanted.line, 128, 128);
  SramShape order = wanted;
  double copies = 1;  // beyond what one array can be: as many as are needed, or a share of the least
  order.ways = std::min(std::max(order.ways, 4.0), 16.0);
  order.line = 128;
  // Tags that are read beside the data let all ways come at once: no wider than the widest layout.
  const double ways_at_once =
      order.tags == TagAccess::sequential ? 1 : std::exp2(std::ceil(std::log2(order.ways)));
  const double widest = most_parts * most_columns / ways_at_once;
  check_range(notes, "bits read at once", wanted.out_bits, 256, std::min(1024.0, widest));
  order.out_bits = std::min(order.out_bits, widest);
  if (order.bytes < 16384 || order.bytes > 1048576) {
    const double nearest = order.bytes < 16384 ? 16384 : 1048576;
    copies = order.bytes / nearest;
    order.bytes = nearest;
  }
  // Ways that are no power of two: between the arrays with as many sets and the next powers below and above.
  const double below = std::exp2(std::floor(std::log2(order.ways)));
  const double share = order.ways / below - 1;
  SramShape low = order;
  low.ways = below;
  low.bytes = order.bytes * below / order.ways;
  SramPower p = exact(low);
  if (share > 0) {
    SramShape high = low;
    high.ways *= 2;
    high.bytes *= 2;
    const SramPower q = exact(high);
    p.tags = between(p.tags, q.tags, share);
    p.read = between(p.read, q.read, share);
    p.write = between(p.write, q.write, share);
    p.leakage = between(p.leakage, q.leakage, share);
    p.access = between(p.access, q.access, share);
    p.cycle = between(p.cycle, q.cycle, share);
    p.area = between(p.area, q.area, share);
  }
  if (copies != 1) {
    p.leakage = p.leakage * copies;
    p.area = p.area * copies;
  }
  p.notes = std::move(notes);
  return p;
}

double SmallArray::rows() const {
  return std::min(96.0, std::max(16.0, entries));
}

const Formula<SmallArray>& small_array_area() {
  static const Formula<SmallArray> formula = {"sram_small.area",
                                              "mm2",
                                              "cells, and sense amplifiers and drivers of columns",
                                              {{"bit", [](const SmallArray& a) { return a.cells(); }},
                                               {"column", [](const SmallArray& a) { return a.columns(); }}}};
  return formula;
}

SmallArrayPower small_array_power(const SmallArray& array, const Constants& constants) {
  SmallArrayPower power;
  if (array.cells() <= 0) return power;
  power.area = Fitted<SmallArray>(small_array_area(), constants)(array);
  power.leakage = constants.value("sram_1rw.leakage.bit") * array.cells();
  // The formulas of SRAMs count the columns of one of four subarrays.
  power.read = constants.value("sram_1rw.read.tag_column") * (array.columns() / 4);
  check_range(power.notes, "bits of a small array", array.cells(), 3840, 29696);
  return power;
}

}  // namespace strata::power
