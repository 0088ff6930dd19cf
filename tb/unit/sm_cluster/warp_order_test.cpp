// Which warp goes first: at the issue slots, and at the load/store queue that schedulers share.
#include "models/sm_cluster/warp_order.h"

#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"
#include "tb/unit/sm_cluster/one_scheduler.h"

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
