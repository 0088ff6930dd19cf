#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/interference/contention_shares.h"
#include "platforms/session/session.h"

namespace strata::platforms {

/// How the victim fares without one of its contenders, simulated anew.
struct WithoutContender {
  int contender = 0;
  Cycle cycles = 0;  ///< until the victim has ended
  std::uint64_t misses = 0;
  double latency = 0, queues = 0;  ///< core cycles of an access of the victim, and of these in queues
};

/// Who hurts whom of the applications that run side by side, until one of them, the victim, has ended.
struct Interference {
  std::string platform;
  std::vector<std::string> names;
  int victim = 0;
  Cycle cycles = 0;
  ContentionCounts counts;
  std::vector<std::uint64_t> accesses;  ///< lookups of the LLC
  std::vector<double> latency, queues;  ///< core cycles of an access, and of these in queues
  ShareMatrix shapley;                  ///< misses by [victim][aggressor]
  std::vector<std::uint64_t> replayed;  ///< misses of the replay of all
  std::uint64_t tracker_bits = 0;
  std::vector<WithoutContender> without;
  bool cut_short = false;  ///< the stream was longer than what is kept

  Shares gdc(int of) const { return gdc_shares(counts, of); }
  Shares plob(int of, bool with_self = false) const { return plob_shares(counts, of, with_self); }
  Shares truth(int of) const { return normalized(shapley[static_cast<std::size_t>(of)]); }
  int size() const { return static_cast<int>(names.size()); }
};

struct InterferenceOptions {
  int victim = 0;                    ///< whose end ends the run
  std::uint64_t limit = 20'000'000;  ///< lookups that are kept for the replay
  bool replay = true;
  SessionOptions session;
};

/// Runs and looks. The platform must have a contention_tracker. Throws ConfigError for what it cannot tell
/// apart. An outcome other than the victim's end is told in `outcome`.
Interference interference_of(Platform& platform, const std::vector<ApplicationRun>& runs,
                             const InterferenceOptions& options, RunOutcome& outcome);

}  // namespace strata::platforms
