#include "platforms/studies/energy/fit_constants.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "platforms/report/text_table.h"
#include "platforms/studies/energy/fit_rows.h"

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

}  // namespace strata::platforms
