// Speed of networks of router stages: packet-hops (a packet passing a router, requests only) per CPU-second.
//   bench_noc [LOAD [CYCLES]]
// An 80x64 crossbar under uniform traffic of 5-flit packets, at load 0.4 by default. Each request is answered
// through the reply network, whose work is part of the time but not of the count. BookSim 2 does about 88 000
// on this network at this load (shared reference, commit 28f4329). One configuration a process: fork.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>

#include <systemc>

#include "platforms/studies/noc/noc_experiment.h"

namespace {

using namespace strata;
using namespace strata::platforms;

constexpr double peer = 88'000;  // packet-hops per CPU-second of BookSim 2

void measure(const char* name, NocOptions options, double load) {
  NocExperiment experiment(options);
  const std::clock_t start = std::clock();
  const NocPoint point = experiment.run(load, 1);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const double hops = options.topology == NocOptions::Topology::xbar ? 1 : 2;
  const double rate = static_cast<double>(point.packets) * hops / seconds;
  std::printf(
      "%-34s accepted %.3f, %8llu packets, %.3f CPU s, %9.0f packet-hops per CPU-second, %.1f x peer\n", name,
      point.accepted, static_cast<unsigned long long>(point.packets), seconds, rate, rate / peer);
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const double load = argc > 1 ? std::atof(argv[1]) : 0.4;
  struct Case {
    const char* name;
    int vcs, vc_flits, speedup;
    bool lookahead, hierarchical;
  };
  constexpr Case cases[] = {{"80x64, 1 VC of 8", 1, 8, 1, false, false},
                            {"80x64, 4 VCs of 4", 4, 4, 1, false, false},
                            {"80x64, look-ahead, 2x, 1 VC of 64", 1, 64, 2, true, false},
                            {"8x10x8 two stages, 1 VC of 8", 1, 8, 1, false, true},
                            {"8x10x8 two stages, 4 VCs of 4", 4, 4, 1, false, true}};
  for (const Case& c : cases) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      NocOptions options;
      options.inputs = 80;
      options.outputs = 64;
      if (c.hierarchical) read_topology("hxbar:8x10x8", options);
      options.packet_flits = 5;
      options.warmup = 0;
      options.cycles = argc > 2 ? static_cast<Cycle>(std::atoi(argv[2])) : 50000;
      options.router.vcs = c.vcs;
      options.router.vc_flits = c.vc_flits;
      options.router.speedup = c.speedup;
      options.router.lookahead = c.lookahead;
      measure(c.name, options, load);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return 1;
  }
  return 0;
}
