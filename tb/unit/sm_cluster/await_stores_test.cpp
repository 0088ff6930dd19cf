// With `await_stores` a warp ends with the answer to its last store. An instruction issued in cycle i has its
// first line out in i + 1; with a latency of 10 the answer is there in i + 11 and acted on in i + 12.
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

using Cycles = std::vector<Cycle>;

namespace {

SmClusterParams awaiting(bool stores) {
  SmClusterParams params;
  params.schedulers = 1;
  params.await_stores = stores;
  return params;
}

}  // namespace

TEST_CASE("a warp ends when its last store has left") {
  CoreBench bench(awaiting(false));
  bench.responses = true;
  bench.launch({{store(0x1000, 8)}});
  bench.run();
  CHECK(bench.ends == Cycles{3});  // two lines, in 2 and 3
}

TEST_CASE("a warp that awaits its stores ends with the last answer") {
  CoreBench bench(awaiting(true));
  bench.responses = true;
  bench.launch({{store(0x1000, 8)}});
  bench.run();
  CHECK(bench.ends == Cycles{14});  // two lines, out in 2 and 3, answered in 12 and 13
  CHECK(broken_laws(bench.stats).empty());
}

TEST_CASE("stores that are answered at once are awaited too") {
  CoreBench bench(awaiting(true));
  bench.launch({{store(0x1000, 8)}});
  bench.run();
  CHECK(bench.ends == Cycles{14});
}

TEST_CASE("a warp awaits its stores and its loads") {
  CoreBench bench(awaiting(true));
  bench.responses = true;
  bench.launch({{store(0x1000), load(0x2000, 1)}, {load(0x3000, 1), store(0x4000)}});
  bench.run();
  // One scheduler goes on with a warp as long as it can: issues in 1, 2, 3, 4, the last line out in 5.
  CHECK(bench.issues == Cycles{1, 2, 3, 4});
  CHECK(bench.ends == Cycles{16});
}

TEST_CASE("what awaits its stores executes meanwhile") {
  CoreBench bench(awaiting(true));
  bench.responses = true;
  bench.launch({{store(0x1000), alu(1), alu(2, 1)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 6});
  CHECK(bench.ends == Cycles{13});
}
