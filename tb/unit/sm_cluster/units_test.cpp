// Execution units: what runs on which, in which cycles, and how many instructions a cycle come of it. A CTA
// launched in cycle 0 issues from cycle 1 on.
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

using Cycles = std::vector<Cycle>;

namespace {

WarpInstruction on(Unit unit, int destination = 255, int source = 255) {
  WarpInstruction i = alu(destination, source);
  if (unit == Unit::sfu) i.op = OpClass::sfu;
  if (unit == Unit::branch) i.op = OpClass::other;
  if (is_counted(unit)) i.units[counted_place(unit)] = 1;
  return i;
}

// The V100 of Accel-Sim (SM7_QV100, trace.config): latency and initiation interval of each class, a unit of
// each for each of four schedulers.
SmClusterParams volta() {
  SmClusterParams params;
  params.schedulers = 4;
  params.integer = {2, 2, 1};
  params.sp = {2, 2, 1};
  params.dp = {8, 4, 1};
  params.tensor = {2, 2, 1};
  params.branch = {4, 4, 1};
  params.sfu = {20, 8, 1};
  return params;
}

// Warp instructions a cycle that 16 warps of 1000 repetitions of `body` issue on one SM.
double rate(const Program& body) {
  Program program;
  for (int n = 0; n < 1000; ++n) program.insert(program.end(), body.begin(), body.end());
  CoreBench bench(volta());
  bench.launch(std::vector<Program>(16, program));
  const Cycle end = bench.run(never);
  CHECK(bench.issues.size() == 16 * program.size());
  CHECK(broken_laws(bench.stats).empty());
  return static_cast<double>(bench.issues.size()) / static_cast<double>(end);
}

WarpInstruction lds(int stride) {
  WarpInstruction i = load(0, 255, stride);
  i.op = OpClass::shared_load;
  return i;
}

}  // namespace

// Four schedulers with a unit each: 4 / 2 for single precision; two classes side by side fill every issue
// slot; 4 / 4, 4 / 2, 4 / 8; shared memory takes one of the SM a cycle, or in 32 cycles when all lanes hit
// one bank.
TEST_CASE("the classes issue at the rates that follow from their intervals") {
  const auto near = [](double value) { return Approx(value).epsilon(0.005); };
  CHECK(rate({on(Unit::sp)}) == near(2.0));
  CHECK(rate({on(Unit::sp), on(Unit::integer)}) == near(4.0));
  CHECK(rate({on(Unit::integer)}) == near(2.0));
  CHECK(rate({on(Unit::dp)}) == near(1.0));
  CHECK(rate({on(Unit::tensor)}) == near(2.0));
  CHECK(rate({on(Unit::sfu)}) == near(0.5));
  CHECK(rate({on(Unit::branch)}) == near(1.0));
  CHECK(rate({lds(4)}) == near(1.0));
  CHECK(rate({lds(128)}) == near(1.0 / 32));
}

// Warp 0 issues in 1; its second instruction finds the unit busy until 5. The scheduler goes on with warp 1
// in 2 and 3, and stands idle in 4.
TEST_CASE("a busy unit blocks its class and not the scheduler") {
  SmClusterParams params = one_scheduler();
  params.sp.interval = 4;
  CoreBench bench(params);
  bench.launch({{on(Unit::sp), on(Unit::sp)}, {on(Unit::integer), on(Unit::dp)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 3, 5});
  CHECK(bench.stats.idle[static_cast<int>(Idle::latency)] == 1);
  CHECK(broken_laws(bench.stats).empty());
}

// Both are free in 1, the first again in 5, the second in 6.
TEST_CASE("a class with two units takes two instructions an interval") {
  SmClusterParams params = one_scheduler();
  params.dp = {4, 4, 2};
  CoreBench bench(params);
  bench.launch({Program(5, on(Unit::dp))});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 5, 6, 9});
}

TEST_CASE("each class has its latency, and that of arithmetic when it names none") {
  SmClusterParams params = one_scheduler();
  params.alu_latency = 5;
  params.sp.latency = 7;
  params.tensor.latency = 9;
  params.branch.latency = 3;
  CoreBench bench(params);
  // sp in 1, its reader (integer) in 8, that one's (tensor) in 13, then 22 (branch, with a result), 25.
  bench.launch({{on(Unit::sp, 1), on(Unit::integer, 2, 1), on(Unit::tensor, 3, 2), on(Unit::branch, 4, 3),
                 on(Unit::integer, 5, 4)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 8, 13, 22, 25});
}

// Four of six instructions are single precision, which begin in 1, 3, 5 and 7: the unit is free again in 9,
// the result there at 7 + 4. The integer unit never waits, the scheduler is free after six slots.
TEST_CASE("a run keeps each of its units busy for its share") {
  SmClusterParams params = one_scheduler();
  params.sp.interval = 2;
  WarpInstruction run = alu(1);
  run.weight = 6;
  run.units[counted_place(Unit::sp)] = 4;
  CoreBench bench(params);
  bench.launch({{run, on(Unit::integer, 2, 1)}, {on(Unit::integer), on(Unit::sp)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 7, 9, 11});
}

// A run of five on two units: 1, 2, 5, 6 and 9; free again in 10 and 13, its result there at 9 + 4.
TEST_CASE("a run shares the units of its class out") {
  SmClusterParams params = one_scheduler();
  params.sp = {4, 4, 2};
  WarpInstruction run = on(Unit::sp, 1);
  run.weight = run.units[counted_place(Unit::sp)] = 5;
  CoreBench bench(params);
  bench.launch({{run, on(Unit::integer, 2, 1)}, {on(Unit::sp), on(Unit::sp)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 10, 13, 14});
}

// 64 warps of which 60 have ended leave positions to close up while others wait for a unit.
TEST_CASE("warps that wait for units keep their ages when others move up") {
  SmClusterParams params = one_scheduler();
  params.sp.interval = 50;
  CoreBench bench(params);
  bench.launch(std::vector<Program>(60, {plain(OpClass::exit)}));
  bench.launch(std::vector<Program>(4, {on(Unit::sp)}));
  const Cycle now = bench.run(90);  // the exits are through, three of the four wait (62)
  CHECK(bench.issues.size() == 61);
  bench.launch({{on(Unit::integer)}}, now);
  bench.run();
  CHECK(Cycles(bench.issues.begin() + 60, bench.issues.end()) == Cycles{61, 63, 111, 161, 211});
  CHECK(bench.stats.warps_done == 65);
}

TEST_CASE("units of zero and other impossible ones are refused by name") {
  SmClusterParams params;
  params.dp.units = 0;
  params.sfu.interval = 0;
  params.branch.latency = -1;
  try {
    require_valid(params, "sm");
    FAIL("accepted");
  } catch (const ConfigError& error) {
    REQUIRE(error.faults().size() == 3);
    CHECK_THAT(error.what(), strata::tb::has_text("dp_units") && strata::tb::has_text("1 to 4"));
    CHECK_THAT(error.what(), strata::tb::has_text("sfu_interval") && strata::tb::has_text("1 to 64"));
    CHECK_THAT(error.what(), strata::tb::has_text("branch_latency") && strata::tb::has_text("0 to 1000"));
  }
}

// Operand collectors: memory instructions that cannot go on hold them, and what else a scheduler has waits.
// The link is busy until cycle 20; then a line leaves a cycle. With one collector a scheduler has room for an
// instruction at the queue's head, one at its door, one in the collector and one in front of it.

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
