#pragma once

#include "models/power/constants.h"
#include "platforms/cli/arguments.h"

namespace strata::cli {

struct EnergyModel {
  power::Constants constants;
  power::Technology technology;
};

/// --constants, --volts, --kelvin, --nanometres.
void add_energy_options(Arguments& arguments);
EnergyModel energy_model(const Arguments& arguments);

}  // namespace strata::cli
