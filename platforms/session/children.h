#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <sys/types.h>
#include <vector>

#include "platforms/session/child_run.h"

namespace strata::platforms {

/// Processes of the program that run side by side. They end with this object.
class Children {
 public:
  struct Ended {
    std::size_t number;
    int status;  ///< as of waitpid
    double seconds;
  };

  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() { end_all(); }

  /// `number` tells it from the others. Throws ConfigError when it cannot be started.
  void start(const ChildRun& run, std::size_t number);
  std::size_t size() const { return running_.size(); }
  /// Those that have ended. Waits for the first, but not longer than a fifth of a second, nor past a signal.
  std::vector<Ended> wait();
  /// At once: nobody reads half a run.
  void end_all();

 private:
  struct Running {
    pid_t pid;
    int watch;  // readable when it has ended; -1 where the kernel has no such thing
    std::size_t number;
    std::chrono::steady_clock::time_point began;
  };
  void sleep() const;

  std::vector<Running> running_;
};

/// Runs all of them, `jobs` at a time, and calls `done` with the number of each as soon as it has ended well.
/// `go_on` is asked several times a second; false ends all that still run. Throws ConfigError when a run
/// fails, with its last words; the others end then.
void run_children(const std::vector<ChildRun>& runs, std::size_t jobs,
                  const std::function<void(std::size_t)>& done = {}, const std::function<bool()>& go_on = {});

/// The last line of a text file that is not empty.
std::string last_line(const std::string& path);

}  // namespace strata::platforms
