// MRPB behind its sockets, hand-worked. One TEST_CASE = one elaboration = one process. Clock 1 GHz, LLC 100
// cycles: a miss that meets the cache in t is on the link in t + 1 and answered in t + 102; its line is there
// from t + 101 on, and what waited for it is tried again in t + 102.
#include "models/l1/l1_prioritized.h"

#include <random>

#include "models/l1/l1.h"
#include "tb/support/block_bench.h"

using namespace strata;
using strata::tb::Order;

namespace {

constexpr auto load = AccessClass::load;
constexpr auto store = AccessClass::store;
using Bypass = L1PrioritizedParams::Bypass;

/// One line in all.
L1PrioritizedParams one_line(Bypass bypass) {
  L1PrioritizedParams params;
  params.ways = 1;
  params.size = Bytes{128};
  params.bypass = bypass;
  return params;
}

Order by_warp(Cycle at, Address line, std::uint16_t warp, AccessClass access_class = load) {
  Order order{at, access_class, line};
  order.warp = warp;
  return order;
}

struct Bench : tb::BlockBench<L1<L1Prioritized>> {
  Bench(std::vector<Order> orders, const L1PrioritizedParams& params, unsigned slowness = 0,
        unsigned jitter = 0)
      : BlockBench("l1", "llc", std::move(orders), params, slowness, jitter) {
    run();
  }
  std::vector<Address> lines_at_llc() const {
    std::vector<Address> lines;
    for (const auto& arrival : behind.arrivals) lines.push_back(arrival.line);
    return lines;
  }
};

}  // namespace

TEST_CASE("with empty queues an access takes as long as without them") {
  const Bench bench({by_warp(0, 0, 0), by_warp(200, 0, 1)}, L1PrioritizedParams{});
  CHECK(bench.at(0) == 102);
  CHECK(bench.at(1) == 228);  // a hit, 28 cycles
  CHECK_FALSE(bench.front.answers[1].at_once);
  CHECK(bench.block.counters().hits == 1);
}

// The only line is reserved for warp 0 from cycle 0 on. Without a bypass warp 1 misses in 102.
TEST_CASE("a load whose set is all reserved waits where nothing goes past") {
  const Bench bench({by_warp(0, 0, 0), by_warp(1, 128, 1)}, one_line(Bypass::none));
  CHECK(bench.at(0) == 102);
  CHECK(bench.at(1) == 102 + 102);
  CHECK(bench.block.counters().misses == 2);
  CHECK(bench.block.counters().set_full_stalls == 1);
  CHECK(bench.block.counters().stall_cycles == 101);
}

TEST_CASE("a load whose set is all reserved goes past the cache") {
  const Bench bench({by_warp(0, 0, 0), by_warp(1, 128, 1), by_warp(300, 0, 1)}, one_line(Bypass::set_full));
  CHECK(bench.at(1) == 1 + 102);
  CHECK(bench.at(2) == 328);  // line 0 is still there
  CHECK(bench.block.counters().misses == 1);
  CHECK(bench.block.counters().bypasses == 1);
  CHECK(bench.block.counters().set_full_stalls == 0);
}

// Warp 1 waits with 128 (cycle 1), then come 256 of warp 0 and 384 of warp 1. Its queue is drained before
// that of warp 0, though warp 0 came earlier and has the lower number.
TEST_CASE("a queue is drained until it is empty") {
  const Bench bench({by_warp(0, 0, 1), by_warp(1, 128, 1), by_warp(2, 256, 0), by_warp(3, 384, 1)},
                    one_line(Bypass::none));
  CHECK(bench.lines_at_llc() == std::vector<Address>{0, 128, 384, 256});
  CHECK(bench.at(1) == 102 + 102);
  CHECK(bench.at(3) == 204 + 102);
  CHECK(bench.at(2) == 306 + 102);
}

// When the queue of warp 1 is empty, those of warps 2 and 3 wait: with one and with two accesses.
TEST_CASE("the next queue is the lowest, or the longest") {
  const std::vector<Order> orders = {by_warp(0, 0, 1), by_warp(1, 128, 1), by_warp(2, 256, 3),
                                     by_warp(3, 384, 2), by_warp(4, 512, 3)};
  L1PrioritizedParams params = one_line(Bypass::none);
  const Bench bench(orders, params);
  CHECK(bench.lines_at_llc() == std::vector<Address>{0, 128, 384, 256, 512});
}
TEST_CASE("the next queue is the longest where that is asked for") {
  L1PrioritizedParams params = one_line(Bypass::none);
  params.drain = SignatureQueues::Drain::longest;
  const Bench bench(
      {by_warp(0, 0, 1), by_warp(1, 128, 1), by_warp(2, 256, 3), by_warp(3, 384, 2), by_warp(4, 512, 3)},
      params);
  CHECK(bench.lines_at_llc() == std::vector<Address>{0, 128, 256, 512, 384});
}

// One queue of one entry: 128 waits in it from 1 to 102, 256 waits in the SM, enters in 102 and misses in
// 204.
TEST_CASE("the SM waits while the queue it needs is full") {
  L1PrioritizedParams params = one_line(Bypass::none);
  params.queues = 1;
  params.queue_entries = 1;
  const Bench bench({by_warp(0, 0, 0), by_warp(1, 128, 1), by_warp(2, 256, 2)}, params);
  CHECK(bench.at(1) == 204);
  CHECK(bench.at(2) == 306);
}

// 128 B lines of 32-bit addresses: 25 bits, 4 sectors, kind 2, warp 6, load 5; a first place of 16 and a
// number up to 16.
TEST_CASE("queues take 8 x 16 entries of 42 bits, or 74 with their lanes, and 8 x 9 bits") {
  L1PrioritizedParams params;
  params.address_bits = 32;
  std::uint64_t without = 0;
  for (const StorageField& field : L1Sectored::storage(params)) without += field.entries * field.bits;
  const auto queue_bits = [&] {
    std::uint64_t bits = 0;
    for (const StorageField& field : L1Prioritized::storage(params)) bits += field.entries * field.bits;
    return bits - without;
  };
  CHECK(queue_bits() == 128 * 42 + 72);
  params.queue_lanes = true;
  CHECK(queue_bits() == 128 * 74 + 72);  // 1.165 KB
}

TEST_CASE("random traffic through small queues is answered, whatever goes past") {
  std::mt19937_64 random(3);
  std::vector<Order> orders;
  Cycle at = 0;
  for (int i = 0; i < 4000; ++i) {
    at += random() % 3;
    orders.push_back(by_warp(at, random() % 40 * 128, static_cast<std::uint16_t>(random() % 48),
                             random() % 8 == 0 ? store : load));
    orders.back().bypass_l1 = random() % 30 == 0;
  }
  L1PrioritizedParams params;
  params.size = Bytes{1024};
  params.mshrs = 4;
  params.merges = 2;
  params.miss_queue = 2;
  params.queues = 4;
  params.queue_entries = 2;
  params.bypass = Bypass::stalls;
  const Bench bench(orders, params, 5, 40);
  CHECK(bench.block.counters().requests == 4000);
  CHECK(bench.block.counters().bypasses > 100);
}
