#pragma once

#include <string>
#include <vector>

namespace strata::platforms {

struct CommandOutput {
  int code = 0;      ///< its exit code; -1 when a signal ended it
  std::string text;  ///< what it wrote to stdout
};

/// Runs a command that is looked for in PATH, and waits for its end. Throws ConfigError when it cannot be
/// started.
CommandOutput output_of(const std::vector<std::string>& words);

/// There is a program of that name in PATH.
bool is_command(const std::string& name);

}  // namespace strata::platforms
