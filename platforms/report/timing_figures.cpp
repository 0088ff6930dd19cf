#include "platforms/report/timing_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "platforms/report/results_reader.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

constexpr double least_seconds = 1e-6;  // the clock of processor time has a resolution of microseconds

/// A figure of the summary; 0 if it has no value.
double figure(const Json& stats, const char* name) {
  const Json value = stats["summary"].value(name, Json());
  return value.is_number() ? value.get<double>() : 0.0;
}

double percentile_95(const Json& stats) {
  std::vector<double> buckets;
  double samples = 0;
  for (const auto& group : stats.at("ledger").items()) {
    const Json& counts = group.value().at("latency_histogram").at("buckets");
    buckets.resize(std::max(buckets.size(), counts.size()));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      buckets[i] += counts[i].get<double>();
      samples += counts[i].get<double>();
    }
  }
  double left = 0.95 * samples;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (left <= buckets[i] && buckets[i] > 0) {
      const double low = i == 0 ? 0.0 : std::ldexp(1.0, static_cast<int>(i) - 1);
      return low + low * left / buckets[i];
    }
    left -= buckets[i];
  }
  return 0.0;
}

double percent_above(double lt, double at) {
  return at == 0.0 ? 0.0 : 100.0 * (lt / at - 1.0);
}

}  // namespace

std::string ledger_difference(const std::string& at_directory, const std::string& lt_directory) {
  const Json at = read_results(at_directory);
  const Json lt = read_results(lt_directory);
  const Json& ours = at.at("ledger").at("loads");
  const Json& theirs = lt.at("ledger").at("loads");
  const double accesses = std::max(ours.at("accesses").get<double>(), 1.0);
  const double others = std::max(theirs.at("accesses").get<double>(), 1.0);
  std::string text = "\ncycles of a load              at          lt  difference\n";
  Json rows = ours.at("cycles");
  for (const auto& row : theirs.at("cycles").items())
    if (!rows.contains(row.key())) rows[row.key()] = 0;
  for (const auto& cause : rows.items()) {
    const double a = cause.value().get<double>() / accesses;
    const double b = theirs.at("cycles").value(cause.key(), 0.0) / others;
    if (std::abs(a - b) < 0.1) continue;
    char row[128];
    std::snprintf(row, sizeof row, "%-20s%12.1f%12.1f%+12.1f\n", cause.key().c_str(), a, b, b - a);
    text += row;
  }
  return text;
}

TimingFigures read_timing_figures(const std::string& directory) {
  const Json stats = read_results(directory);
  TimingFigures figures;
  figures.cycles = required_figure(stats, directory, "cycles");
  figures.rate =
      figure(stats, "thread_instructions") != 0 ? figure(stats, "ipc") : figure(stats, "line_access_rate");
  figures.latency = figure(stats, "mean_latency");
  figures.latency_95 = percentile_95(stats);
  figures.l1_hits = figure(stats, "l1_hit_rate");
  figures.llc_hits = figure(stats, "llc_hit_rate");
  figures.round_trips = figure(stats, "round_trips");
  figures.cpu_seconds = std::max(figure(stats, "cpu_seconds"), least_seconds);
  return figures;
}

TimingErrors timing_errors(const TimingFigures& at, const TimingFigures& lt) {
  return {{percent_above(lt.cycles, at.cycles), percent_above(lt.rate, at.rate),
           percent_above(lt.latency, at.latency), percent_above(lt.latency_95, at.latency_95),
           100.0 * (lt.l1_hits - at.l1_hits), 100.0 * (lt.llc_hits - at.llc_hits)}};
}

double TimingSample::own_least() const {
  double least = 0;
  for (const TimingFigures& again : at_again)
    least = std::min(least, timing_errors(at, again).values[TimingErrors::cycles]);
  return least;
}

double TimingSample::own_most() const {
  double most = 0;
  for (const TimingFigures& again : at_again)
    most = std::max(most, timing_errors(at, again).values[TimingErrors::cycles]);
  return most;
}

double TimingSample::beyond_own() const {
  const double off = errors().values[TimingErrors::cycles];
  return std::max({off - own_most(), own_least() - off, 0.0});
}

TimingSpread spread_of(const TimingSamples& samples) {
  TimingSpread spread;
  spread.samples = samples.size();
  double at = 0, lt = 0, trips = 0;
  for (const TimingSample& sample : samples) {
    const TimingErrors errors = sample.errors();
    for (std::size_t i = 0; i < TimingErrors::count; ++i) {
      const double size = std::abs(errors.values[i]);
      spread.mean.values[i] += size / static_cast<double>(samples.size());
      spread.worst.values[i] = std::max(spread.worst.values[i], size);
    }
    at += sample.at.cpu_seconds;
    lt += sample.lt.cpu_seconds;
    trips += sample.lt.round_trips;
  }
  if (lt > 0) spread.speed = at / lt;
  if (lt > 0) spread.trips_per_second = trips / lt;
  return spread;
}

}  // namespace strata::platforms
