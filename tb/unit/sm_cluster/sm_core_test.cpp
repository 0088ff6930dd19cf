// SmCore without SystemC. A CTA launched in cycle 0 issues from cycle 1 on. An instruction issued in cycle i
// enters the load/store queue in i and its first line leaves in i + 1; with a latency of L its answer is
// there in i + 1 + L and its result can be read in i + 2 + L.
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

using Cycles = std::vector<Cycle>;

TEST_CASE("a dependent chain issues every alu_latency cycles") {
  CoreBench bench;
  bench.launch({{alu(1), alu(2, 1), alu(3, 2), plain(OpClass::exit)}});
  bench.run();
  // 1, then each 4 cycles after its producer; the exit depends on nothing and follows at once.
  CHECK(bench.issues == Cycles{1, 5, 9, 10});
  CHECK(bench.ends == Cycles{10});
  CHECK(broken_laws(bench.stats).empty());
  // Scheduler 0 issued 4 times in cycles 0..10; of its 11 cycles 1 was before the warp and 6 waited for
  // results.
  CHECK(bench.stats.issue_cycles == 4);
  CHECK(bench.stats.idle[static_cast<int>(Idle::latency)] == 6);
}

// Two slots each for the two ALU instructions, one for the exit: 1, 3, and 1 + 2 - 1 + 4 = 6 for what needs
// the first result.
TEST_CASE("alu_interval takes issue slots") {
  SmClusterParams params;
  params.alu_interval = 2;
  CoreBench bench(params);
  bench.launch({{alu(1), alu(2), alu(3, 1), plain(OpClass::exit)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 3, 6, 8});
  CHECK(bench.stats.issue_cycles == 7);
  CHECK(broken_laws(bench.stats).empty());
}

TEST_CASE("independent instructions of a warp issue every cycle and a write waits for an earlier one") {
  CoreBench bench;
  bench.launch({{alu(1), alu(2), alu(1), alu(3, 2)}});
  bench.run();
  // The second write of register 1 waits for the first (cycle 1 + 4); register 2 was ready in 6.
  CHECK(bench.issues == Cycles{1, 2, 5, 6});
}

TEST_CASE("loads in flight are bounded by their readers when registers are known") {
  CoreBench bench;
  bench.launch({{load(0x1000, 1), load(0x2000, 2), load(0x3000, 3), alu(4, 1), alu(5, 3)}});
  bench.run();
  // Loads issue in 1, 2, 3 and leave in 2, 3, 4; answers in 12, 13, 14. The reader of register 1 issues in
  // 13, that of register 3 in 15.
  CHECK(bench.issues == Cycles{1, 2, 3, 13, 15});
}

TEST_CASE("loads in flight are bounded by the distance to the first reader when that is known") {
  CoreBench bench;
  Program program = {load(0x1000, 255), load(0x2000, 255), alu(255), alu(255), alu(255)};
  program[0].first_use = 4;  // read by the last instruction
  program[1].first_use = 1;  // read by the first alu
  bench.launch({program});
  bench.run();
  // Replies in 12 and 13: the first alu waits for the second load (14); the last one is not held up any more.
  CHECK(bench.issues == Cycles{1, 2, 14, 15, 16});
}

TEST_CASE("a distance beyond the end of the warp holds up nothing but the warp's end") {
  CoreBench bench;
  Program program = {load(0x1000, 255), alu(255), plain(OpClass::exit)};
  program[0].first_use = 200;
  bench.launch({program});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 3});
  CHECK(bench.ends == Cycles{13});  // the answer of cycle 12 is taken in 13
}

TEST_CASE("answers by response and answers at once make the result readable in the same cycle") {
  for (const bool responses : {false, true}) {
    CoreBench bench;
    bench.responses = responses;
    bench.launch({{load(0x1000, 1), alu(2, 1)}});
    bench.run();
    CHECK(bench.issues == Cycles{1, 13});
    CHECK(bench.stats.round_trips == (responses ? 1 : 0));
    CHECK(bench.stats.answered_at_once == (responses ? 0 : 1));
  }
}

TEST_CASE("a warp has at most loads_per_warp loads in flight") {
  SmClusterParams params;
  params.loads_per_warp = 2;
  CoreBench bench(params);
  bench.launch({{load(0x1000, 1), load(0x2000, 2), load(0x3000, 3), load(0x4000, 4)}});
  bench.run();
  // Issues 1, 2; answers in 12 and 13 free an entry each in 13 and 14.
  CHECK(bench.issues == Cycles{1, 2, 13, 14});
}

TEST_CASE("a strided load makes 32 line accesses, one a cycle") {
  CoreBench bench;
  bench.launch({{load(0x10000, 1, 128), alu(2, 1)}});
  bench.run();
  REQUIRE(bench.lines.size() == 32);
  for (std::size_t i = 0; i < 32; ++i) {
    CHECK(bench.lines[i].sent == 2 + i);
    CHECK(bench.lines[i].line == 0x10000 + 128 * i);
    CHECK(bench.lines[i].sectors == 1);
  }
  CHECK(bench.issues == Cycles{1, 2 + 31 + 10 + 1});  // the last line left in 33, was answered in 43
  CHECK(bench.stats.sectors == 32);
}

TEST_CASE("a load without addresses is over on its turn") {
  CoreBench bench;
  WarpInstruction nothing = load(0x1000, 1);
  nothing.active_mask = 0;
  bench.launch({{nothing, alu(2, 1)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2});
  CHECK(bench.lines.empty());
}

TEST_CASE("a full load/store queue holds up issue") {
  SmClusterParams params = one_scheduler();
  params.lsu_depth = 2;
  CoreBench bench(params);
  bench.link_free = [](Cycle now) { return now >= 20; };
  bench.launch({{store(0x1000), store(0x2000), store(0x3000), alu(1)}});
  bench.run();
  // Two enter; the third waits until the first leaves in 20.
  CHECK(bench.issues == Cycles{1, 2, 20, 21});
  CHECK(bench.stats.link_wait_cycles ==
        18);  // the first line's turn was in 2; the second and third lose nothing more
  CHECK(bench.stats.idle[static_cast<int>(Idle::lsu_full)] == 17);
}

// Two instructions in 1 and 2, a bubble of 3 cycles, the next two from 2 + 1 + 3 on; the other warp of the
// scheduler has its slots meanwhile: 3 and 4, then from 4 + 1 + 3 on.
TEST_CASE("an empty instruction buffer costs a bubble that other warps fill") {
  SmClusterParams params = one_scheduler();
  params.instruction_buffer = 2;
  params.fetch_bubble = 3;
  CoreBench bench(params);
  bench.launch({{alu(1), alu(2), alu(3), alu(4)}, {alu(1), alu(2), alu(3)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 3, 4, 6, 7, 8});
  CHECK(bench.stats.idle[static_cast<int>(Idle::latency)] == 1);  // 5
}

// A run of five from a buffer of two: empty after the second, the fourth: two bubbles behind its slots 1
// to 5. One instruction is left for 8, then there is a bubble before the last.
TEST_CASE("a run pays behind its slots for the bubbles within") {
  SmClusterParams params = one_scheduler();
  params.instruction_buffer = 2;
  WarpInstruction run = alu(1);
  run.weight = 5;
  CoreBench bench(params);
  bench.launch({{run, alu(2), alu(3)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 8, 10});
}

TEST_CASE("a barrier releases all warps of the CTA in the cycle after the last arrival") {
  CoreBench bench(one_scheduler());
  const auto bar = plain(OpClass::barrier);
  bench.launch({{bar, alu(1)}, {alu(1), alu(2, 1), bar, alu(3)}});
  bench.run();
  // GTO: warp 0 arrives in 1. Warp 1 issues in 2 and 6 (dependent), arrives in 7. Both go on: 8 and 9.
  CHECK(bench.issues == Cycles{1, 2, 6, 7, 8, 9});
  CHECK(bench.stats.instructions[static_cast<int>(OpClass::barrier)] == 2);
}

TEST_CASE("a barrier does not wait for warps that have ended") {
  CoreBench bench(one_scheduler());
  const auto bar = plain(OpClass::barrier);
  bench.launch({{bar, alu(1)}, {alu(1), alu(2, 1), plain(OpClass::exit)}});
  bench.run();
  // Warp 1 exits in 7, which completes the barrier; warp 0 goes on in 8.
  CHECK(bench.issues == Cycles{1, 2, 6, 7, 8});
}

TEST_CASE("barriers of different CTAs are separate") {
  CoreBench bench(one_scheduler());
  const auto bar = plain(OpClass::barrier);
  bench.launch({{bar, alu(1)}});
  bench.launch({{alu(1), alu(2, 1), bar}});
  bench.run();
  // CTA 0: barrier in 1, on in 2. CTA 1: 3, 7, 8.
  CHECK(bench.issues == Cycles{1, 2, 3, 7, 8});
  CHECK(bench.ends == Cycles{2, 8});
}

TEST_CASE("two schedulers issue two instructions a cycle from their own warps") {
  CoreBench bench;
  bench.launch({{alu(1), alu(2)}, {alu(1), alu(2)}, {alu(1), alu(2)}});
  bench.run();
  // Slots 0 and 2 belong to scheduler 0, slot 1 to scheduler 1.
  CHECK(bench.issues == Cycles{1, 1, 2, 2, 3, 4});
}

TEST_CASE("a run of weight w takes w issue slots") {
  CoreBench bench(one_scheduler());
  WarpInstruction run = alu(1);
  run.weight = 5;
  bench.launch({{run, alu(2, 1)}, {alu(1)}});
  bench.run();
  // The run issues in 1..5 and its last result is ready in 5 + 4; the other warp gets slot 6.
  CHECK(bench.issues == Cycles{1, 6, 9});
  CHECK(bench.stats.warp_instructions == 7);
  CHECK(bench.stats.thread_instructions == 7 * 32);
  CHECK(broken_laws(bench.stats).empty());
}

TEST_CASE("special functions start every sfu_interval cycles") {
  CoreBench bench(one_scheduler());
  WarpInstruction sine = alu(1);
  sine.op = OpClass::sfu;
  WarpInstruction other = sine;
  other.destination = 2;
  bench.launch({{sine, other, alu(3, 2)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 9, 29});  // 1 + 8, 9 + 20
}

TEST_CASE("shared-memory bank conflicts lengthen the access and occupy the unit") {
  CoreBench bench(one_scheduler());
  WarpInstruction shared = load(0, 1, 8);  // stride 2 words: two lanes a bank
  shared.op = OpClass::shared_load;
  WarpInstruction next = load(0, 2, 4);
  next.op = OpClass::shared_load;
  bench.launch({{shared, next, alu(3, 1), alu(4, 2)}});
  bench.run();
  // Degree 2: the unit is busy in 1 and 2, the second starts in 3. Results: 1 + 1 + 20 and 3 + 20.
  CHECK(bench.issues == Cycles{1, 3, 22, 23});
  CHECK(bench.stats.shared_conflict_cycles == 1);
}

TEST_CASE("exits spread over lanes end the warp with the last one") {
  CoreBench bench;
  WarpInstruction low = plain(OpClass::exit);
  low.active_mask = 0xffff;
  WarpInstruction high = plain(OpClass::exit);
  high.active_mask = 0xffff0000;
  WarpInstruction half = alu(1);
  half.active_mask = 0xffff0000;
  bench.launch({{alu(1), low, half, high}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 5, 6});  // the second write of register 1 waits until 5
  CHECK(bench.ends == Cycles{6});
  CHECK(bench.stats.thread_instructions == 32 + 16 + 16 + 16);
}

TEST_CASE("a CTA ends only when its queued stores have left") {
  CoreBench bench;
  bench.link_free = [](Cycle now) { return now >= 30; };
  bench.launch({{store(0x1000), plain(OpClass::exit)}});
  bench.run();
  CHECK(bench.ends == Cycles{30});
  CHECK(bench.core.drained());
}

TEST_CASE("warps without instructions and sleeps longer than the ring end too") {
  SmClusterParams params;
  params.alu_latency = 300;
  CoreBench bench(params);
  bench.launch({{}, {alu(1), alu(2, 1)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 301});
  CHECK(bench.stats.warps_done == 2);
}

TEST_CASE("each resource limits the CTAs of an SM") {
  const auto room = [](auto change) {
    CoreBench bench;
    KernelInfo kernel;
    kernel.block.x = 64;
    kernel.registers = 16;
    change(kernel);
    std::string limiter;
    const int most = bench.core.occupancy().most(kernel, &limiter);
    CHECK(bench.core.occupancy().room(kernel) == most);
    return std::make_pair(most, limiter.substr(limiter.find(' ') + 1, 5));
  };
  // 64 threads: 2 of 64 warps; 32 CTA slots are as tight.
  CHECK(room([](KernelInfo&) {}) == std::make_pair(32, std::string("CTA s")));
  CHECK(room([](KernelInfo& k) { k.block.x = 1000; }) == std::make_pair(2, std::string("warps")));
  // 255 registers * 32 = 8160, rounded to 8192 a warp: 16384 a CTA, 4 fit in 65536.
  CHECK(room([](KernelInfo& k) { k.registers = 255; }) == std::make_pair(4, std::string("regis")));
  // 10000 B round to 10240: 6 fit in 65536.
  CHECK(room([](KernelInfo& k) { k.shared_bytes = 10000; }) == std::make_pair(6, std::string("bytes")));
  CHECK(room([](KernelInfo& k) { k.shared_bytes = 65537; }).first == 0);
}

TEST_CASE("warp slots and ages survive many CTAs") {
  // 400 one-warp CTAs through an SM of 4 warps: positions are closed up over and over.
  SmClusterParams params = one_scheduler();
  params.warps = 4;
  params.ctas = 4;
  CoreBench bench(params);
  Cycle now = 0;
  for (int i = 0; i < 100; ++i) {
    for (int n = 0; n < 4; ++n) bench.launch({{alu(1), alu(2, 1), load(0x80, 3), alu(4, 3)}}, now);
    now = bench.run();
  }
  CHECK(bench.stats.ctas_done == 400);
  CHECK(bench.stats.records_issued == 1600);
  CHECK(broken_laws(bench.stats).empty());
  // All four start each round together, and each round takes the same time.
  CHECK(bench.ends[399] - bench.ends[395] == bench.ends[7] - bench.ends[3]);
}
