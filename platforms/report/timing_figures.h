#pragma once

#include <array>
#include <string>
#include <vector>

namespace strata::platforms {

/// The figures by which the timing of two runs is compared.
struct TimingFigures {
  double cycles = 0;
  double rate = 0;  ///< IPC; line accesses per cycle if there are no instructions
  double latency = 0;
  double latency_95 = 0;  ///< from a histogram with powers of two, interpolated within the bucket
  double l1_hits = 0;     ///< rates, 0 to 1
  double llc_hits = 0;
  double round_trips = 0;
  double cpu_seconds = 0;
};

/// Reads the results in a directory. Throws ConfigError if there are none.
TimingFigures read_timing_figures(const std::string& directory);

/// Cycles of a mean load by cause, for causes in which the results in two directories differ by at least a
/// tenth of a cycle.
std::string ledger_difference(const std::string& at_directory, const std::string& lt_directory);

/// Error of lt relative to at: percent, and percentage points for hit rates.
struct TimingErrors {
  enum Column : std::size_t { cycles, rate, latency, latency_95, l1_hits, llc_hits, count };
  static constexpr std::array<const char*, count> names = {"cycles %", "IPC %",      "latency %",
                                                           "p95 %",    "L1 hits pp", "LLC hits pp"};
  std::array<double, count> values{};
};

TimingErrors timing_errors(const TimingFigures& at, const TimingFigures& lt);

/// One workload on one platform, in at and in lt.
struct TimingSample {
  std::string platform;  ///< as in the command, plus further settings of the lt run
  std::string workload;  ///< trace; empty for random traffic
  double load = 0;       ///< load of random traffic
  std::uint64_t seed = 0;
  bool mixed = false;  ///< only part of the platform is lt
  TimingFigures at, lt;
  std::vector<TimingFigures> at_again;  ///< at runs whose CTAs start a cycle or two apart

  /// Variation of the end time of at itself, percent: the smallest and the largest of `at_again` and 0.
  double own_least() const;
  double own_most() const;
  /// Distance of the end time of lt from that range, percent.
  double beyond_own() const;
  bool traffic() const { return workload.empty(); }
  TimingErrors errors() const { return timing_errors(at, lt); }
};
using TimingSamples = std::vector<TimingSample>;

/// Mean and largest error of several samples, and their total cost.
struct TimingSpread {
  std::size_t samples = 0;
  TimingErrors mean, worst;
  double speed = 0;             ///< processor time of at over that of lt
  double trips_per_second = 0;  ///< of lt, per second of processor time
};

TimingSpread spread_of(const TimingSamples& samples);

}  // namespace strata::platforms
