#include "platforms/cli/energy_options.h"

#include <cstdlib>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "platforms/studies/energy/machine_model.h"

namespace strata::cli {
namespace {

double number_in(const Arguments& a, const char* option, double least, double most) {
  const auto text = a.get<std::string>(option);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && value >= least && value <= most) return value;
  throw ConfigError(std::string("--") + option + ": '" + text +
                    "' is outside the valid range of the model, " + number_text(least) + " to " +
                    number_text(most) + "; the nearest is " + number_text(value > most ? most : least));
}

}  // namespace

void add_energy_options(Arguments& a) {
  a.options().add_options()("constants", po::value<std::vector<std::string>>(),
                            "a file of constants that replace the shipped ones; may be repeated")(
      "volts", po::value<std::string>()->default_value("0.8"), "supply voltage of the chip")(
      "kelvin", po::value<std::string>()->default_value("340"), "its temperature")(
      "nanometres", po::value<std::string>()->default_value("22"), "its technology");
}

EnergyModel energy_model(const Arguments& a) {
  EnergyModel model;
  model.constants = platforms::load_constants(
      a.has("constants") ? a.get<std::vector<std::string>>("constants") : std::vector<std::string>());
  model.technology = {number_in(a, "volts", 0.5, 1.2), number_in(a, "kelvin", 300, 360),
                      number_in(a, "nanometres", 22, 45)};
  return model;
}

}  // namespace strata::cli
