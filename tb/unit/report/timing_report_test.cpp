// Errors of lt against at: figures, tables and plots, from numbers worked out by hand.
#include "platforms/report/timing_report.h"

#include "models/common/faults.h"
#include "platforms/report/timing_plot.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

using namespace strata;
using namespace strata::platforms;
using strata::tb::has_text;

namespace {

/// at: 100 cycles, rate 2, latency 50, p95 80, hit rates 0.5 and 0.25, 2 s; lt by factors.
TimingSample sample(const std::string& platform, double load, std::uint64_t seed, double cycles,
                    double latency, double seconds) {
  TimingSample s;
  s.platform = platform;
  s.workload = load == 0 ? "chase" : "";
  s.load = load;
  s.seed = seed;
  s.at = {100, 2, 50, 80, 0.5, 0.25, 1e6, 2};
  s.lt = {100 * cycles, 2 / cycles, 50 * latency, 80, 0.5, 0.26, 1e6, seconds};
  return s;
}

}  // namespace

TEST_CASE("errors are relative to at, those of hit rates in points") {
  const TimingErrors errors = sample("p", 0, 0, 1.1, 0.8, 1).errors();
  CHECK(errors.values[TimingErrors::cycles] == Approx(10));
  CHECK(errors.values[TimingErrors::rate] == Approx(-100 / 11.0));
  CHECK(errors.values[TimingErrors::latency] == Approx(-20));
  CHECK(errors.values[TimingErrors::latency_95] == Approx(0).margin(1e-9));
  CHECK(errors.values[TimingErrors::llc_hits] == Approx(1));
}

TEST_CASE("a spread has mean and worst sizes, and adds up times") {
  const TimingSpread spread =
      spread_of({sample("p", 0.1, 1, 1.1, 0.8, 0.5), sample("p", 0.1, 2, 0.98, 1.1, 0.3)});
  CHECK(spread.samples == 2);
  CHECK(spread.mean.values[TimingErrors::cycles] == Approx(6));  // sizes 10 and 2
  CHECK(spread.worst.values[TimingErrors::cycles] == Approx(10));
  CHECK(spread.mean.values[TimingErrors::latency] == Approx(15));
  CHECK(spread.worst.values[TimingErrors::latency] == Approx(20));
  CHECK(spread.speed == Approx(4 / 0.8));
  CHECK(spread.trips_per_second == Approx(2e6 / 0.8));
}

TEST_CASE("aims are judged over all samples, speed by the slowest busy load") {
  TimingSamples samples = {sample("p", 0.1, 1, 1.0, 1.0, 2), sample("p", 0.2, 1, 1.02, 1.01, 0.25),
                           sample("p", 0.4, 1, 1.03, 1.02, 0.5)};
  std::string text = timing_verdicts(samples);
  // Mean of 0, 2 and 3 %; the loads 0.2 and 0.4 are 8 and 4 times as fast, 4 / 0.75 together; 0.1 is not
  // busy.
  CHECK_THAT(text, has_text("| end time and IPC, mean error, random traffic | 3 % | reached | 1.7 % |"));
  CHECK_THAT(text,
             has_text("| speed against at, loads from 0.15 on | 3 times | reached | 5.33 times in all, 4.00 "
                      "at least |"));
  CHECK_THAT(text, has_text("3 M | **missed** | 2.67 M in all, 2.00 M at least |"));
  CHECK_THAT(text, !has_text("traces"));  // none were run
  samples.push_back(sample("p", 0.4, 2, 1.2, 1.02, 0.5));
  text = timing_verdicts(samples);
  CHECK_THAT(text, has_text("| end time and IPC, mean error, random traffic | 3 % | **missed** | 6.2 % |"));
  CHECK_THAT(text, has_text("| end time and IPC, worst error, random traffic | 8 % | **missed** | 20.0 % |"));
}

TEST_CASE("platforms of which a part is lt are judged by themselves") {
  TimingSample mixed = sample("p, memory", 0, 0, 1.01, 1, 1);
  mixed.mixed = true;
  const std::string text = timing_verdicts({sample("p", 0, 0, 1.05, 1, 1), mixed});
  CHECK_THAT(text, has_text("| end time and IPC, worst error, traces | 8 % | reached | 5.0 % |"));
  CHECK_THAT(text, has_text("worst error | 3 % | reached | 1.0 % in the mean, 1.0 % at worst |"));
  CHECK_THAT(text, has_text("| a part in lt: speed against at | 1 times | reached | 2.00 times |"));
}

TEST_CASE("tables hold a line a trace, or a line a load") {
  const TimingSamples samples = {sample("p", 0, 0, 1.1, 0.8, 1), sample("q", 0.1, 1, 1.1, 1, 1),
                                 sample("q", 0.1, 2, 0.9, 1, 1), sample("q", 0.2, 1, 1, 1, 1)};
  const std::string text = timing_tables(samples);
  CHECK_THAT(text, has_text("## p\n"));
  CHECK_THAT(text, has_text("| chase | +10.0 | -9.1 | -20.0 | +0.0 | +0.0 | +1.0 | 2.00 | 1.00 |"));
  CHECK_THAT(text, has_text("| 0.10 | 10.0 / 10.0 |"));
  CHECK_THAT(text, has_text("| 0.20 | 0.0 / 0.0 |"));
  CHECK_THAT(text, has_text("| all | 6.7 / 10.0 |"));
  CHECK_THAT(timing_csv(samples), has_text("\"q\",traffic,0.1,2,lt,90,"));
}

TEST_CASE("what at itself differs by is shown beside the errors, and what lt adds to it is judged") {
  TimingSample s = sample("p", 0, 0, 1.1, 1, 1);  // 10 % more cycles than at
  CHECK(s.beyond_own() == Approx(10));
  for (const double cycles : {97.0, 104.0}) {
    s.at_again.push_back(s.at);
    s.at_again.back().cycles = cycles;
  }
  CHECK(s.own_least() == Approx(-3));
  CHECK(s.own_most() == Approx(4));
  CHECK(s.beyond_own() == Approx(6));
  TimingSample within = s;
  within.lt.cycles = 98;
  CHECK(within.beyond_own() == 0);
  within.lt.cycles = 95;
  CHECK(within.beyond_own() == Approx(2));
  within.lt.cycles = 103;
  CHECK_THAT(timing_tables({s, within}), has_text("| 1.00 | -3.0 to +4.0 |\n"));
  CHECK_THAT(timing_tables({s, within}), has_text("at itself, cycles % |\n"));
  CHECK_THAT(timing_verdicts({s, within}),
             has_text("traces | 8 % | reached | 6.0 % at worst; 1 of 2 within it |"));
  CHECK_THAT(timing_csv({s}), has_text(",-3.000,4.000\n"));
  CHECK_THAT(timing_tables({sample("p", 0, 0, 1.1, 1, 1)}), !has_text("at itself"));
}

TEST_CASE("plots have a panel an aim and a tick a load") {
  const TimingSamples samples = {sample("q", 0.1, 1, 1.1, 1, 1), sample("q", 0.25, 1, 1, 1, 1)};
  const std::string loads = plot_loads(samples);
  CHECK_THAT(loads, has_text(">0.1</text>"));
  CHECK_THAT(loads, has_text(">0.25</text>"));
  CHECK_THAT(loads, has_text(">q</text>"));
}

TEST_CASE("a directory without results is named") {
  const tb::TempFolder folder;
  CHECK_THROWS_AS(read_timing_figures(folder.path()), ConfigError);
  folder.write(
      "stats.json",
      R"({"schema": "strata-results", "schema_version": 2, "partial": false, "reason": null, "digest": "0",
    "run": {"exit_code": 0, "trace": "t"}, "instances": {}, "summary": {"cycles": 40, "thread_instructions": 0, "ipc": 0, "line_access_rate": 0.5,
    "mean_latency": 3.5, "l1_hit_rate": null, "llc_hit_rate": 0.5, "round_trips": 10, "cpu_seconds": 0.25},
    "ledger_places": {}, "ledger": {"loads": {"accesses": 100, "latency": 350, "cycles": {}, "latency_histogram": {"buckets": [0, 0, 10, 90]}}}})");
  const TimingFigures figures = read_timing_figures(folder.path());
  CHECK(figures.cycles == 40);
  CHECK(figures.rate == 0.5);  // no instructions: accesses
  CHECK(figures.l1_hits == 0);
  // 95 of 100: 85 of the 90 between 4 and 8.
  CHECK(figures.latency_95 == Approx(4 + 4 * 85 / 90.0));
}
