#include "platforms/energy/constants_files.h"

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "platforms/netlist/data_folders.h"

namespace strata::platforms {
namespace {

power::Constants read(const std::string& file) {
  try {
    return power::Constants::read(read_input(file), file);
  } catch (const InputError& error) {
    throw ConfigError(Faults{{{file, 0, 0}, std::string("cannot read the constants: ") + error.what()}});
  }
}

/// Figures that somebody gives for a module: of a counter, of its static power, of its area.
void check_own(const std::string& row, const power::Constant& constant) {
  const std::string what = row.substr(row.rfind('.') + 1);
  const std::string unit = what == "static" ? "mW" : what == "area" ? "mm2" : "pJ";
  if (constant.unit != unit)
    throw ConfigError(Faults{
        {constant.where, "constant " + row + " is in " + constant.unit + "; the model takes it in " + unit}});
  if (constant.value.low < 0)
    throw ConfigError(
        Faults{{constant.where, "constant " + row + " is negative; nothing gives energy back"}});
}

}  // namespace

power::Constants load_constants(const std::vector<std::string>& files) {
  const std::vector<std::string> folders = data_folders("energy", "");
  if (folders.empty())
    throw ConfigError("the constants that Strata comes with are not there: platforms/energy");
  power::Constants table;
  for (const char* name : {"fitted.yaml", "published.yaml"}) {
    const power::Constants part = read(folders.front() + "/" + name);
    for (const auto& [row, constant] : part.rows()) table.set(row, constant);
  }
  for (const std::string& file : files) {
    const power::Constants part = read(file);
    for (const auto& [row, constant] : part.rows()) {
      if (row.rfind("module.", 0) == 0)
        check_own(row, constant);
      else if (constant.unit != table.at(row).unit)
        throw ConfigError(Faults{{constant.where, "constant " + row + " is in " + constant.unit +
                                                      "; the model takes it in " + table.at(row).unit}});
      table.set(row, constant);
    }
  }
  return table;
}

}  // namespace strata::platforms
