#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/power/constants.h"
#include "models/power/least_squares.h"
#include "platforms/energy/reference_rows.h"

namespace strata::platforms {

/// How well a formula foretells its rows.
struct FormulaFit {
  std::string name;
  std::size_t rows = 0;
  power::Residuals fitted;
  power::Residuals left_out;  ///< rows of whole configurations that the fit did not see
};

/// How well whole blocks are foretold, repeaters and layouts chosen by the model: by figure.
using BlockErrors = std::map<std::string, power::Residuals>;

/// Coefficients of every formula from the reference rows of a folder; low and high are as far away as the
/// 95th percentile of the errors on rows that were left out.
class ConstantsFit {
 public:
  explicit ConstantsFit(const std::string& folder);

  const power::Constants& constants() const { return constants_; }
  const std::vector<FormulaFit>& formulas() const { return formulas_; }
  /// On rows that were in the fit, or of configurations that were not.
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

/// How far whole blocks with these constants are from the reference rows of a folder, other than those of the
/// fit perhaps: by figure, with the row that is furthest off.
std::string check_constants(const std::string& folder, const power::Constants& constants);

}  // namespace strata::platforms
