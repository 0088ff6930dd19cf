#pragma once

#include <array>
#include <string>
#include <vector>

namespace strata::platforms {

/// What a run is judged by when its timing is compared with another's.
struct TimingFigures {
  double cycles = 0;
  double rate = 0;  ///< IPC; line accesses per cycle where there are no instructions
  double latency = 0;
  double latency_95 = 0;  ///< from a histogram with powers of two, within its bucket by proportion
  double l1_hits = 0;     ///< rates, 0 to 1
  double llc_hits = 0;
  double round_trips = 0;
  double cpu_seconds = 0;
};

/// Of the results in a directory. Throws ConfigError when there are none.
TimingFigures read_timing_figures(const std::string& directory);

/// Cycles of a mean load by cause, where the results in two directories differ by a tenth of a cycle at
/// least.
std::string ledger_difference(const std::string& at_directory, const std::string& lt_directory);

/// How far lt is from at: percent, and percentage points of the hit rates.
struct TimingErrors {
  enum Column : std::size_t { cycles, rate, latency, latency_95, l1_hits, llc_hits, count };
  static constexpr std::array<const char*, count> names = {"cycles %", "IPC %",      "latency %",
                                                           "p95 %",    "L1 hits pp", "LLC hits pp"};
  std::array<double, count> values{};
};

TimingErrors timing_errors(const TimingFigures& at, const TimingFigures& lt);

/// One workload on one platform, in at and in lt.
struct TimingSample {
  std::string platform;  ///< as in the command, with what else sets the lt run apart
  std::string workload;  ///< trace; empty for random traffic
  double load = 0;       ///< of random traffic
  std::uint64_t seed = 0;
  bool mixed = false;  ///< only a part of the platform is lt
  TimingFigures at, lt;
  std::vector<TimingFigures> at_again;  ///< at with starts of CTAs that differ by a cycle or two

  /// How far the end of at itself moves, percent: the least and the most of `at_again`, and 0.
  double own_least() const;
  double own_most() const;
  /// How far the end of lt lies outside that, percent.
  double beyond_own() const;
  bool traffic() const { return workload.empty(); }
  TimingErrors errors() const { return timing_errors(at, lt); }
};
using TimingSamples = std::vector<TimingSample>;

/// Mean and largest size of the errors of several samples, and what they cost together.
struct TimingSpread {
  std::size_t samples = 0;
  TimingErrors mean, worst;
  double speed = 0;             ///< processor time of at by that of lt
  double trips_per_second = 0;  ///< of lt, per second of processor time
};

TimingSpread spread_of(const TimingSamples& samples);

}  // namespace strata::platforms
