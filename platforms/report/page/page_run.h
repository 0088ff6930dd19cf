#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "platforms/studies/energy/energy_report.h"

namespace strata::platforms {

/// Options of runs on a page.
struct PageOptions {
  power::Constants constants;  ///< constants of the energy model
  power::Technology technology;
  std::size_t most_epochs = 300;  ///< epochs of a run; more are merged
};

/// The data of a results directory for a page: stats.json without the definitions, counters by group of
/// instances, machine, tables and energy. Missing or damaged files other than stats.json are listed in
/// "left_out" with the reason, and files changed since the run in "changed". Throws ConfigError if stats.json
/// cannot be read.
nlohmann::ordered_json page_run(const std::string& directory, const PageOptions& options);

}  // namespace strata::platforms
