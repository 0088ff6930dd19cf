#pragma once

#include <string>

#include "platforms/report/timing_figures.h"

namespace strata::platforms {

/// Goals for the accuracy and speed of lt (docs/methods/lt.md shows the measured values).
struct TimingAims {
  double end_mean = 3, end_worst = 8;           ///< percent: end time and rate
  double latency_mean = 8, latency_worst = 20;  ///< percent
  double llc_hits = 1;                          ///< points
  double speed = 3, trips_per_second = 3e6;     ///< at loads of `busy_load` or more
  double mixed_end = 3, mixed_speed = 1;
  double busy_load = 0.15;
};
inline constexpr TimingAims timing_aims;

/// For the console: one line per trace with its errors and the speed ratio, and mean and worst of all.
std::string timing_table(const TimingSamples& samples);

/// Markdown: each goal beside the measured value over all samples.
std::string timing_verdicts(const TimingSamples& samples);
/// Markdown: a table of the traces of each platform, and a table of its loads.
std::string timing_tables(const TimingSamples& samples);
/// All figures, one line per sample.
std::string timing_csv(const TimingSamples& samples);

/// The samples of a platform: its traces or its random traffic.
TimingSamples samples_of(const TimingSamples& samples, const std::string& platform, bool traffic);
/// The samples of random traffic at one load.
TimingSamples samples_at(const TimingSamples& samples, double load);
/// In the order of their first samples.
std::vector<std::string> platforms_of(const TimingSamples& samples);
std::vector<double> loads_of(const TimingSamples& samples);

}  // namespace strata::platforms
