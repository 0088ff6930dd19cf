#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/report/resource_loads.h"

namespace strata::platforms {

/// What limited a run. docs/methods/verdict.md has the rule.
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
  std::string sentence;               ///< what that is, and by how much: "DRAM data buses, 92.0 % busy"
  std::vector<ResourceLoad> ranking;  ///< what has a share, the highest first
  /// What twice as much of helps most, of what there can be more of, and why; empty: nothing is busy for
  /// `half` of the time.
  std::string relief, relief_sentence;
  std::string relief_words;  ///< "wider reply links into SM-side routers"
  /// Of scheduler cycles: issue and each reason for none; empty without SMs.
  struct Part {
    std::string name, sentence;
    double share;
  };
  std::vector<Part> schedulers;
  /// Where accesses spent most: a row of the ledger and its share of their latency.
  std::string longest, longest_sentence;
  double longest_share = 0;
  /// Few SMs that have work at the end: EpochSeries::tail(). Empty: more have, or it is not known.
  std::string tail;
  /// What reliefs gave when they were tried: the best, and behind it `relief` where that is another.
  struct Measure {
    std::string name, words;     ///< "l1.lines", "more L1 capacity"
    double faster = 0;           ///< 0.1 is 10 % more work in the same time
    std::optional<double> half;  ///< of the 95 % interval
  };
  std::vector<Measure> measured;
};

std::string_view to_text(Verdict::Rule rule);
Verdict judge(const RunCounts& run);

/// Of schedulers: `issue` and the reasons for none, as stats.json names them, with what SMs do then.
std::vector<std::pair<std::string_view, std::string_view>> scheduler_states();

/// SMs of the machine that the dispatcher gives CTAs to.
int sms_of(const ResolvedNetlist& netlist);

/// "wider reply links into SM-side routers"
std::string relief_words(const ResourceLoad& load);

/// At most eight lines for the end of a run, a word in front of each. Internal names stand in brackets.
std::string verdict_text(const Verdict& verdict);

}  // namespace strata::platforms
