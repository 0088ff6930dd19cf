#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::tb {

/// What a process may use before it is ended.
struct Limits {
  double cpu_seconds = 30;
  double wall_seconds = 600;       ///< large: the machine may be busy
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

}  // namespace strata::tb
