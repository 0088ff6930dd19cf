#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "platforms/energy/energy_report.h"

namespace strata::platforms {

/// How a page has runs.
struct PageOptions {
  power::Constants constants;  ///< of energy
  power::Technology technology;
  std::size_t most_epochs = 300;  ///< of a run; those of longer ones are put together
};

/// All that a page says of a results directory: stats.json without the definitions, counters by group of
/// instances, machine, tables and energy. What is missing or damaged beside stats.json is named in "left_out"
/// with the reason, and files that are no longer what the run wrote in "changed". Throws ConfigError when
/// stats.json cannot be read.
nlohmann::ordered_json page_run(const std::string& directory, const PageOptions& options);

}  // namespace strata::platforms
