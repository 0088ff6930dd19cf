// Whole-platform benchmark: an 80-SM netlist under a trace, run to its end in one process.
//   bench_platform [NETLIST [TRACE]]
// Prints L1-miss round trips, CPU seconds and their quotient. Under callgrind, divide the instructions
// between simulation start and end (--toggle-collect='*run_simulation*') by the round trips.
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>

#include <systemc>

#include "models/cta_dispatcher/cta_dispatcher.h"
#include "models/sm_cluster/sm_cluster.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/engine/netlist/platform.h"
#include "platforms/engine/session/process_usage.h"
#include "traces/open.h"

namespace {

using namespace strata;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

__attribute__((noinline)) void run_simulation() {
  sc_core::sc_start();
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  strata::platforms::use_large_heap_pages();
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const std::string netlist_path = argc > 1 ? argv[1] : "platforms/machines/isca19/shared.yaml";
  // 16 warps an SM with two loads in flight each, 70 % L1 hits; misses spread over 4 MiB, which the 6 MiB LLC
  // keeps after the first touch.
  const std::string trace =
      argc > 2
          ? argv[2]
          : "synthetic:random:ctas=160,warps=8,loads=1024,alu=0,in_flight=2,footprint=4MiB,hits=0.7,seed=1";
  try {
    const auto source = traces::open_trace(trace);
    const auto netlist = platforms::Netlist::load(netlist_path);
    platforms::Platform platform(netlist, {});
    auto& dispatcher = dynamic_cast<CtaDispatcher&>(*platform.of_kind("cta_dispatcher").front().block);
    dispatcher.set_source(*source);
    const double begin = cpu_seconds();
    run_simulation();
    const double seconds = cpu_seconds() - begin;
    std::uint64_t round_trips = 0, accesses = 0, instructions = 0;
    for (const auto& instance : platform.of_kind("sm_cluster")) {
      const SmClusterStats& stats = dynamic_cast<SmCluster&>(*instance.block).counters();
      round_trips += stats.round_trips;
      accesses += stats.line_accesses;
      instructions += stats.warp_instructions;
    }
    std::printf(
        "finished %d, cycles %llu, warp instructions %llu, L1 accesses %llu, round trips %llu (%.1f %%)\n",
        dispatcher.finished(), static_cast<unsigned long long>(dispatcher.end_cycle()),
        static_cast<unsigned long long>(instructions), static_cast<unsigned long long>(accesses),
        static_cast<unsigned long long>(round_trips),
        100.0 * static_cast<double>(round_trips) / static_cast<double>(accesses));
    std::printf("%.3f CPU s, %.3f M round trips per CPU s, %.3f M warp instructions per CPU s\n", seconds,
                static_cast<double>(round_trips) / seconds / 1e6,
                static_cast<double>(instructions) / seconds / 1e6);
    return dispatcher.finished() ? 0 : 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
