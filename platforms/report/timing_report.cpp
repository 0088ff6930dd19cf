#include "platforms/report/timing_report.h"

#include <algorithm>
#include <cstdio>

#include "models/common/number_text.h"

namespace strata::platforms {
namespace {

std::string cell(double value, bool sign) {
  return formatted(sign ? "%+12.1f" : "%12.2f", value);
}

std::string line(const std::string& name, const TimingErrors& errors, double speed, bool sign,
                 std::size_t width) {
  std::string text = name + std::string(width - name.size(), ' ');
  for (const double value : errors.values) text += cell(value, sign);
  return text + cell(speed, false) + "\n";
}

template <class Keep>
TimingSamples filtered(const TimingSamples& samples, Keep keep) {
  TimingSamples kept;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(kept), keep);
  return kept;
}

template <class Value>
void add_new(std::vector<Value>& values, const Value& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

double speed_of(const TimingSample& sample) {
  return sample.at.cpu_seconds / sample.lt.cpu_seconds;
}

double trips_of(const TimingSample& sample) {
  return sample.lt.round_trips / sample.lt.cpu_seconds;
}

/// Markdown cells of errors: signed, or absolute.
std::string cells(const TimingErrors& errors, bool sign) {
  std::string text;
  for (const double value : errors.values) text += formatted(sign ? " %+.1f |" : " %.2f |", value);
  return text;
}

std::string verdict(const std::string& what, const std::string& aim, bool met, const std::string& measured) {
  return "| " + what + " | " + aim + " | " + (met ? "reached" : "**missed**") + " | " + measured + " |\n";
}

// Of end time and rate, the one with the larger error.
double end_mean(const TimingSpread& s) {
  return std::max(s.mean.values[TimingErrors::cycles], s.mean.values[TimingErrors::rate]);
}
double end_worst(const TimingSpread& s) {
  return std::max(s.worst.values[TimingErrors::cycles], s.worst.values[TimingErrors::rate]);
}

std::string accuracy_verdicts(const std::string& what, const TimingSpread& s) {
  if (s.samples == 0) return {};
  const TimingAims& aim = timing_aims;
  const double latency = s.mean.values[TimingErrors::latency];
  const double latency_worst = s.worst.values[TimingErrors::latency];
  const double hits = s.mean.values[TimingErrors::llc_hits];
  return verdict("end time and IPC, mean error, " + what, formatted("%.0f %%", aim.end_mean),
                 end_mean(s) <= aim.end_mean, formatted("%.1f %%", end_mean(s))) +
         verdict("end time and IPC, worst error, " + what, formatted("%.0f %%", aim.end_worst),
                 end_worst(s) <= aim.end_worst, formatted("%.1f %%", end_worst(s))) +
         verdict("mean latency, mean error, " + what, formatted("%.0f %%", aim.latency_mean),
                 latency <= aim.latency_mean, formatted("%.1f %%", latency)) +
         verdict("mean latency, worst error, " + what, formatted("%.0f %%", aim.latency_worst),
                 latency_worst <= aim.latency_worst, formatted("%.1f %%", latency_worst)) +
         verdict("LLC hit rate, " + what, formatted("%.0f point", aim.llc_hits),
                 s.worst.values[TimingErrors::llc_hits] <= aim.llc_hits,
                 formatted("%.1f points in the mean, ", hits) +
                     formatted("%.1f at worst", s.worst.values[TimingErrors::llc_hits]));
}

TimingSamples at_again_of(const TimingSamples& samples) {
  return filtered(samples, [](const TimingSample& s) { return !s.at_again.empty(); });
}

/// In some traces small shifts make large differences, in at as well: shows what lt adds to them.
std::string own_verdicts(const TimingSamples& samples) {
  if (samples.empty()) return {};
  double worst = 0;
  std::size_t within = 0;
  for (const TimingSample& sample : samples) {
    worst = std::max(worst, sample.beyond_own());
    if (sample.beyond_own() == 0) ++within;
  }
  return verdict("end time beyond what starts of CTAs 2 cycles apart do to at, traces",
                 formatted("%.0f %%", timing_aims.end_worst), worst <= timing_aims.end_worst,
                 formatted("%.1f %% at worst; ", worst) + std::to_string(within) + " of " +
                     std::to_string(samples.size()) + " within it");
}

/// Each load of each platform separately: seeds of equal length may be summed.
std::string speed_verdicts(const TimingSamples& busy) {
  if (busy.empty()) return {};
  double slowest = 1e9, fewest = 1e12;
  for (const std::string& platform : platforms_of(busy))
    for (const double load : loads_of(samples_of(busy, platform, true))) {
      const TimingSpread s = spread_of(samples_at(samples_of(busy, platform, true), load));
      slowest = std::min(slowest, s.speed);
      fewest = std::min(fewest, s.trips_per_second);
    }
  const TimingSpread all = spread_of(busy);
  const std::string where = formatted(", loads from %.2f on", timing_aims.busy_load);
  return verdict("speed against at" + where, formatted("%.0f times", timing_aims.speed),
                 slowest >= timing_aims.speed,
                 formatted("%.2f times in all, ", all.speed) + formatted("%.2f at least", slowest)) +
         verdict("round trips per second of processor time" + where,
                 formatted("%.0f M", timing_aims.trips_per_second / 1e6),
                 fewest >= timing_aims.trips_per_second,
                 formatted("%.2f M in all, ", all.trips_per_second / 1e6) +
                     formatted("%.2f M at least", fewest / 1e6));
}

std::string mixed_verdicts(const TimingSamples& mixed) {
  if (mixed.empty()) return {};
  const TimingSpread s = spread_of(mixed);
  return verdict(
             "a part in lt: end time and IPC, worst error", formatted("%.0f %%", timing_aims.mixed_end),
             end_worst(s) <= timing_aims.mixed_end,
             formatted("%.1f %% in the mean, ", end_mean(s)) + formatted("%.1f %% at worst", end_worst(s))) +
         verdict("a part in lt: speed against at", formatted("%.0f times", timing_aims.mixed_speed),
                 s.speed >= timing_aims.mixed_speed, formatted("%.2f times", s.speed));
}

std::string trace_table(const TimingSamples& samples) {
  const bool own = !at_again_of(samples).empty();
  std::string text =
      "| trace | cycles % | IPC % | mean latency % | p95 % | L1 hits, points | LLC hits, points | speed "
      "ratio | lt, M round trips/s |" +
      std::string(own ? " at itself, cycles % |" : "") +
      "\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |" + (own ? " ---: |\n" : "\n");
  double slowest = 1e9, fewest = 1e12;
  for (const TimingSample& sample : samples) {
    slowest = std::min(slowest, speed_of(sample));
    fewest = std::min(fewest, trips_of(sample));
    text += "| " + sample.workload + " |" + cells(sample.errors(), true) +
            formatted(" %.2f |", speed_of(sample)) + formatted(" %.2f |", trips_of(sample) / 1e6);
    if (own) text += formatted(" %+.1f", sample.own_least()) + formatted(" to %+.1f |", sample.own_most());
    text += "\n";
  }
  const TimingSpread s = spread_of(samples);
  const std::string end = own ? " |\n" : "\n";
  return text + "| mean size |" + cells(s.mean, false) + formatted(" %.2f |", s.speed) +
         formatted(" %.2f |", s.trips_per_second / 1e6) + end + "| worst |" + cells(s.worst, false) +
         formatted(" %.2f |", slowest) + formatted(" %.2f |", fewest / 1e6) + end;
}

/// `mean / worst`
std::string pair(const TimingSpread& s, TimingErrors::Column column) {
  return formatted(" %.1f", s.mean.values[column]) + formatted(" / %.1f |", s.worst.values[column]);
}

std::string load_cells(const TimingSpread& s) {
  return pair(s, TimingErrors::cycles) + pair(s, TimingErrors::latency) + pair(s, TimingErrors::latency_95) +
         pair(s, TimingErrors::l1_hits) + pair(s, TimingErrors::llc_hits) + formatted(" %.2f |", s.speed) +
         formatted(" %.2f |\n", s.trips_per_second / 1e6);
}

std::string load_table(const TimingSamples& samples) {
  std::string text =
      "Mean / worst size of the errors of all seeds.\n\n"
      "| load | cycles % | mean latency % | p95 % | L1 hits, points | LLC hits, points | speed ratio | lt, M "
      "round "
      "trips/s |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const double load : loads_of(samples))
    text += formatted("| %.2f |", load) + load_cells(spread_of(samples_at(samples, load)));
  return text + "| all |" + load_cells(spread_of(samples));
}

}  // namespace

std::string timing_table(const TimingSamples& samples) {
  std::size_t width = 15;
  for (const TimingSample& sample : samples) width = std::max(width, sample.workload.size() + 2);
  std::string text = "lt against at" + std::string(width - 13, ' ');
  for (const char* name : TimingErrors::names) text += std::string(12 - std::string(name).size(), ' ') + name;
  text += "       speed\n";
  double slowest = 0;
  for (const TimingSample& sample : samples) {
    const double speed = sample.at.cpu_seconds / sample.lt.cpu_seconds;
    slowest = &sample == &samples.front() ? speed : std::min(slowest, speed);
    text += line(sample.workload, sample.errors(), speed, true, width);
  }
  if (samples.size() == 1) return text;
  const TimingSpread spread = spread_of(samples);
  return text + line("mean size", spread.mean, spread.speed, false, width) +
         line("worst", spread.worst, slowest, false, width);
}

TimingSamples samples_of(const TimingSamples& samples, const std::string& platform, bool traffic) {
  return filtered(samples,
                  [&](const TimingSample& s) { return s.platform == platform && s.traffic() == traffic; });
}

TimingSamples samples_at(const TimingSamples& samples, double load) {
  return filtered(samples, [&](const TimingSample& s) { return s.traffic() && s.load == load; });
}

std::vector<std::string> platforms_of(const TimingSamples& samples) {
  std::vector<std::string> names;
  for (const TimingSample& sample : samples) add_new(names, sample.platform);
  return names;
}

std::vector<double> loads_of(const TimingSamples& samples) {
  std::vector<double> loads;
  for (const TimingSample& sample : samples)
    if (sample.traffic()) add_new(loads, sample.load);
  return loads;
}

std::string timing_verdicts(const TimingSamples& samples) {
  const auto all_lt = [&](bool traffic) {
    return filtered(samples, [&](const TimingSample& s) { return !s.mixed && s.traffic() == traffic; });
  };
  const TimingSamples busy = filtered(samples, [](const TimingSample& s) {
    return !s.mixed && s.traffic() && s.load >= timing_aims.busy_load;
  });
  return "| what | aim | | measured |\n| --- | --- | --- | --- |\n" +
         accuracy_verdicts("traces", spread_of(all_lt(false))) + own_verdicts(at_again_of(all_lt(false))) +
         accuracy_verdicts("random traffic", spread_of(all_lt(true))) + speed_verdicts(busy) +
         mixed_verdicts(filtered(samples, [](const TimingSample& s) { return s.mixed; }));
}

std::string timing_tables(const TimingSamples& samples) {
  std::string text;
  for (const std::string& platform : platforms_of(samples))
    for (const bool traffic : {false, true}) {
      const TimingSamples some = samples_of(samples, platform, traffic);
      if (some.empty()) continue;
      text += (text.empty() ? "## " : "\n## ") + platform + "\n\n" +
              (traffic ? load_table(some) : trace_table(some));
    }
  return text;
}

std::string timing_csv(const TimingSamples& samples) {
  std::string text =
      "platform,workload,load,seed,timing,cycles,rate,latency,latency_95,l1_hits,llc_hits,"
      "round_trips,cpu_seconds,at_itself_least,at_itself_most\n";
  for (const TimingSample& sample : samples)
    for (const bool lt : {false, true}) {
      const TimingFigures& f = lt ? sample.lt : sample.at;
      char line[256];
      std::snprintf(line, sizeof line, ",%g,%llu,%s,%.0f,%.6g,%.6g,%.6g,%.6f,%.6f,%.0f,%.6f,%.3f,%.3f\n",
                    sample.load, static_cast<unsigned long long>(sample.seed), lt ? "lt" : "at", f.cycles,
                    f.rate, f.latency, f.latency_95, f.l1_hits, f.llc_hits, f.round_trips, f.cpu_seconds,
                    sample.own_least(), sample.own_most());
      text += "\"" + sample.platform + "\"," + (sample.traffic() ? "traffic" : sample.workload) + line;
    }
  return text;
}

}  // namespace strata::platforms
