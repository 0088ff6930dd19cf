#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace strata::platforms {

/// Everything that the results of a run depend on, as hashes.
struct RunIdentity {
  std::string program;  ///< the program file
  std::string machine;  ///< effective configuration and plug-ins
  std::string input;    ///< workloads with their PTX, trace files
  std::string key;      ///< of all of these and the other arguments
};

/// The identities of many runs; shared inputs are read once.
class RunIdentities {
 public:
  explicit RunIdentities(std::string program) : program_(std::move(program)) {}

  /// Identity of `strata run` with these arguments. Throws ConfigError or TraceError if a netlist, workload
  /// or trace cannot be read.
  RunIdentity of(const std::vector<std::string>& arguments);
  const std::string& program() const { return program_; }

 private:
  const std::string& machine(const std::vector<std::string>& files, const std::vector<std::string>& sets);
  const std::string& netlist(const std::string& name);
  const std::string& workload(const std::string& spec);
  const std::string& trace(const std::string& spec);

  std::string program_;
  std::map<std::string, std::string> netlists_, machines_, workloads_, traces_;
};

/// A text that identifies a program file: different builds differ. Throws ConfigError.
std::string program_identity(const std::string& path);

/// A text as part of a file name: letters, digits, `+` and `_` stay, all other characters become `-`.
std::string for_a_path(std::string text);

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
