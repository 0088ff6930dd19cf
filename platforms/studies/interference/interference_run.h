#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/engine/session/session.h"
#include "platforms/studies/interference/contention_shares.h"

namespace strata::platforms {

/// The victim in a new simulation without one of its contenders.
struct WithoutContender {
  int contender = 0;
  Cycle cycles = 0;  ///< until the victim ended
  std::uint64_t misses = 0;
  double latency = 0, queues = 0;  ///< core cycles of an access of the victim, and the part spent in queues
};

/// Interference between applications that run side by side, up to the end of one of them, the victim.
struct Interference {
  std::string platform;
  std::vector<std::string> names;
  int victim = 0;
  Cycle cycles = 0;
  ContentionCounts counts;
  std::vector<std::uint64_t> accesses;  ///< lookups of the LLC
  std::vector<double> latency, queues;  ///< core cycles of an access, and the part spent in queues
  ShareMatrix shapley;                  ///< misses by [victim][aggressor]
  std::vector<std::uint64_t> replayed;  ///< misses if all applications are replayed together
  std::uint64_t tracker_bits = 0;
  std::vector<WithoutContender> without;
  bool cut_short = false;  ///< the stream exceeded the limit of recorded lookups

  Shares gdc(int of) const { return gdc_shares(counts, of); }
  Shares plob(int of, bool with_self = false) const { return plob_shares(counts, of, with_self); }
  Shares truth(int of) const { return normalized(shapley[static_cast<std::size_t>(of)]); }
  int size() const { return static_cast<int>(names.size()); }
};

struct InterferenceOptions {
  int victim = 0;                    ///< the run ends when it ends
  std::uint64_t limit = 20'000'000;  ///< lookups recorded for the replay
  bool replay = true;
  SessionOptions session;
};

/// Runs the platform and measures interference. The platform must have a contention_tracker. Throws
/// ConfigError if it cannot tell the applications apart. `outcome` reports any end other than the victim's.
Interference interference_of(Platform& platform, const std::vector<ApplicationRun>& runs,
                             const InterferenceOptions& options, RunOutcome& outcome);

/// Tables for the console: the victim's breakdowns, the matrices, and the runs without each contender.
std::string interference_text(const Interference& found);
/// A line for each victim and aggressor.
std::string interference_csv(const Interference& found);
/// Heat maps of demotions, evictions and Shapley values.
std::string interference_svg(const Interference& found);
/// Input of a run without a contender, or of a study.
std::string interference_json(const Interference& found);
/// Throws ConfigError if Strata did not write the file.
Interference read_interference(const std::string& path);

}  // namespace strata::platforms
