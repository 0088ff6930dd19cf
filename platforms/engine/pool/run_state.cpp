#include "platforms/engine/pool/run_state.h"

#include <nlohmann/json.hpp>

#include "models/common/faults.h"
#include "platforms/report/manifest.h"
#include "platforms/report/results_files.h"
#include "platforms/report/results_reader.h"

namespace strata::platforms {

bool came_to_its_end(const nlohmann::ordered_json& stats) {
  if (stats["run"]["exit_code"] != 0) return false;
  return stats["partial"] == false || stats["reason"] == "max-instructions" ||
         stats["reason"] == applications_measured;
}

RunState state_of(const std::string& directory) {
  if (!has_results(directory)) return {};
  try {
    if (!came_to_its_end(read_results(directory))) return {};
  } catch (const ConfigError& error) {
    return {false, error.what()};
  }
  if (is_intact(directory)) return {true, {}};
  return {false, directory + ": the results are not as they were written"};
}

}  // namespace strata::platforms
