#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace strata::platforms {

/// While one lives, the signals by which users, terminals and batch systems end a program only set a flag, so
/// that it can keep what it has. SIGINT half a second after another signal ends the process as usual. What
/// the caller ignored stays ignored (nohup), but SIGINT: shells ignore that for every program in the
/// background. Writing to a pipe that nobody reads is an error then, not the end.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  static bool requested();
  /// "SIGTERM"; empty when nothing was requested.
  static std::string signal_name();

 private:
  struct Before {
    int signal;
    struct sigaction action;
  };
  std::vector<Before> before_;  // none: another one watches already
};

}  // namespace strata::platforms
