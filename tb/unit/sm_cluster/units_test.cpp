// Execution units: what runs on which, in which cycles, and how many instructions a cycle come of it. A CTA
// launched in cycle 0 issues from cycle 1 on.
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"
#include "tb/unit/sm_cluster/one_scheduler.h"

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

// Of six instructions four are single precision, which begin in 1, 3, 5 and 7: the unit is free again in 9,
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
