#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/common/units.h"

namespace strata::platforms {

/// A kernel in a run's results, with the decisions of the LLC while it ran.
struct KernelHistory {
  std::size_t kernel = 0;
  std::string name;
  Cycle began = 0, ended = 0;
  bool complete = true;       ///< false: the run's limit cut it off
  Cycle decided = 0;          ///< cycles from the kernel's first decision to its end; 0 = no decision
  Cycle decided_private = 0;  ///< of these: under a decision for private
  Cycle cycles() const { return ended - began; }
};

/// Times of the kernels of a run; empty if the results do not have them (kernels.csv).
std::vector<KernelHistory> read_history(const std::string& directory);

/// Decisions of a run by the number of copies chosen (llc_choices.csv).
std::map<std::uint64_t, std::size_t> read_degrees(const std::string& directory);

}  // namespace strata::platforms
