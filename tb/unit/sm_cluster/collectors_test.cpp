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
  Bench(int schedulers, int collectors) : CoreBench(params(schedulers, collectors, CollectorOrder::oldest)) {
    const Program stores(5, store(0x1000));
    busy_until_20({stores, {alu(1), alu(2), alu(3)}});
  }
  Bench(int schedulers, int collectors, const std::vector<Program>& warps)
      : CoreBench(params(schedulers, collectors, CollectorOrder::lowest)) {
    busy_until_20(warps);
  }

  /// Lines as they left, of addresses 0x1000, 0x1080...: 0, 1...
  std::vector<int> order() const {
    std::vector<int> numbers;
    for (const LineLog& line : lines) numbers.push_back(static_cast<int>(line.line - 0x1000) / 128);
    return numbers;
  }

 private:
  void busy_until_20(const std::vector<Program>& warps) {
    link_free = [](Cycle now) { return now >= 20; };
    launch(warps);
    run();
  }
  static SmClusterParams params(int schedulers, int collectors, CollectorOrder order) {
    SmClusterParams params;
    params.schedulers = schedulers;
    params.collectors = collectors;
    params.collector_order = order;
    return params;
  }
};

WarpInstruction line(int number) {
  return store(0x1000 + 128 * static_cast<Address>(number));
}

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

// Lines 0 to 4 issue in 1 to 5: the head, the door, the first collector, the second, in front. In 20 line 0
// leaves and line 1 is the head; 2 comes to the door, 4 into the first collector and 5 issues. In 21 line 2
// is the head, and of 4 in the first collector and 3 in the second 4 comes to the door, then 5: 3 leaves
// last.
TEST_CASE("the lowest collector goes on first, whatever waits in others") {
  const Bench bench(1, 2, {{line(0), line(1), line(2), line(3), line(4), line(5)}});
  CHECK(bench.issues == Cycles{1, 2, 3, 4, 5, 20});
  CHECK(bench.order() == std::vector<int>{0, 1, 2, 4, 5, 3});
  CHECK(broken_laws(bench.stats).empty());
}

// Lines 0 to 3 of the first scheduler issue in 1 to 4: the head, the door, the collector, in front. Of the
// other 4 issues in 1 and comes to the door, 5 and 6 in 4 and 5, and 7 when 4 is the head, in 20. Of those at
// the doors the one that issued first goes on: 4, 1, 2 and 3, then 5.
TEST_CASE("the load/store unit takes the oldest that stands at a door") {
  const Bench bench(
      2, 1, {{line(0), line(1), line(2), line(3)}, {line(4), alu(1), alu(2), line(5), line(6), line(7)}});
  CHECK(bench.issues == Cycles{1, 1, 2, 2, 3, 3, 4, 4, 5, 20});
  CHECK(bench.order() == std::vector<int>{0, 4, 1, 2, 3, 5, 6, 7});
  CHECK(broken_laws(bench.stats).empty());
}
