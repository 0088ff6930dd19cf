// L1s with prefetchers under random loads, stores and atomics: everything is answered, laws hold, nothing is
// left behind. The seed is that of the case.
#include <random>
#include <string>

#include "models/l1/l1.h"
#include "models/l1/l1_decoupled_sectored.h"
#include "models/l1/l1_prioritized.h"
#include "models/l1/l1_private.h"
#include "models/l1/l1_tag_split.h"
#include "tb/support/block_bench.h"
#include "tb/support/long_mode.h"

using namespace strata;
using strata::tb::Order;

namespace {

/// Walks with strides, and accesses anywhere in a few lines: all outcomes of prefetches happen.
std::vector<Order> orders(std::mt19937_64& random, std::uint64_t count) {
  std::vector<Order> all;
  Cycle at = 0;
  Address walk[4] = {};
  for (std::uint64_t i = 0; i < count; ++i) {
    at += random() % 4 == 0 ? random() % 600 : 1;
    const auto warp = static_cast<std::uint16_t>(random() % 4);
    Order order{at, AccessClass::load, 0};
    order.warp = warp;
    if (random() % 3 != 0) {
      walk[warp] += 128 * (warp + 1U);
      order.line = walk[warp] % (1U << 15);
    } else {
      order.line = random() % 64 * 128;
      order.warp = 9;
    }
    order.sectors = static_cast<std::uint8_t>(1 + random() % 15);
    if (random() % 12 == 0) order.access_class = random() % 3 == 0 ? AccessClass::atomic : AccessClass::store;
    order.bypass_l1 = random() % 40 == 0;
    all.push_back(order);
  }
  return all;
}

void draw(std::mt19937_64& random, PrefetchParams& params) {
  params.prefetcher = 1 + static_cast<int>(random() % 3);
  params.prefetch_degree = 1 + static_cast<int>(random() % 6);
  params.prefetch_distance = 1 + static_cast<int>(random() % 3);
  params.prefetch_table = 1 + static_cast<int>(random() % 32);
  params.prefetch_window = 1 + static_cast<int>(random() % 16);
  params.prefetch_queue = 1 + static_cast<int>(random() % 8);
  params.prefetch_mshrs = 1 + static_cast<int>(random() % 8);
}

template <class Design>
void run(unsigned seed) {
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  typename Design::Params params;
  draw(random, params);
  params.size = Bytes(4 * KiB);
  params.ways = 4;
  params.mshrs = 4 + static_cast<int>(random() % 12);  // fewer leave none to prefetches
  params.merges = 2 + static_cast<int>(random() % 4);
  params.miss_queue = 1 + static_cast<int>(random() % 4);
  params.miss_latency = 1 + static_cast<int>(random() % 8);
  params.banks = random() % 2 == 0 ? 1 : 4;
  if (params.banks != 1) params.bank_queue = static_cast<int>(random() % 3);
  if (random() % 3 == 0) params.request_bytes = Bytes(32);
  REQUIRE(params.validate().empty());
  tb::BlockBench<L1<Design>> bench("l1", "llc", orders(random, tb::accesses_of_property(6000)), params,
                                   random() % 4, random() % 40);
  bench.run();
  bench.block.settle(0);
  for (const Fault& fault : bench.block.check_idle()) FAIL_CHECK(fault.message);
  const PrefetchStats& stats = bench.block.counters().prefetch;
  CHECK(stats.useful + stats.late > 0);
  CHECK(bench.block.counters().replies == bench.block.counters().requests);
}

}  // namespace

TEST_CASE("prefetches of private L1s from seed 1") {
  run<L1Private>(1);
}
TEST_CASE("prefetches of private L1s from seed 2") {
  run<L1Private>(2);
}
TEST_CASE("prefetches of private L1s from seed 3") {
  run<L1Private>(3);
}
TEST_CASE("prefetches of private L1s from seed 4") {
  run<L1Private>(4);
}
TEST_CASE("prefetches of sectored L1s from seed 5") {
  run<L1Sectored>(5);
}
TEST_CASE("prefetches of sectored L1s from seed 6") {
  run<L1Sectored>(6);
}
TEST_CASE("prefetches of sectored L1s from seed 7") {
  run<L1Sectored>(7);
}
TEST_CASE("prefetches of sectored L1s from seed 8") {
  run<L1Sectored>(8);
}
TEST_CASE("prefetches of prioritized L1s from seed 9") {
  run<L1Prioritized>(9);
}
TEST_CASE("prefetches of prioritized L1s from seed 10") {
  run<L1Prioritized>(10);
}
TEST_CASE("prefetches of tag-split L1s from seed 11") {
  run<L1TagSplit>(11);
}
TEST_CASE("prefetches of tag-split L1s from seed 12") {
  run<L1TagSplit>(12);
}
TEST_CASE("prefetches of decoupled sectored L1s from seed 13") {
  run<L1DecoupledSectored>(13);
}
