// Which warp goes first: at the issue slots, and at the load/store queue that schedulers share.
#include "models/sm_cluster/warp_order.h"

#include "models/sm_cluster/result_times.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

std::vector<std::uint32_t> order(const CoreBench& bench) {
  std::vector<std::uint32_t> pcs;
  for (const LineLog& line : bench.lines) pcs.push_back(line.pc);
  return pcs;
}

// Warp w stores three times; pc = 10 * w + n marks the n-th.
std::vector<Program> three_stores_each(int warps) {
  std::vector<Program> programs;
  for (int w = 0; w < warps; ++w) {
    Program program;
    for (int n = 0; n < 3; ++n) {
      program.push_back(store(0x1000));
      program.back().pc = static_cast<std::uint32_t>(10 * w + n);
    }
    programs.push_back(program);
  }
  return programs;
}

}  // namespace

TEST_CASE("GTO stays with a warp, LRR alternates") {
  SmClusterParams params = one_scheduler();
  CoreBench greedy(params);
  greedy.launch(three_stores_each(3));
  greedy.run();
  CHECK(order(greedy) == std::vector<std::uint32_t>{0, 1, 2, 10, 11, 12, 20, 21, 22});
  params.scheduler = WarpPolicy::lrr;
  CoreBench loose(params);
  loose.launch(three_stores_each(3));
  loose.run();
  CHECK(order(loose) == std::vector<std::uint32_t>{0, 10, 20, 1, 11, 21, 2, 12, 22});
}

TEST_CASE("GTO leaves a stalled warp for the oldest ready one and stays there") {
  CoreBench bench(one_scheduler());
  Program first = {alu(1), store(0), store(0)};
  first[1].sources[0] = 1;  // waits for register 1 until cycle 5
  first[1].pc = 1;
  first[2].pc = 2;
  std::vector<Program> warps = three_stores_each(3);
  warps[0] = first;
  bench.launch(warps);
  bench.run();
  // 1: warp 0. 2-4: warp 1 (oldest ready, three stores). 5: warp 1 has ended, warp 0 is ready and oldest:
  // 5, 6. Then warp 2.
  CHECK(order(bench) == std::vector<std::uint32_t>{10, 11, 12, 1, 2, 20, 21, 22});
}

// Warps 0 and 2 are scheduler 0's, 1 and 3 scheduler 1's. One instruction enters the queue a cycle.
TEST_CASE("the load/store queue takes from the first scheduler, or from that of the oldest warp") {
  SmClusterParams params;
  params.lsu_depth = 1;
  CoreBench fixed(params);
  fixed.launch(three_stores_each(4));
  fixed.run();
  CHECK(order(fixed) == std::vector<std::uint32_t>{0, 1, 2, 20, 21, 22, 10, 11, 12, 30, 31, 32});
  params.arbitration = Arbitration::oldest;
  CoreBench oldest(params);
  oldest.launch(three_stores_each(4));
  oldest.run();
  CHECK(order(oldest) == std::vector<std::uint32_t>{0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32});
  CHECK(broken_laws(oldest.stats).empty());
}

// Warp 1 stores from 10 on, after three dependent results. Warp 0 has ended in 1; what is launched into its
// slot then has its three results in 2, 6 and 10 and meets the other's second store in 11.
TEST_CASE("a warp that takes the slot of an older one is younger than all others") {
  SmClusterParams params;
  params.warps = 2;
  params.lsu_depth = 1;
  const auto stores = [&](Arbitration arbitration) {
    params.arbitration = arbitration;
    CoreBench bench(params);
    const Program results = {alu(1), alu(2, 1), alu(3, 2)};
    Program early = three_stores_each(2)[1], late = {store(0x1000)};
    early.insert(early.begin(), results.begin(), results.end());
    late.insert(late.begin(), results.begin(), results.end());
    bench.launch({{plain(OpClass::exit)}});
    bench.launch({early});
    bench.launch({late}, bench.run(3));
    bench.run();
    return order(bench);
  };
  CHECK(stores(Arbitration::fixed) == std::vector<std::uint32_t>{10, 0, 11, 12});
  CHECK(stores(Arbitration::oldest) == std::vector<std::uint32_t>{10, 11, 12, 0});
}

TEST_CASE("gto and lrr pick by age, and their places are those of WarpPolicy") {
  const auto ready = [](std::uint64_t ages, std::uint64_t last) { return ReadyWarps{ages, last, nullptr}; };
  CHECK(pick_gto(ready(0b1110, 0b0100)) == 2);  // the last one again
  CHECK(pick_gto(ready(0b1010, 0b0100)) == 1);  // it is not ready: the oldest
  CHECK(pick_lrr(ready(0b1110, 0b0100)) == 3);  // the next younger one
  CHECK(pick_lrr(ready(0b0110, 0b0100)) == 1);  // none is: the oldest
  CHECK(pick_lrr(ready(0b1110, 0)) == 1);
  const auto& table = WarpOrderRow::table();
  CHECK(table.find("gto") == static_cast<int>(WarpPolicy::gto));
  CHECK(table.find("lrr") == static_cast<int>(WarpPolicy::lrr));
  CHECK(table.at(WarpPolicy::lrr).make(SmClusterParams{})->pick(ready(0b1110, 0b0100)) == 3);
}

// With `await_stores` a warp ends with the answer to its last store. An instruction issued in cycle i has its
// first line out in i + 1; with a latency of 10 the answer is there in i + 11 and acted on in i + 12.

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

// Until when results of fixed latency are waited for.

TEST_CASE("a result is waited for by the instruction that needs it, the latest of several results counts") {
  ResultTimes times(2);
  times.set(1, 40, 3, 17, 10);
  CHECK(times.ready(1, 40) == 17);
  CHECK(times.ready(1, 39) == 0);
  CHECK(times.ready(0, 40) == 0);
  times.set(1, 40, 2, 15, 11);
  CHECK(times.ready(1, 40) == 17);
  times.set(1, 40, 1, 19, 12);
  CHECK(times.ready(1, 40) == 19);
}

TEST_CASE("results that are far away in instructions or in cycles are waited for as well") {
  ResultTimes times(1);
  times.set(0, 40, 32, 17, 10);  // the same place as that of a near one
  times.set(0, 40 + 32, 1, 12, 10);
  CHECK(times.ready(0, 40) == 17);
  times.set(0, 7, 1, 100'010, 10);  // more cycles than 16 bits hold
  CHECK(times.ready(0, 7) == 100'010);
}

TEST_CASE("times stay what they are when they are counted from a later cycle on") {
  ResultTimes times(2);
  times.set(0, 5, 1, 65'530, 65'500);
  times.set(0, 6, 1, 65'505, 65'500);
  // From cycle 65 510 on: what lies before is over, what lies behind is still to come.
  times.set(1, 9, 1, 65'540, 65'510);
  CHECK(times.ready(0, 5) == 65'530);
  CHECK(times.ready(0, 6) <= 65'510);
  CHECK(times.ready(1, 9) == 65'540);
  // An old time leaves nothing much later.
  times.set(1, 9, 1, 10'000'000'003, 10'000'000'000);
  CHECK(times.ready(1, 9) == 10'000'000'003);
  CHECK(times.ready(0, 5) <= 10'000'000'000);
}
