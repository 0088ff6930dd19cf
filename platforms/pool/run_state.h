#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace strata::platforms {

struct RunState {
  /// The run came to its end, or to its instruction limit, and the results are as they were written.
  bool finished = false;
  std::string fault;  ///< what is wrong with the results, when there are some that cannot be used
};

RunState state_of(const std::string& directory);
inline bool is_finished(const std::string& directory) {
  return state_of(directory).finished;
}

/// Of stats.json: the run came to its end, or to its instruction limit.
bool came_to_its_end(const nlohmann::ordered_json& stats);

}  // namespace strata::platforms
