#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace strata::tb {

/// What a process may use before it is ended.
struct Limits {
  double cpu_seconds = 30;
  double wall_seconds = 600;       ///< large: the machine may be busy; 0: no limit
  std::uint64_t memory_bytes = 0;  ///< of addresses; 0: no limit, which AddressSanitizer needs
};

/// How a process ended.
struct Ending {
  int exit_code = -1;  ///< -1: a signal ended it
  int signal = 0;
  bool out_of_time = false;
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;
  std::string out, err;  ///< what it wrote, cut after some hundred KB
};

/// Runs `words` (the first is the program) with its output in files of `folder`. Throws std::runtime_error
/// when it cannot be started.
Ending run_child(const std::vector<std::string>& words, const std::string& folder, const Limits& limits);

/// What a piece of work says, line by line; a line may hold any text.
using Say = std::function<void(const std::string& line)>;

/// How work in a process of its own ended.
struct WorkEnding {
  std::vector<std::string> said;
  std::string
      broke;  ///< empty: it came to its end; else "ended by the signal ...", "took more than 20 s ..."
};

/// Does `work` in a process of its own, forked from this one: SystemC elaborates once in a process, and a
/// module under test may do anything. What it writes to stdout and stderr is part of `broke`.
WorkEnding in_child(const std::function<void(const Say&)>& work, unsigned cpu_seconds = 20);

}  // namespace strata::tb
