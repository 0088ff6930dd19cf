#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platforms/report/resource_loads.h"

namespace strata::platforms {

/// What limited a run. docs/verdict.md has the rule.
struct Verdict {
  enum class Rule {
    full,     ///< a resource was busy for `full_share` of the time or more
    idle,     ///< schedulers had no instruction for a reason that is not memory
    room,     ///< the places of a resource were taken, and nothing behind it was busy
    wait,     ///< a resource was busy for `half` of the time or more, or accesses waited for half of theirs
    size,     ///< misses that twice the capacity would spare
    latency,  ///< nothing was busy
    nothing,  ///< nothing ran
  };
  static constexpr double full_share = 0.7;
  static constexpr double half = 0.5;
  static constexpr double some = 0.05;  ///< of the time: what it is worth to have more of

  Rule rule = Rule::nothing;
  std::string limit = "nothing";      ///< "mc.bus", "no_warp", "noc.request_queue", "latency"
  std::string sentence;               ///< what that is, and by how much
  std::vector<ResourceLoad> ranking;  ///< what has a share, the highest first
  /// What twice as much of helps most, of what there can be more of, and why; empty: nothing is busy for
  /// `half` of the time.
  std::string relief, relief_sentence;
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
