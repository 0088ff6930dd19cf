#include "platforms/studies/energy/constants_files.h"

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "platforms/engine/netlist/data_folders.h"

namespace strata::platforms {
namespace {

power::Constants read(const std::string& file) {
  try {
    return power::Constants::read(read_input(file), file);
  } catch (const InputError& error) {
    throw ConfigError(Faults{{{file, 0, 0}, std::string("cannot read the constants: ") + error.what()}});
  }
}

/// The unit that the model expects: for figures of a third-party module the unit of a counter, of static
/// power or of area, otherwise the unit of the row that is replaced.
std::string unit_of(const std::string& row, const power::Constant& constant, const power::Constants& table) {
  if (row.rfind("module.", 0) == 0) {
    const std::string what = row.substr(row.rfind('.') + 1);
    return what == "static" ? "mW" : what == "area" ? "mm2" : "pJ";
  }
  try {
    return table.at(row).unit;
  } catch (const ConfigError& error) {
    throw ConfigError(Faults{{constant.where, error.what()}});
  }
}

}  // namespace

void check_constant(const std::string& row, const power::Constant& constant, const power::Constants& table) {
  const std::string unit = unit_of(row, constant, table);
  if (constant.unit != unit)
    throw ConfigError(Faults{
        {constant.where, "constant " + row + " is in " + constant.unit + "; the model takes it in " + unit}});
  // Some terms of a formula are negative.
  const bool of_formula = table.has(row) && table.value(row).nominal < 0;
  if (constant.value.nominal < 0 && !of_formula)
    throw ConfigError(
        Faults{{constant.where,
                "constant " + row + " is negative; nothing gives energy or area back: the nearest is 0"}});
}

power::Constants load_constants(const std::vector<std::string>& files) {
  const std::vector<std::string> folders = data_folders("energy", "");
  if (folders.empty()) throw ConfigError("the shipped constants are missing: platforms/studies/energy");
  power::Constants table;
  for (const char* name : {"fitted.yaml", "published.yaml"}) {
    const power::Constants part = read(folders.front() + "/" + name);
    for (const auto& [row, constant] : part.rows()) table.set(row, constant);
  }
  for (const std::string& file : files) {
    const power::Constants part = read(file);
    for (const auto& [row, constant] : part.rows()) {
      check_constant(row, constant, table);
      table.set(row, constant);
    }
  }
  return table;
}

}  // namespace strata::platforms
