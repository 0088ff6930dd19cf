#include <iostream>

#include "models/common/faults.h"
#include "platforms/cli/arguments.h"
#include "platforms/netlist/catalog.h"
#include "platforms/report/summary.h"

namespace strata::cli {

int run_explain(const std::vector<std::string>& arguments) {
  Arguments a(
      "explain NAME",
      "Says what a figure of the summary, a counter, a parameter, a ledger cause or a module is, with its\n"
      "unit, its owner and the laws it obeys.",
      "  strata explain llc_response_rate\n  strata explain row_conflict\n");
  if (!a.read(arguments, 1, 1)) return 0;
  const std::string& name = a.words().front();
  const platforms::Summary summary = platforms::describe_summary();
  const platforms::SummaryRow* row = summary.find(name);
  if (row != nullptr)
    std::cout << name << ": figure of the summary" << (row->unit.empty() ? "" : ", in " + row->unit) << "\n  "
              << row->sentence << "\n";
  try {
    std::cout << platforms::explain(name);
  } catch (const ConfigError& error) {
    if (row != nullptr) return 0;
    std::vector<std::string> names;
    for (const auto& figure : summary.rows) names.push_back(figure.name);
    const std::string near = suggestion(name, names);
    if (near.empty() || std::string(error.what()).find("did you mean") != std::string::npos) throw;
    throw ConfigError("nothing is called '" + name + "'" + near);
  }
  return 0;
}

}  // namespace strata::cli
