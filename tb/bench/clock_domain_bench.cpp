// Conversions between cycles and time, without simulation.
#include <benchmark/benchmark.h>

#include <systemc>

#include "models/tlm/clock_domain.h"

namespace {

using namespace strata;

void edge(benchmark::State& state, const ClockDomain* clock) {
  Cycle cycle = 0;
  for (auto _ : state) benchmark::DoNotOptimize(clock->edge(cycle += 977));
}

void cycle_before(benchmark::State& state, const ClockDomain* clock) {
  std::uint64_t time = 0;
  for (auto _ : state) benchmark::DoNotOptimize(clock->cycle_before(time += 697'843'111));
}

void arrival_from_outside(benchmark::State& state, const ClockDomain* clock) {
  std::uint64_t delay = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(clock->arrival(sc_core::sc_time::from_value(delay += 697'843'111)));
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  ClockDomain core("core", Hertz(1'400'000'000));
  ClockDomain odd("odd", Hertz(1'512'345'677));
  for (const ClockDomain* clock : {&core, &odd}) {
    const std::string name = std::string("/") + clock->name();
    benchmark::RegisterBenchmark(("edge" + name).c_str(), edge, clock);
    benchmark::RegisterBenchmark(("cycle_before" + name).c_str(), cycle_before, clock);
    benchmark::RegisterBenchmark(("arrival_from_outside" + name).c_str(), arrival_from_outside, clock);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
