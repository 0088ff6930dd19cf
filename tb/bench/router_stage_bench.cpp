// Router passages per CPU-second, requests and replies counted: `bench_router_stage [full|hierarchical]
// [load]`. 80 sources send read requests to 64 sinks at `load` requests per 100 cycles each and get lines
// back. `full`: one 80x64 stage; `hierarchical`: 8 stages of 10x8 and 8 of 8x8. Under callgrind, the
// functions of PacketCrossbar, RouterStage, the ports and the clock domain divided by the passages are
// the cost of a passage.
#define CATCH_CONFIG_RUNNER  // the test benches report through Catch2
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

#include "tb/support/noc_bench.h"

int sc_main(int argc, char* argv[]) {
  using namespace strata;
  using namespace strata::tb;
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const bool full = argc > 1 && std::string(argv[1]) == "full";
  const unsigned load = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 4;
  constexpr int packets = 1000;
  RouterStageParams first;
  first.inputs = full ? 80 : 10;
  first.outputs = full ? 64 : 8;
  first.divide = full ? 1 : 8;
  RouterStageParams second;
  second.in_credit_delay = 3;
  if (!full) first.out_credit_delay = 3;
  NocBench bench = full ? NocBench(first, false) : NocBench(first, 8, second, false);
  std::mt19937_64 random(1);
  for (auto& source : bench.sources) {
    source->loads = true;
    Cycle at = 0;
    for (int n = 0; n < packets; ++n) {
      do ++at;
      while (random() % 100 >= load);
      source->plan({at, static_cast<int>(random() % 64), 1});
    }
  }
  const std::clock_t start = std::clock();
  bench.finish();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const double passages = 80.0 * packets * 2 * (full ? 1 : 2);
  std::uint64_t held = 0;
  std::uint64_t conflicts = 0;
  for (auto& stage : bench.stages) {
    stage->settle(bench.clock->now());
    const auto& stats = static_cast<const RouterStageStats&>(stage->stats());
    held += stats.request.counters.held + stats.reply.counters.held;
    conflicts += stats.request.counters.conflicts + stats.reply.counters.conflicts;
  }
  std::printf("passages %.0f, held %llu, conflicts %llu, CPU %.3f s, %.0f passages per CPU-second%s\n",
              passages, static_cast<unsigned long long>(held), static_cast<unsigned long long>(conflicts),
              seconds, passages / seconds, bench.faults().empty() ? "" : ", FAULTS");
  return bench.faults().empty() ? 0 : 1;
}
