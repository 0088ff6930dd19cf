#pragma once

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace strata::platforms {

/// A process that ends with this one, whatever becomes of that. In it `become` calls exec, and comes back
/// only when that fails, with errno. Throws ConfigError with `name` and the reason.
pid_t start_child(const std::string& name, const std::function<void()>& become);

/// The same for a `become` that changes no memory: the processes share it until exec, which costs less the
/// more there is.
pid_t start_sharing_child(const std::string& name, const std::function<void()>& become);

/// `strata run`, or another verb, in a process of its own: SystemC builds one platform a process.
struct ChildRun {
  std::string program;             ///< "/proc/self/exe"
  std::vector<std::string> words;  ///< behind the verb
  std::string log;                 ///< file that takes what it says on stderr; the rest goes nowhere
  std::string verb = "run";

  /// Its process. Throws ConfigError when it cannot be started.
  pid_t start() const;
};

/// Ends a process that was started so, at once, and waits for that.
void end_child(pid_t child);

}  // namespace strata::platforms
