#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tb/machines/draw.h"
#include "tb/support/child.h"

namespace strata::tb {

enum class Verdict { clean, refused, failed };

/// What a case came to.
struct Trial {
  Verdict verdict = Verdict::clean;
  std::string
      what;  ///< failed: the kind of failure, without what differs from case to case; refused: the message
  std::string text;  ///< failed: what the program said
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;
  int runs = 0;
};

/// How cases are run.
struct TrialOptions {
  std::string program;
  std::string folder;  ///< a folder of its own for each thread; results go below it
  Limits limits;
};

/// Runs the machine, and then the same once more in another way, which must not matter: from its own
/// config.yaml, with another --epoch and with --check-protocol. `number` decides on the details.
Trial try_machine(const Machine& machine, std::uint64_t number, const TrialOptions& options);

/// When the program refuses a setting and proposes another value, the proposal must be good: takes it over
/// and returns true; false when nothing is proposed for anything that the machine sets.
bool take_proposal(Machine& machine, const std::string& message, std::string& key);

/// True when a machine still fails in the same way.
using StillFails = std::function<bool(const Machine&)>;

/// Leaves out what is not needed and makes the rest small, as long as it still fails; tries at most `tries`
/// machines.
Machine shrink(Machine machine, const StillFails& still_fails, int tries);

}  // namespace strata::tb
