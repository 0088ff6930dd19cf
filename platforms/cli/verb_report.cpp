#include <iostream>

#include "models/common/faults.h"
#include "models/io/draft.h"
#include "models/io/file_guard.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/energy_options.h"
#include "platforms/report/page/page_file.h"
#include "platforms/report/page/page_parts.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/sweep/sweep_text.h"

namespace strata::cli {

namespace {

/// A sweep gets one page, unless its runs are requested.
platforms::PageSources sources_of(const std::vector<std::string>& paths, bool runs) {
  platforms::PageSources sources;
  for (const std::string& path : paths) {
    if (platforms::is_reproduction(path)) {
      sources.reproductions.push_back(path);
      continue;
    }
    if (!platforms::is_sweep(path)) {
      sources.runs.push_back(path);
      continue;
    }
    sources.sweeps.push_back(path);
    if (!runs) continue;
    const std::vector<std::string> of = platforms::results_of_sweep(path);
    sources.runs.insert(sources.runs.end(), of.begin(), of.end());
  }
  return sources;
}

std::string count_text(std::size_t count, const std::string& word) {
  return count == 0 ? "" : ", " + std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

}  // namespace

int run_report(const std::vector<std::string>& arguments) {
  Arguments a(
      "report RESULT|SWEEP|REPRODUCTION... --out FILE.html [--runs] [--constants FILE]...",
      "Makes a page that any browser shows, without network and also on paper. For results directories: the\n"
      "machine coloured by load, latency by cause, roofline, series and heat maps over time, kernels,\n"
      "energy and every counter; two runs side by side. For a sweep (its folder or SQLite file): "
      "any\n"
      "figure over any dimension, with intervals over seeds. For a folder of strata reproduce: the paper's\n"
      "claims beside the measured values. docs/guide/report.md shows it.",
      "  strata report results/shared-matmul_512 --out page.html\n"
      "  strata report results/sweep-l1 --out page.html\n"
      "  strata report results/reproduce-isca19-quick --out page.html\n"
      "  strata report results/shared-matmul_512 results/private-matmul_512 --out page.html\n");
  a.options().add_options()("out", po::value<std::string>(), "the page to write; needed")(
      "runs", "also the results directories of each sweep's points");
  add_energy_options(a);
  if (!a.read(arguments, 1, any_number)) return 0;
  if (!a.has("out")) throw ConfigError("--out: which file is the page to be? such as --out page.html");
  const auto out = a.get<std::string>("out");
  const platforms::PageSources sources = sources_of(a.words(), a.has("runs"));
  FileGuard files;
  for (const std::string& sweep : sources.sweeps) files.reads(platforms::sweep_file_of(sweep));
  for (const std::string& folder : sources.reproductions) files.reads(folder + "/reproduction.json");
  for (const std::string& directory : sources.runs)
    for (const char* name :
         {"stats.json", "config.yaml", "manifest.json", "epochs.csv", "slices.csv", "l1s.csv", "kernels.csv",
          "kernels.json", "what_if.json", "ledger.csv", "llc_choices.csv"})
      files.reads(directory + "/" + name);
  files.writes("--out", out);
  check_writable(out);
  const EnergyModel energy = energy_model(a);
  const std::string page =
      platforms::results_page(sources, STRATA_VERSION, {energy.constants, energy.technology});
  write_file(out, page);
  std::cout << out << ": " << platforms::grouped(page.size() / 1000) << " kB"
            << count_text(sources.reproductions.size(), "reproduction")
            << count_text(sources.sweeps.size(), "sweep") << count_text(sources.runs.size(), "run")
            << (platforms::page_has_charts()
                    ? ""
                    : "; without charts: this program was built without their library")
            << "\n";
  return 0;
}

}  // namespace strata::cli
