#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

struct RunState {
  /// The run ended normally or at its instruction limit, and its results are unchanged.
  bool finished = false;
  std::string fault;  ///< why existing results cannot be used
};

RunState state_of(const std::string& directory);
inline bool is_finished(const std::string& directory) {
  return state_of(directory).finished;
}

/// From stats.json: the run ended normally, or at its instruction limit.
bool came_to_its_end(const nlohmann::ordered_json& stats);

}  // namespace strata::platforms
