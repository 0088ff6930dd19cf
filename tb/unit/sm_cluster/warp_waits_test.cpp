// WarpWaits on an SmCore without SystemC. An instruction issued in cycle i sends its line in i + 1; the
// answer is there 10 cycles later, and its result can be read in the cycle after that: in i + 12.
#include "models/sm_cluster/warp_waits.h"

#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

using Wait = std::vector<Cycle>;  // warp, first cycle, cycle in which it goes on

/// Runs the warps, and returns their waits in the order of their ends.
std::vector<Wait> waits_of(CoreBench& bench, const std::vector<Program>& warps) {
  WarpWaits waits;
  std::vector<Wait> all;
  bench.visited = [&](Cycle now) {
    waits.look(bench.core, now, [&](int warp, Cycle from, Cycle until) {
      all.push_back({static_cast<Cycle>(warp), from, until});
    });
  };
  bench.launch(warps);
  bench.run();
  return all;
}

}  // namespace

// The load issues in 1, its reader in 13; the next load in 14, its reader in 26.
TEST_CASE("a warp waits from the cycle behind its last instruction until the result can be read") {
  CoreBench bench;
  const auto waits = waits_of(bench, {{load(0x1000, 1), alu(2, 1), load(0x2000, 3), alu(4, 3)}});
  CHECK(bench.issues == Wait{1, 13, 14, 26});
  CHECK(waits == std::vector<Wait>{{0, 2, 13}, {0, 15, 26}});
}

// Two instructions that need nothing issue behind the load, in 2 and 3.
TEST_CASE("instructions between a load and its reader shorten the wait") {
  CoreBench bench;
  const auto waits = waits_of(bench, {{load(0x1000, 1), alu(2), alu(3), alu(4, 1)}});
  CHECK(bench.issues == Wait{1, 2, 3, 13});
  CHECK(waits == std::vector<Wait>{{0, 4, 13}});
}

// The second load leaves in 9, and is answered in 19: the reader of the first issues in 13, that of the
// second, behind it, in 20. Between the waits the warp issues in a single cycle.
TEST_CASE("two waits with one instruction between them are two") {
  CoreBench bench;
  bench.link_free = [](Cycle now) { return now < 3 || now >= 9; };
  const auto waits = waits_of(bench, {{load(0x1000, 1), load(0x2000, 3), alu(2, 1), alu(4, 3)}});
  CHECK(bench.issues == Wait{1, 2, 13, 20});
  CHECK(waits == std::vector<Wait>{{0, 3, 13}, {0, 14, 20}});
}

// The third load finds no entry in 3, and one in 13.
TEST_CASE("a load that finds the table of loads full waits from the cycle in which it could have issued") {
  SmClusterParams params;
  params.loads_per_warp = 2;
  CoreBench bench(params);
  const auto waits = waits_of(bench, {{load(0x1000, 1), load(0x2000, 2), load(0x3000, 3), load(0x4000, 4)}});
  CHECK(bench.issues == Wait{1, 2, 13, 14});
  CHECK(waits == std::vector<Wait>{{0, 3, 13}});
}

// Loads issue in 1 and 2, leave in 2 and 3; the readers in 13 and 14. Both warps wait at a time.
TEST_CASE("warps wait side by side") {
  CoreBench bench(one_scheduler());
  const Program program = {load(0x1000, 1), alu(2, 1)};
  const auto waits = waits_of(bench, {program, program});
  CHECK(bench.issues == Wait{1, 2, 13, 14});
  CHECK(waits == std::vector<Wait>{{0, 2, 13}, {1, 3, 14}});
}

// No instruction reads the result: the warp has ended, and only its CTA is still there.
TEST_CASE("a warp at its end does not wait") {
  CoreBench bench;
  CHECK(waits_of(bench, {{load(0x1000, 1), alu(2)}}).empty());
  CHECK(bench.ends == Wait{13});
}
