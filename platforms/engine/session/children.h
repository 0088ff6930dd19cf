#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <sys/types.h>
#include <vector>

#include "platforms/engine/session/child_run.h"

namespace strata::platforms {

/// Processes of the program that run side by side. The destructor ends them.
class Children {
 public:
  struct Ended {
    std::size_t number;
    int status;  ///< status of waitpid
    double seconds;
  };

  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() { end_all(); }

  /// `number` identifies the process. Throws ConfigError if it cannot be started.
  void start(const ChildRun& run, std::size_t number);
  std::size_t size() const { return running_.size(); }
  /// The processes that have ended. Waits for the first, but at most a fifth of a second, and not beyond a
  /// signal.
  std::vector<Ended> wait();
  /// Kills them: a partial run is of no use.
  void end_all();

 private:
  struct Running {
    pid_t pid;
    int watch;  // readable when it has ended; -1 if the kernel does not support it
    std::size_t number;
    std::chrono::steady_clock::time_point began;
  };
  void sleep() const;

  std::vector<Running> running_;
};

/// Runs all of them, `jobs` at a time, and calls `done` with the number of each that has succeeded. It calls
/// `go_on` several times a second; false ends the running ones. Throws ConfigError if a run fails, with the
/// last line of its output; the others end then.
void run_children(const std::vector<ChildRun>& runs, std::size_t jobs,
                  const std::function<void(std::size_t)>& done = {}, const std::function<bool()>& go_on = {});

/// The last non-empty line of a text file.
std::string last_line(const std::string& path);

}  // namespace strata::platforms
