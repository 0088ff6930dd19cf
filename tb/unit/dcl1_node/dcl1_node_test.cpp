// A DC-L1 node between its two networks' sockets. One TEST_CASE = one elaboration = one process. Clock 1 GHz,
// LLC 100 cycles. An access stands in Q1 for a cycle, a reply in Q4 until it is whole, and its waiters in the
// node for one more.
#include "models/dcl1_node/dcl1_node.h"

#include "models/l1/l1_private.h"
#include "tb/support/block_bench.h"

using namespace strata;
using strata::tb::Order;

namespace {

constexpr auto load = AccessClass::load;
constexpr auto store = AccessClass::store;
using Node = DcL1Node<L1Private>;
using Params = DcL1NodeParams<L1Private>;

struct Bench : tb::BlockBench<Node> {
  Bench(std::vector<Order> orders, const Params& params = {}, unsigned slowness = 0, unsigned jitter = 0)
      : BlockBench("node", "llc", std::move(orders), params, slowness, jitter) {}
  const L1Stats& stats() const { return static_cast<const L1Stats&>(block.stats()); }
};

}  // namespace

TEST_CASE("a miss, a merge and a hit pass the four queues") {
  Bench bench({{0, load, 0, 0x1}, {10, load, 0, 0x8}, {200, load, 0, 0x2}});
  bench.run();
  // Q1 until 1, request at 2, LLC until 102, installed at 103, through Q2 at 104. The merge follows a cycle
  // later.
  CHECK(bench.at(0) == 104);
  CHECK(bench.at(1) == 105);
  CHECK(bench.at(2) == 201 + 30);
  CHECK(bench.spent(0, "l1.queue") == 1);
  CHECK(bench.spent(0, "l1.pipeline") == 1);
  CHECK(bench.spent(0, "llc.external") == 100);
  CHECK(bench.spent(0, "l1.fill") == 2);
  CHECK(bench.spent(1, "l1.merge") == 92);  // 11 to 103
  CHECK(bench.spent(2, "l1.pipeline") == 30);
  CHECK(bench.spent(2, "l1.reply_port") == 0);
  CHECK_FALSE(bench.front.answers[2].at_once);  // never within the call: Q2 may be full by then
  REQUIRE(bench.behind.arrivals.size() == 1);
  CHECK(bench.behind.arrivals[0].sectors == 0xf);  // the whole line, for later requests
}

TEST_CASE("Q1 holds what its size says, and the core's link the next") {
  Params params;
  params.queues.request = 2;
  params.cache.port_cycles = 10;
  Bench bench({{0, load, 0}, {200, load, 0}, {200, load, 0}, {200, load, 0}, {200, load, 0}}, params);
  bench.run();
  // Sent at 200, 201, 202 (held, as 201 and 202 would be a third), the cache takes them at 201, 211, 221,
  // 231.
  CHECK(bench.front.answers[1].sent == 200);
  CHECK(bench.front.answers[2].sent == 201);
  CHECK(bench.front.answers[3].sent == 202);
  CHECK(bench.front.answers[4].sent == 203);
  CHECK(bench.at(1) == 231);
  CHECK(bench.at(2) == 241);
  CHECK(bench.at(3) == 251);
  CHECK(bench.at(4) == 261);
  CHECK(bench.spent(4, "l1.queue") == 28);  // 203 to 231
}

TEST_CASE("textures, instructions and constants pass the cache, stores drop their line") {
  Bench bench({{0, load, 0},
               {200, AccessClass::texture, 0},
               {400, AccessClass::constant, 0},
               {600, load, 0},
               {800, store, 0, 0x3},
               {1000, load, 0}});
  bench.run();
  CHECK(bench.at(1) == 304);
  CHECK(bench.at(2) == 504);
  CHECK(bench.at(3) == 631);  // they have left the line alone
  CHECK(bench.at(4) == 904);  // its acknowledgement comes back through Q4 and Q2
  CHECK(bench.at(5) == 1104);
  CHECK(bench.stats().bypasses == 2);
  CHECK(bench.stats().write_evictions == 1);
}

TEST_CASE("a full pipeline of hits waits for Q2, and Q1 for it") {
  Params params;
  params.cache.latency = 3;
  params.queues = {1, 1, 1};
  std::vector<Order> orders = {{0, load, 0}};
  for (int i = 0; i < 400; ++i) orders.push_back({200, load, 0});
  Bench bench(std::move(orders), params, 9);  // a core that takes its answers up to 9 cycles late
  bench.run();
  CHECK(bench.stats().hits == 400);
  // Three in the pipeline, one in Q2, one in Q1, and one on each link: the eighth comes when the first has
  // left.
  for (std::size_t i = 8; i < 401; ++i) CHECK(bench.front.answers[i].sent >= bench.front.answers[i - 7].at);
}

TEST_CASE("a reply that stays until its waiters are answered holds the one behind it in the network") {
  Params params;
  params.queues.fill = 1;
  Bench bench({{0, load, 0}, {0, load, 0}, {0, load, 0}, {0, load, 0}, {0, load, 128}}, params);
  bench.run();
  // Sent at 0 to 4, at the cache at 1 to 5. The first line comes at 102 and is installed at 103, its loads
  // leave at 104 to 107, and Q4 is free at 108. The other comes at 106, enters Q4 at 109 and leaves at 110.
  for (std::size_t i = 0; i < 4; ++i) CHECK(bench.at(i) == 104 + i);
  CHECK(bench.at(4) == 110);
}

TEST_CASE("a reply that leaves when it is installed lets the one behind it in") {
  Params params;
  params.queues.fill = 1;
  params.queues.fill_until = DcL1Queues::FillUntil::installed;
  Bench bench({{0, load, 0}, {0, load, 0}, {0, load, 0}, {0, load, 0}, {0, load, 128}}, params);
  bench.run();
  // As above, but Q4 is free at 104: the other line comes at 106, is installed at 107 and leaves at 108.
  for (std::size_t i = 0; i < 4; ++i) CHECK(bench.at(i) == 104 + i);
  CHECK(bench.at(4) == 108);
  CHECK(bench.spent(3, "l1.merge") == 99);  // 4 to 103
  CHECK(bench.spent(3, "l1.fill") == 4);    // 103 to 107, answered from its MSHR
  CHECK(bench.stats().reply_holds == 5);
  CHECK(bench.stats().reply_hold_cycles == 4 + 1);  // 104 to 107, and 108
}

TEST_CASE("an MSHR whose loads are being answered is not free") {
  Params params;
  params.cache.mshrs = 1;
  params.queues.fill_until = DcL1Queues::FillUntil::installed;
  Bench bench({{0, load, 0}, {0, load, 0}, {0, load, 0}, {0, load, 0}, {0, load, 128}, {300, load, 0}},
              params);
  bench.run();
  // The last of four loads leaves at 107: then the other line finds the MSHR free, asks at 108, its reply
  // comes at 208, is installed at 209 and leaves at 210. (Answered from Q4, it would have been free at 103.)
  CHECK(bench.at(3) == 107);
  CHECK(bench.at(4) == 210);
  CHECK(bench.stats().mshr_full_stalls == 1);
  CHECK(bench.stats().stall_cycles == 107 - 5);
  CHECK(bench.at(5) == 301 + 30);  // the line is here all the same
}

TEST_CASE("what passes the cache, hits and answers from MSHRs enter Q2 in turn") {
  Params params;
  params.cache.merges = 16;
  params.queues.fill_until = DcL1Queues::FillUntil::installed;
  std::vector<Order> orders = {{0, load, 0}, {0, store, 128}};
  for (int i = 0; i < 13; ++i) orders.push_back({0, load, 0});
  Bench bench(std::move(orders), params);
  bench.run();
  // The line comes at 102, the acknowledgement at 103. Installed at 103, the first of 14 loads leaves at 104;
  // the acknowledgement is the head of Q4 at 104 and leaves at 105, in front of the 13 others.
  CHECK(bench.at(0) == 104);
  CHECK(bench.at(1) == 105);
  for (std::size_t i = 2; i < 15; ++i) CHECK(bench.at(i) == 104 + i);
  CHECK(bench.stats().reply_hold_cycles == 15);
}

namespace {

void crowd(DcL1Queues::FillUntil fill_until) {
  constexpr std::uint64_t seed = 37;
  std::mt19937_64 random(seed);
  Params params;
  params.queues.request = 1;
  params.queues.reply = 1;
  params.queues.fill = 1;
  params.queues.fill_until = fill_until;
  params.cache.size = Bytes(4 * KiB);
  params.cache.mshrs = 6;
  params.cache.merges = 3;
  params.cache.miss_queue = 1;
  std::vector<Order> orders;
  for (int i = 0; i < 20000; ++i) {
    const auto kind = random() % 10;
    Order order{random() % 50 == 0 ? static_cast<Cycle>(i) * 8 : 0, load, random() % 60 * 128};
    if (kind == 0) order.access_class = store;
    if (kind == 1) order.access_class = AccessClass::atomic;
    if (kind == 2) order.access_class = AccessClass::texture;
    order.bypass_l1 = kind == 3;
    orders.push_back(order);
  }
  Bench bench(std::move(orders), params, 5, 40);
  bench.run();
  CHECK(bench.stats().requests == 20000);
  CHECK(bench.stats().hits > 500);
  CHECK(bench.stats().merge_limit_stalls > 0);
  CHECK(bench.behind.arrivals.size() == bench.stats().requests_to_llc);
}

}  // namespace

TEST_CASE("random traffic through queues of one entry: everything is answered, the laws hold") {
  crowd(DcL1Queues::FillUntil::answered);
}
TEST_CASE("random traffic through queues of one entry with answers from MSHRs") {
  crowd(DcL1Queues::FillUntil::installed);
}
