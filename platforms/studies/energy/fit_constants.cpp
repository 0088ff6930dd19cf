#include "platforms/studies/energy/fit_constants.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "models/power/sram_power.h"
#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

using power::Constants;
using power::FitRows;
using power::Residuals;

const char tools[] = "reference rows of DSENT 0.91 (gem5 b1a44b8) and CACTI 7.0.3 in tb/data/power";

void add_constants(Constants& table, const FittedFormula& formula, const std::vector<double>& coefficients,
                   double error) {
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const double c = coefficients[i];
    table.set(
        formula.name + "." + formula.terms[i],
        {{c * (1 - error), c, c * (1 + error)}, formula.unit, tools, "fitted by strata energy --fit", {}});
  }
}

template <class Row>
Constants fit_all(const std::vector<Row>& rows) {
  Constants table;
  for (const FittedFormula& formula : formulas_of(rows))
    add_constants(table, formula, power::fit(formula.rows), 0);
  return table;
}

template <class Row, class Model>
void judge(BlockErrors& errors, const std::vector<Row>& rows, const Model& model) {
  for (const Row& row : rows)
    for (const auto& [figure, share] : compare(row, model))
      errors[figure].errors.push_back(std::abs(share - 1));
}

BlockErrors sorted(BlockErrors errors) {
  for (auto& [figure, residuals] : errors) std::sort(residuals.errors.begin(), residuals.errors.end());
  return errors;
}

template <class Row>
BlockErrors errors_in_fit(const std::vector<Row>& rows) {
  BlockErrors errors;
  judge(errors, rows, model_of(rows, fit_all(rows)));
  return sorted(std::move(errors));
}

/// Cross-validation: each group of rows is compared with constants fitted to the other groups.
template <class Row>
BlockErrors errors_left_out(const std::vector<Row>& rows, int (*group_of)(const Row&)) {
  std::set<int> groups;
  for (const Row& row : rows) groups.insert(group_of(row));
  BlockErrors errors;
  for (const int group : groups) {
    std::vector<Row> kept, judged;
    for (const Row& row : rows) (group_of(row) == group ? judged : kept).push_back(row);
    judge(errors, judged, model_of(judged, fit_all(kept)));
  }
  return sorted(std::move(errors));
}

int size_of(const SramRow& row) {
  return static_cast<int>(row.array.order.bytes);
}

void fit_formulas(const std::vector<FittedFormula>& formulas, Constants& table,
                  std::vector<FormulaFit>& fits) {
  for (const FittedFormula& formula : formulas) {
    const std::vector<double> coefficients = power::fit(formula.rows);
    FormulaFit fit{formula.name, formula.rows.targets.size(), power::residuals(formula.rows, coefficients),
                   power::cross_validate(formula.rows)};
    add_constants(table, formula, coefficients, fit.left_out.percentile95());
    fits.push_back(std::move(fit));
  }
}

std::string per_cent(double share) {
  return rounded(100 * share, 3) + " %";
}

void add_rows(TextTable& table, const std::string& block, const BlockErrors& in, const BlockErrors& out) {
  for (const auto& [figure, errors] : in) {
    const Residuals& other = out.at(figure);
    table.add({block + " " + figure, std::to_string(errors.errors.size()), per_cent(errors.median()),
               per_cent(errors.percentile95()), per_cent(other.median()), per_cent(other.percentile95()),
               per_cent(other.most())});
  }
}

}  // namespace

ConstantsFit::ConstantsFit(const std::string& folder)
    : routers_(router_rows(folder)), links_(link_rows(folder)), srams_(sram_rows(folder)) {
  fit_formulas(formulas_of(routers_), constants_, formulas_);
  fit_formulas({cycle_formula_of(router_cycle_rows(folder))}, constants_, formulas_);
  fit_formulas(formulas_of(links_), constants_, formulas_);
  fit_formulas(formulas_of(srams_), constants_, formulas_);
}

BlockErrors ConstantsFit::routers(bool left_out) const {
  return left_out ? errors_left_out<RouterRow>(routers_, configuration) : errors_in_fit(routers_);
}
BlockErrors ConstantsFit::links(bool left_out) const {
  return left_out ? errors_left_out<LinkRow>(links_, configuration) : errors_in_fit(links_);
}
BlockErrors ConstantsFit::srams(bool left_out) const {
  return left_out ? errors_left_out<SramRow>(srams_, configuration) : errors_in_fit(srams_);
}
BlockErrors ConstantsFit::srams_by_size() const {
  return errors_left_out<SramRow>(srams_, size_of);
}

std::string ConstantsFit::report() const {
  TextTable formulas;
  formulas.add({"formula", "rows", "median", "95th", "left out: median", "95th", "most"});
  for (const FormulaFit& fit : formulas_)
    formulas.add({fit.name, std::to_string(fit.rows), per_cent(fit.fitted.median()),
                  per_cent(fit.fitted.percentile95()), per_cent(fit.left_out.median()),
                  per_cent(fit.left_out.percentile95()), per_cent(fit.left_out.most())});
  TextTable blocks;
  blocks.add({"block", "rows", "median", "95th", "left out: median", "95th", "most"});
  add_rows(blocks, "router", routers(false), routers(true));
  add_rows(blocks, "link", links(false), links(true));
  add_rows(blocks, "sram", srams(false), srams(true));
  add_rows(blocks, "sram, a size left out:", srams(false), srams_by_size());
  return "relative errors of each formula, and on rows of configurations left out of its fit\n" +
         formulas.text() + "\nthe same of whole blocks: repeaters and layouts chosen by the model\n" +
         blocks.text();
}

namespace {

template <class Row>
void check_rows(TextTable& table, const std::string& block, const std::vector<Row>& rows,
                const Constants& constants) {
  const auto model = model_of(rows, constants);
  std::map<std::string, std::pair<double, std::string>> worst;  // by figure: largest error and its row
  BlockErrors errors;
  for (const Row& row : rows)
    for (const auto& [figure, share] : compare(row, model)) {
      const double error = std::abs(share - 1);
      errors[figure].errors.push_back(error);
      auto& most = worst[figure];
      if (error >= most.first) most = {error, row.name};
    }
  for (const auto& [figure, residuals] : sorted(std::move(errors)))
    table.add({block + " " + figure, std::to_string(residuals.errors.size()), per_cent(residuals.median()),
               per_cent(residuals.percentile95()), per_cent(residuals.most()), worst[figure].second});
}

}  // namespace

std::string check_constants(const std::string& folder, const Constants& constants) {
  TextTable table;
  table.add({"block", "rows", "median", "95th", "most", "at"});
  check_rows(table, "router", router_rows(folder), constants);
  check_rows(table, "link", link_rows(folder), constants);
  check_rows(table, "sram", sram_rows(folder), constants);
  check_rows(table, "sram, between:", between_rows(folder), constants);
  return "relative errors of the constants in use, nothing fitted\n" + table.text();
}

namespace {

using power::Formula;

/// Reads from a row the value that a formula should give; 0 if the row does not have it.
template <class Row>
using Target = std::function<double(const Row&)>;

template <class Row>
Target<Row> column(const char* name) {
  return [name](const Row& row) { return row.measured.at(name); };
}

template <class Shape, class Row>
FittedFormula gather(const Formula<Shape>& formula, const std::vector<Row>& rows,
                     const std::function<Shape(const Row&)>& shape, const Target<Row>& target) {
  FittedFormula fitted{formula.name, formula.unit, {}, {}};
  for (const auto& term : formula.terms) fitted.terms.push_back(term.name);
  std::set<std::vector<double>> seen;  // rows that differ only in what the formula does not use count once
  for (const Row& row : rows) {
    const double wanted = target(row);
    if (wanted <= 0) continue;
    std::vector<double> factors = formula.factors(shape(row));
    std::vector<double> key = factors;
    key.push_back(wanted);
    if (!seen.insert(key).second) continue;
    fitted.rows.factors.push_back(std::move(factors));
    fitted.rows.targets.push_back(wanted);
    fitted.rows.groups.push_back(configuration(row));
  }
  return fitted;
}

power::ClockShape clock_of(const RouterRow& row) {
  const double energy = row.measured.at("e_clk_pJ_per_cycle");
  return {row.shape.inputs * row.shape.bits, row.shape.outputs * row.shape.bits,
          std::sqrt(row.measured.at("area_total_um2")), power::clock_driver(energy)};
}

/// The tags as the tool builds them: four subarrays.
power::SmallArray tag_array(const SramRow& row) {
  const power::SramArray& a = row.array;
  return {a.tag_rows, 4 * a.tag_columns};
}

bool wires_decide(const RouterRow& row) {
  return row.measured.at("xbar_fill_area_um2") > 0;
}

const std::vector<std::pair<std::string, Target<RouterRow>>>& router_targets() {
  static const std::vector<std::pair<std::string, Target<RouterRow>>> targets = {
      {"router.buffer_area", column<RouterRow>("area_buffer_um2")},
      {"router.buffer_leakage", column<RouterRow>("leak_buffer_mW")},
      {"router.e_write", column<RouterRow>("e_write_pJ")},
      {"router.e_read", column<RouterRow>("e_read_pJ")},
      {"router.xbar_wire", column<RouterRow>("xbar_wire_area_um2")},
      {"router.xbar_mux",
       [](const RouterRow& r) {
         const double gates = r.measured.at("xbar_wire_area_um2") - r.measured.at("xbar_fill_area_um2");
         return wires_decide(r) && gates > 1 ? gates : 0;
       }},
      {"router.xbar_port",
       [](const RouterRow& r) {
         return wires_decide(r) ? r.measured.at("area_xbar_um2") - r.measured.at("xbar_wire_area_um2") : 0;
       }},
      {"router.xbar_leakage", column<RouterRow>("leak_xbar_mW")},
      {"router.e_xbar", column<RouterRow>("e_xbar_pJ")},
      {"router.allocator_area", column<RouterRow>("area_sa_um2")},
      {"router.allocator_leakage", column<RouterRow>("leak_sa_mW")},
      {"router.e_arbitrate", column<RouterRow>("e_sa2_pJ")},
  };
  return targets;
}

/// The tool's repeater size, computed from the repeater area.
power::LinkShape link_shape(const LinkRow& row, double area_of_size) {
  power::LinkShape shape = row.shape;
  shape.size =
      std::round(row.measured.at("area_active_um2") / (area_of_size * shape.bits * shape.segments)) - 1;
  return shape;
}

/// Area of a repeater of size 1: half of the smallest area.
double unit_area(const std::vector<LinkRow>& rows) {
  double least = 0;
  for (const LinkRow& row : rows) {
    const double area = row.measured.at("area_active_um2") / (row.shape.bits * row.shape.segments * 2);
    if (least == 0 || area < least) least = area;
  }
  return least;
}

}  // namespace

int configuration(const RouterRow& row) {
  return static_cast<int>(1000 * row.shape.inputs + row.shape.outputs);
}
int configuration(const LinkRow& row) {
  return static_cast<int>(std::lround(1000 * row.shape.length_mm + 10 * row.delay_ns));
}
int configuration(const SramRow& row) {
  return static_cast<int>(row.array.order.bytes + row.array.order.ways +
                          (row.array.order.read_port ? 64 : 0));
}

std::vector<FittedFormula> formulas_of(const std::vector<RouterRow>& rows) {
  std::vector<FittedFormula> all;
  const std::function<power::RouterShape(const RouterRow&)> shape = [](const RouterRow& r) {
    return r.shape;
  };
  for (const auto& formula : power::router_formulas())
    for (const auto& [name, target] : router_targets())
      if (name == formula.name) all.push_back(gather(formula, rows, shape, target));
  const std::function<power::ClockShape(const RouterRow&)> clock = clock_of;
  const char* columns[] = {"e_clk_pJ_per_cycle", "area_clock_um2", "leak_clock_mW"};
  for (std::size_t i = 0; i < 3; ++i)
    all.push_back(gather(power::clock_formulas()[i], rows, clock, column<RouterRow>(columns[i])));
  return all;
}

FittedFormula cycle_formula_of(const std::vector<RouterRow>& rows) {
  const std::function<power::RouterShape(const RouterRow&)> shape = [](const RouterRow& r) {
    return r.shape;
  };
  return gather(power::router_cycle(), rows, shape, column<RouterRow>("best_crit_ns"));
}

std::vector<FittedFormula> formulas_of(const std::vector<LinkRow>& rows) {
  std::vector<FittedFormula> all;
  const double unit = unit_area(rows);
  const std::function<power::LinkShape(const LinkRow&)> shape = [unit](const LinkRow& r) {
    return link_shape(r, unit);
  };
  const char* columns[] = {"achieved_delay_ns", "e_per_flit_pJ", "area_active_um2", "area_globalwire_um2",
                           "leak_mW"};
  for (std::size_t i = 0; i < power::link_formulas().size(); ++i)
    all.push_back(gather(power::link_formulas()[i], rows, shape, column<LinkRow>(columns[i])));
  return all;
}

std::vector<FittedFormula> formulas_of(const std::vector<SramRow>& rows) {
  std::vector<FittedFormula> all;
  const char* columns[] = {"height_mm", "data_width_mm", "tag_width_mm", "leak_mW",
                           "read_nJ",   "write_nJ",      "access_ns",    "cycle_ns"};
  const std::function<power::SramArray(const SramRow&)> shape = [](const SramRow& r) { return r.array; };
  for (const bool read_port : {false, true}) {
    std::vector<SramRow> of_ports;
    for (const SramRow& row : rows)
      if (row.array.order.read_port == read_port) of_ports.push_back(row);
    for (std::size_t i = 0; i < power::sram_formulas(read_port).size(); ++i)
      all.push_back(gather(power::sram_formulas(read_port)[i], of_ports, shape, column<SramRow>(columns[i])));
    if (read_port) continue;
    const std::function<power::SmallArray(const SramRow&)> tags = tag_array;
    all.push_back(gather(power::small_array_area(), of_ports, tags, column<SramRow>("tag_area_mm2")));
  }
  return all;
}

std::map<std::string, double> compare(const RouterRow& row, const power::RouterModel& model) {
  const power::RouterPower p = model(row.shape);
  const Measured& m = row.measured;
  const std::map<std::string, std::pair<double, double>> pairs = {
      {"area", {p.area().nominal, m.at("area_total_um2")}},
      {"area of buffers", {p.area_buffer.nominal, m.at("area_buffer_um2")}},
      {"area of the crossbar", {p.area_crossbar.nominal, m.at("area_xbar_um2")}},
      {"area of the allocator", {p.area_allocator.nominal, m.at("area_sa_um2")}},
      {"area of the clock tree", {p.area_clock.nominal, m.at("area_clock_um2")}},
      {"leakage", {p.leakage().nominal, m.at("leak_total_mW")}},
      {"leakage of buffers", {p.leakage_buffer.nominal, m.at("leak_buffer_mW")}},
      {"leakage of the crossbar", {p.leakage_crossbar.nominal, m.at("leak_xbar_mW")}},
      {"leakage of the allocator", {p.leakage_allocator.nominal, m.at("leak_sa_mW")}},
      {"leakage of the clock tree", {p.leakage_clock.nominal, m.at("leak_clock_mW")}},
      {"energy of a write", {p.write.nominal, m.at("e_write_pJ")}},
      {"energy of a read", {p.read.nominal, m.at("e_read_pJ")}},
      {"energy of a traversal", {p.traverse.nominal, m.at("e_xbar_pJ")}},
      {"energy of arbitration",
       {p.arbitrate_vcs.nominal + p.arbitrate_inputs.nominal, m.at("e_sa1_pJ") + m.at("e_sa2_pJ")}},
      {"energy of a clock cycle", {p.clock.nominal, m.at("e_clk_pJ_per_cycle")}},
  };
  std::map<std::string, double> shares;
  for (const auto& [name, pair] : pairs)
    if (pair.second > 0) shares[name] = pair.first / pair.second;
  return shares;
}

std::map<std::string, double> compare(const LinkRow& row, const power::LinkModel& model) {
  const power::LinkPower p = model(row.shape.bits, row.shape.length_mm, row.delay_ns);
  const Measured& m = row.measured;
  return {{"energy of a flit", p.flit.nominal / m.at("e_per_flit_pJ")},
          {"area of wires", p.area_wires.nominal / m.at("area_globalwire_um2")},
          {"area of repeaters", p.area_repeaters.nominal / m.at("area_active_um2")},
          {"leakage", p.leakage.nominal / m.at("leak_mW")},
          {"delay", p.delay.nominal / m.at("achieved_delay_ns")}};
}

std::map<std::string, double> compare(const SramRow& row, const power::SramModel& model) {
  if (!row.for_energy_and_delay) return {};
  const power::SramPower p = model(row.array.order);
  const Measured& m = row.measured;
  std::map<std::string, double> shares{{"energy of a read", p.read.nominal / m.at("read_nJ")},
                                       {"energy of a write", p.write.nominal / m.at("write_nJ")},
                                       {"leakage", p.leakage.nominal / m.at("leak_mW")},
                                       {"area", p.area.nominal / m.at("hxw_mm2")},
                                       {"access time", p.access.nominal / m.at("access_ns")}};
  if (const auto cycle = m.find("cycle_ns"); cycle != m.end())  // interpolated rows have no cycle time
    shares["cycle"] = p.cycle.nominal / cycle->second;
  return shares;
}

}  // namespace strata::platforms
