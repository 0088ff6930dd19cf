#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/power/constants.h"
#include "models/power/least_squares.h"
#include "platforms/studies/energy/reference_rows.h"

namespace strata::platforms {

/// How well a formula predicts its rows.
struct FormulaFit {
  std::string name;
  std::size_t rows = 0;
  power::Residuals fitted;
  power::Residuals left_out;  ///< on rows of whole configurations that the fit did not see
};

/// How well whole blocks are predicted if the model chooses repeaters and layouts: by figure.
using BlockErrors = std::map<std::string, power::Residuals>;

/// Coefficients of every formula, fitted to the reference rows of a folder. Low and high are as far from
/// nominal as the 95th percentile of the errors on rows that were left out.
class ConstantsFit {
 public:
  explicit ConstantsFit(const std::string& folder);

  const power::Constants& constants() const { return constants_; }
  const std::vector<FormulaFit>& formulas() const { return formulas_; }
  /// Errors on rows that were in the fit, or on configurations that were left out.
  BlockErrors routers(bool left_out) const;
  BlockErrors links(bool left_out) const;
  BlockErrors srams(bool left_out) const;
  BlockErrors srams_by_size() const;  ///< all rows of a capacity left out together

  std::string report() const;

 private:
  std::vector<RouterRow> routers_;
  std::vector<LinkRow> links_;
  std::vector<SramRow> srams_;
  power::Constants constants_;
  std::vector<FormulaFit> formulas_;
};

/// Errors of whole blocks with these constants against the reference rows of a folder, which need not be the
/// rows of the fit: by figure, with the row that is furthest off.
std::string check_constants(const std::string& folder, const power::Constants& constants);

/// A formula of the models, with the rows it should reproduce.
struct FittedFormula {
  std::string name, unit;
  std::vector<std::string> terms;
  power::FitRows rows;
};

/// The configuration that a row shows: all rows of one configuration are left out together.
int configuration(const RouterRow& row);
int configuration(const LinkRow& row);
int configuration(const SramRow& row);

std::vector<FittedFormula> formulas_of(const std::vector<RouterRow>& rows);
/// The formula of the cycle time, from router_cycle_rows().
FittedFormula cycle_formula_of(const std::vector<RouterRow>& rows);
std::vector<FittedFormula> formulas_of(const std::vector<LinkRow>& rows);
std::vector<FittedFormula> formulas_of(const std::vector<SramRow>& rows);

inline power::RouterModel model_of(const std::vector<RouterRow>&, const power::Constants& c) {
  return power::RouterModel(c);
}
inline power::LinkModel model_of(const std::vector<LinkRow>&, const power::Constants& c) {
  return power::LinkModel(c);
}
inline power::SramModel model_of(const std::vector<SramRow>&, const power::Constants& c) {
  return power::SramModel(c);
}

/// Model relative to tool, by figure.
std::map<std::string, double> compare(const RouterRow& row, const power::RouterModel& model);
std::map<std::string, double> compare(const LinkRow& row, const power::LinkModel& model);
/// For arrays optimized for energy and delay; empty for the others, which serve only to fit formulas.
std::map<std::string, double> compare(const SramRow& row, const power::SramModel& model);

}  // namespace strata::platforms
