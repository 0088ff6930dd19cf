#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/report/resource_loads.h"

namespace strata::platforms {

/// What limited a run. docs/methods/verdict.md defines the rule.
struct Verdict {
  enum class Rule {
    full,  ///< a resource was busy for `full_share` of the time or more
    idle,  ///< schedulers had no instruction for a reason that is not memory
    room,  ///< the entries of a resource were taken, and nothing behind it was busy
    wait,  ///< a resource was busy for `half` of the time or more, or accesses waited for half of their time
    size,  ///< misses that twice the capacity would avoid
    latency,  ///< nothing was busy
    nothing,  ///< nothing ran
  };
  static constexpr double full_share = 0.7;
  static constexpr double half = 0.5;
  static constexpr double some = 0.05;  ///< share of the time above which more of a resource is worth having

  Rule rule = Rule::nothing;
  std::string limit = "nothing";      ///< "mc.bus", "no_warp", "noc.request_queue", "latency"
  std::string sentence;               ///< its meaning and amount: "DRAM data buses, 92.0 % busy"
  std::vector<ResourceLoad> ranking;  ///< resources with a share, the highest first
  /// The resource whose doubling helps most, among those that can be increased, and why; empty: nothing is
  /// busy for `half` of the time.
  std::string relief, relief_sentence;
  std::string relief_words;  ///< "wider reply links into SM-side routers"
  std::string advice;        ///< where `relief` is empty: what helps instead, and its parameter or resource
  /// Shares of scheduler cycles: issue, and each reason for no issue; empty without SMs.
  struct Part {
    std::string name, sentence;
    double share;
  };
  std::vector<Part> schedulers;
  /// Where accesses spent most time: a row of the ledger and its share of their latency.
  std::string longest, longest_sentence;
  double longest_share = 0;
  /// Few SMs have work at the end: EpochSeries::tail(). Empty: more have, or it is unknown.
  std::string tail;
  /// Measured gains of relaxations: the best, and then `relief` if that is another one.
  struct Measure {
    std::string name, words;     ///< "l1.lines", "more L1 capacity"
    double faster = 0;           ///< 0.1 is 10 % more work in the same time
    std::optional<double> half;  ///< half of the 95 % interval
  };
  std::vector<Measure> measured;
};

std::string_view to_text(Verdict::Rule rule);
Verdict judge(const RunCounts& run);

/// States of schedulers: `issue` and the reasons for no issue, by their names in stats.json, with what SMs do
/// then.
std::vector<std::pair<std::string_view, std::string_view>> scheduler_states();

/// SMs to which the dispatcher gives CTAs.
int sms_of(const ResolvedNetlist& netlist);

/// "wider reply links into SM-side routers"
std::string relief_words(const ResourceLoad& load);

/// At most eight lines for the end of a run, each after a keyword. Internal names are in brackets.
std::string verdict_text(const Verdict& verdict);

}  // namespace strata::platforms
