#pragma once

#include <chrono>
#include <cstddef>
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
