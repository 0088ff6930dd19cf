// Operand collectors: memory instructions that cannot go on hold them, and what else a scheduler has waits.
// The link is busy until cycle 20; then a line leaves a cycle. With one collector a scheduler has room for an
// instruction at the queue's head, one at its door, one in the collector and one in front of it.
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

using Cycles = std::vector<Cycle>;

namespace {

struct Bench : CoreBench {
  Bench(int schedulers, int collectors) : CoreBench(params(schedulers, collectors)) {
    link_free = [](Cycle now) { return now >= 20; };
    const Program stores(5, store(0x1000));
    launch({stores, {alu(1), alu(2), alu(3)}});
    run();
  }

 private:
  static SmClusterParams params(int schedulers, int collectors) {
    SmClusterParams params;
    params.schedulers = schedulers;
    params.collectors = collectors;
    return params;
  }
};

}  // namespace

TEST_CASE("without collectors memory instructions hold up nothing") {
  Bench bench(1, 0);
  CHECK(bench.issues == Cycles{1, 2, 3, 4, 5, 6, 7, 8});
}

// The fifth store, and the arithmetic behind four stores, wait in 5. In 20 the first line leaves and the
// fifth store takes the place that is free. In 21 the collector is still held, in 22 only the door.
TEST_CASE("held collectors stop a scheduler's other instructions") {
  Bench bench(1, 1);
  CHECK(bench.issues == Cycles{1, 2, 3, 4, 20, 22, 23, 24});
  CHECK(bench.stats.idle[static_cast<std::size_t>(Idle::lsu_full)] == 16);  // 5 to 19, and 21
  CHECK(broken_laws(bench.stats).empty());
}

// With a second collector all five stores have a place, and in 20 one of the two is still held.
TEST_CASE("another collector lets another one pass") {
  Bench bench(1, 2);
  CHECK(bench.issues == Cycles{1, 2, 3, 4, 5, 21, 22, 23});
}

TEST_CASE("schedulers have collectors of their own") {
  Bench bench(2, 1);
  CHECK(bench.issues == Cycles{1, 1, 2, 2, 3, 3, 4, 20});
}
