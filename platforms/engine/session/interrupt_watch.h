#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace strata::platforms {

/// While one exists, the signals by which users, terminals and batch systems end a program only set a flag,
/// so that the program can keep its results. SIGINT half a second after another signal ends the process as
/// usual. Signals that were ignored stay ignored (nohup), except SIGINT: shells ignore it for every program
/// in the background. A write to a pipe without a reader becomes an error instead of the end.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  static bool requested();
  /// "SIGTERM"; empty if there was no signal.
  static std::string signal_name();

 private:
  struct Before {
    int signal;
    struct sigaction action;
  };
  std::vector<Before> before_;  // empty: another instance is active
};

}  // namespace strata::platforms
