#include "models/power/technology.h"

#include <cmath>

namespace strata::power {
namespace {

constexpr double reference_volts = 0.8, reference_nm = 22, other_nm = 45;

/// Through the reference (factor 1) and the factor at 45 nm: a power of the feature size.
Interval node(const Interval& at_other, double nanometres) {
  const double exponent = std::log(nanometres / reference_nm) / std::log(other_nm / reference_nm);
  return {std::pow(at_other.low, exponent), std::pow(at_other.nominal, exponent),
          std::pow(at_other.high, exponent)};
}

}  // namespace

// Charge and voltage: C V^2.
Interval Technology::energy(const Constants& constants) const {
  const double v = volts / reference_volts;
  return node(constants.value("technology.energy_45nm"), nanometres) * (v * v);
}

Interval Technology::leakage(const Constants& constants) const {
  const Interval cold = constants.value("technology.leakage_300K");
  const Interval hot = constants.value("technology.leakage_360K");
  const Interval heat = kelvin <= 340 ? between(cold, exactly(1), (kelvin - 300) / 40)
                                      : between(exactly(1), hot, (kelvin - 340) / 20);
  return heat * node(constants.value("technology.leakage_45nm"), nanometres) * (volts / reference_volts);
}

Interval Technology::area(const Constants& constants) const {
  return node(constants.value("technology.area_45nm"), nanometres);
}

}  // namespace strata::power
