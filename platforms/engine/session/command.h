#pragma once

#include <string>
#include <vector>

namespace strata::platforms {

struct CommandOutput {
  int code = 0;      ///< its exit code; -1 if a signal ended it
  std::string text;  ///< its stdout
};

/// Runs a command found in PATH and waits for its end. Throws ConfigError if it cannot be started.
CommandOutput output_of(const std::vector<std::string>& words);

/// True if PATH has a program of that name.
bool is_command(const std::string& name);

}  // namespace strata::platforms
