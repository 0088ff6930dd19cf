#include "platforms/report/timing_plot.h"

#include "models/common/number_text.h"
#include "platforms/report/panel_plot.h"

namespace strata::platforms {
namespace {

constexpr std::size_t end_panel = 0, latency_panel = 1, speed_panel = 2, trips_panel = 3;

std::vector<Panel> new_panels() {
  const TimingAims& aim = timing_aims;
  return {
      {"size of the error of the end time, %: mean (filled) and worst (open)",
       {},
       {{aim.end_mean, "aim, mean"}, {aim.end_worst, "aim, worst"}}},
      {"size of the error of the mean latency, %: mean (filled) and worst (open)",
       {},
       {{aim.latency_mean, "aim, mean"}, {aim.latency_worst, "aim, worst"}}},
      {"processor time of at by that of lt", {}, {{aim.speed, "aim"}}},
      {"lt: million round trips per second of processor time", {}, {{aim.trips_per_second / 1e6, "aim"}}}};
}

/// Starts curves named `name` in every panel, to be filled with add().
void begin_curve(std::vector<Panel>& panels, const std::string& name) {
  for (Panel& panel : panels) panel.curves.push_back({name, {}, {}});
}

void add(std::vector<Panel>& panels, std::size_t curve, const TimingSpread& spread) {
  const auto error = [&](std::size_t panel, TimingErrors::Column column) {
    panels[panel].curves[curve].values.push_back(spread.mean.values[column]);
    panels[panel].curves[curve].worst.push_back(spread.worst.values[column]);
  };
  error(end_panel, TimingErrors::cycles);
  error(latency_panel, TimingErrors::latency);
  panels[speed_panel].curves[curve].values.push_back(spread.speed);
  panels[trips_panel].curves[curve].values.push_back(spread.trips_per_second / 1e6);
}

}  // namespace

std::string plot_loads(const TimingSamples& samples) {
  std::vector<std::string> ticks;
  for (const double load : loads_of(samples)) ticks.push_back(formatted("%g", load));
  std::vector<Panel> panels = new_panels();
  for (const std::string& platform : platforms_of(samples)) {
    const TimingSamples some = samples_of(samples, platform, true);
    if (some.empty()) continue;
    begin_curve(panels, platform);
    for (const double load : loads_of(samples))
      add(panels, panels[0].curves.size() - 1, spread_of(samples_at(some, load)));
  }
  return plot_panels("lt against at under random traffic", "offered load, accesses per port and cycle", ticks,
                     panels);
}

}  // namespace strata::platforms
