#include <iostream>

#include "models/common/draft.h"
#include "models/common/faults.h"
#include "models/common/file_guard.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/energy_options.h"
#include "platforms/page/page_file.h"
#include "platforms/report/text_table.h"
#include "platforms/sweep/sweep_results.h"

namespace strata::cli {

int run_report(const std::vector<std::string>& arguments) {
  Arguments a(
      "report RESULT... --out FILE.html [--constants FILE]...",
      "Makes a page of results directories that any browser shows, without network and also on paper: "
      "the\n"
      "machine coloured by load, where the latency goes, roofline, what happened when, who was busy "
      "when,\n"
      "kernels, energy and every counter; two runs side by side. docs/report.md shows it.",
      "  strata report results/shared-matmul_512 --out page.html\n"
      "  strata report results/shared-matmul_512 results/private-matmul_512 --out page.html\n");
  a.options().add_options()("out", po::value<std::string>(), "the page to write; needed");
  add_energy_options(a);
  if (!a.read(arguments, 1, any_number)) return 0;
  if (!a.has("out")) throw ConfigError("--out: which file is the page to be? such as --out page.html");
  const auto out = a.get<std::string>("out");
  const std::vector<std::string> results = platforms::results_named(a.words());
  FileGuard files;
  for (const std::string& directory : results)
    for (const char* name :
         {"stats.json", "config.yaml", "manifest.json", "epochs.csv", "slices.csv", "l1s.csv", "kernels.csv",
          "kernels.json", "what_if.json", "ledger.csv", "llc_choices.csv"})
      files.reads(directory + "/" + name);
  files.writes("--out", out);
  check_writable(out);
  const EnergyModel energy = energy_model(a);
  const std::string page =
      platforms::results_page(results, STRATA_VERSION, {energy.constants, energy.technology});
  write_file(out, page);
  std::cout << out << ": " << platforms::grouped(page.size() / 1000) << " kB, "
            << (results.size() == 1 ? "1 run" : std::to_string(results.size()) + " runs")
            << (platforms::page_has_charts()
                    ? ""
                    : "; without charts: this program was built without their library")
            << "\n";
  return 0;
}

}  // namespace strata::cli
