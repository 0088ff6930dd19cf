#include <iostream>
#include <optional>

#include "models/io/draft.h"
#include "models/io/file_guard.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/energy_options.h"
#include "platforms/studies/energy/energy_report.h"
#include "platforms/studies/energy/fit_constants.h"
#include "platforms/studies/reproduce/bar_chart.h"

namespace strata::cli {
namespace {

using platforms::EnergyReport;

Arguments energy_arguments() {
  Arguments a(
      "energy RESULT... [--json] [--csv FILE] [--svg FILE] [--constants FILE]... | energy --fit FOLDER "
      "[--yaml] | energy --check FOLDER",
      "Shows the energy of results directories: joules of NoC, caches, DRAM and SMs, dynamic, leakage "
      "and\n"
      "clock, each with its interval, and what is not counted. With --fit: fits the coefficients of the "
      "model to\n"
      "reference rows and prints its errors, also on rows of configurations that were left out.\n"
      "With --check: the errors of the constants in use, on any folder of rows.\n"
      "docs/methods/energy-and-area.md has the formulas and the source of every constant.",
      "  strata energy results/shared-matmul_512 results/private-matmul_512\n"
      "  strata energy results/shared-matmul_512 --csv energy.csv --svg energy.svg\n"
      "  strata energy --fit tb/data/power\n"
      "  strata energy --check tb/data/power\n"
      "  strata energy --fit tb/data/power --yaml > platforms/studies/energy/fitted.yaml\n");
  add_energy_options(a);
  a.options().add_options()("json", "print JSON: by instance and part")(
      "csv", po::value<std::string>(), "write every instance and part into this file")(
      "svg", po::value<std::string>(), "draw stacked bars, one per result")(
      "fit", po::value<std::string>(), "the folder of the reference rows")(
      "check", po::value<std::string>(), "a folder of reference rows: how far the constants in use are off")(
      "yaml",
      "with --fit: print the coefficients instead, in the form of platforms/studies/energy/fitted.yaml");
  return a;
}

void fit(const Arguments& a) {
  const platforms::ConstantsFit fit(a.get<std::string>("fit"));
  if (a.has("yaml"))
    std::cout
        << "# Written by strata energy --fit tb/data/power --yaml. Low and high are as far from the nominal "
           "value as "
           "the\n# 95th percentile of the errors on rows of configurations that were left out of the fit.\n"
        << fit.constants().yaml();
  else
    std::cout << fit.report();
}

std::string stacked_bars(const std::vector<EnergyReport>& reports) {
  platforms::BarChart chart;
  chart.title = "Energy";
  chart.axis = "mJ";
  chart.stacked = true;
  for (const auto& [group, name, label] : platforms::energy_groups) {
    platforms::BarSeries series;
    series.name = name;
    for (const EnergyReport& report : reports) series.values.emplace_back(1e3 * report.of(group).nominal);
    chart.series.push_back(std::move(series));
  }
  for (const EnergyReport& report : reports)
    chart.categories.push_back(report.title.substr(report.title.rfind('/') + 1));
  return to_svg(chart);
}

}  // namespace

int run_energy(const std::vector<std::string>& arguments) {
  Arguments a = energy_arguments();
  if (!a.read(arguments, 0, any_number)) return 0;
  if (a.has("fit")) {
    if (!a.words().empty())
      throw ConfigError("--fit reads reference rows; no results directory goes with it");
    fit(a);
    return 0;
  }
  if (a.has("check")) {
    if (!a.words().empty())
      throw ConfigError("--check reads reference rows; no results directory goes with it");
    std::cout << platforms::check_constants(a.get<std::string>("check"), energy_model(a).constants);
    return 0;
  }
  if (a.words().empty())
    throw ConfigError("which results? Give one directory at least, or --fit or --check FOLDER");
  FileGuard files;
  for (const std::string& directory : a.words())
    files.reads({directory + "/stats.json", directory + "/config.yaml"});
  for (const char* option : {"csv", "svg"})
    if (a.has(option)) files.writes(std::string("--") + option, a.get<std::string>(option));
  const EnergyModel model = energy_model(a);
  std::vector<EnergyReport> reports;
  for (const std::string& directory : a.words())
    reports.push_back(platforms::energy_of_results(directory, model.constants, model.technology));
  if (a.has("csv")) write_file(a.get<std::string>("csv"), energy_csv(reports));
  if (a.has("svg")) write_file(a.get<std::string>("svg"), stacked_bars(reports));
  if (a.has("json"))
    std::cout << energy_json(reports);
  else
    for (const EnergyReport& report : reports)
      std::cout << (&report == &reports.front() ? "" : "\n") << energy_text(report);
  return 0;
}

}  // namespace strata::cli
