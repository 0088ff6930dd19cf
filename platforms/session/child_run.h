#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace strata::platforms {

/// `strata run` in a process of its own: SystemC builds one platform a process. It ends with the process that
/// started it, whatever becomes of that.
struct ChildRun {
  std::string program;             ///< "/proc/self/exe"
  std::vector<std::string> words;  ///< behind `strata run`
  std::string log;                 ///< file that takes what it says on stderr; the rest goes nowhere

  /// Its process. Throws ConfigError when it cannot be started.
  pid_t start() const;
};

/// Ends a process that start() gave, at once, and waits for that.
void end_child(pid_t child);

}  // namespace strata::platforms
