#pragma once

#include <map>
#include <string>
#include <vector>

namespace strata::platforms {

/// What the results of a run depend on, as hashes.
struct RunIdentity {
  std::string program;  ///< the file that simulates
  std::string machine;  ///< the effective configuration, and plug-ins
  std::string input;    ///< workloads with the PTX that they name, files of traces
  std::string key;      ///< of all of it, and the other arguments
};

/// The identities of many runs; what several depend on is read once.
class RunIdentities {
 public:
  explicit RunIdentities(std::string program) : program_(std::move(program)) {}

  /// Of `strata run` with these arguments. Throws ConfigError or TraceError for a netlist, workload or trace
  /// that cannot be read.
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

/// A text for a program file: it differs between two builds that differ. Throws ConfigError.
std::string program_identity(const std::string& path);

/// A text with what a file name takes: letters, digits, `+` and `_`, and `-` for all else.
std::string for_a_path(std::string text);

}  // namespace strata::platforms
