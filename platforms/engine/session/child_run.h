#pragma once

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace strata::platforms {

/// Starts a process that ends with this one, however this one ends. The child calls `become`, which calls
/// exec, and returns only on failure, with errno. Throws ConfigError with `name` and the reason.
pid_t start_child(const std::string& name, const std::function<void()>& become);

/// Like start_child(), for a `become` that changes no memory: the processes share memory until exec, which is
/// cheaper the more there is.
pid_t start_sharing_child(const std::string& name, const std::function<void()>& become);

/// `strata run`, or another verb, in its own process, because SystemC builds one platform per process.
struct ChildRun {
  std::string program;             ///< "/proc/self/exe"
  std::vector<std::string> words;  ///< arguments after the verb
  std::string log;                 ///< file for its stderr; stdout is discarded
  std::string verb = "run";

  /// Starts it and returns its process. Throws ConfigError if it cannot be started.
  pid_t start() const;
};

/// Kills a process started this way, and waits for its end.
void end_child(pid_t child);

}  // namespace strata::platforms
