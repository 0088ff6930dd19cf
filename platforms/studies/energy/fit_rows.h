#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/power/constants.h"
#include "models/power/least_squares.h"
#include "platforms/studies/energy/reference_rows.h"

namespace strata::platforms {

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
