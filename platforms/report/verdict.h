#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platforms/report/resource_loads.h"

namespace strata::platforms {

/// What limited a run. docs/verdict.md has the rule.
struct Verdict {
  enum class Rule {
    full,     ///< a resource was used at `full_share` of its peak or more
    idle,     ///< schedulers had no instruction for a reason that is not memory
    room,     ///< the places of a resource were taken
    wait,     ///< accesses waited for a resource that is not full
    latency,  ///< nothing was full and nothing waited
    nothing,  ///< nothing ran
  };
  static constexpr double full_share = 0.7;
  static constexpr double half = 0.5;   ///< of the latency: waiting
  static constexpr double some = 0.05;  ///< of the waiting: at one place for one cause

  Rule rule = Rule::nothing;
  std::string limit = "nothing";      ///< "mc.bus", "no_warp", "noc.request_queue", "latency"
  std::string sentence;               ///< what that is, and by how much
  std::vector<ResourceLoad> ranking;  ///< what has a share, the highest first
  /// Of scheduler cycles: issue and each reason for none; empty without SMs.
  struct Part {
    std::string name, sentence;
    double share;
  };
  std::vector<Part> schedulers;
  /// Where accesses spent most: a row of the ledger and its share of their latency.
  std::string longest, longest_sentence;
  double longest_share = 0;
};

std::string_view to_text(Verdict::Rule rule);
Verdict judge(const RunCounts& run);

/// At most six lines for the end of a run.
std::string verdict_text(const Verdict& verdict);

}  // namespace strata::platforms
