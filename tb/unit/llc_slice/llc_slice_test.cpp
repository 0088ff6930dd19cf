// The LLC slice behind its sockets. One TEST_CASE = one elaboration = one process. Clock 1 GHz, memory 100
// cycles.
#include "models/llc_slice/llc_slice.h"

#include "models/llc_control/llc_control.h"
#include "tb/support/block_bench.h"

using namespace strata;
using strata::tb::Order;

namespace {

constexpr auto load = AccessClass::load;
constexpr auto store = AccessClass::store;

AddressMapParams one_slice() {
  AddressMapParams params;
  params.channels = 1;
  params.slices_per_channel = 1;
  return params;
}

LlcSliceParams direct_mapped() {
  LlcSliceParams params;
  params.size = Bytes(2 * 128);
  params.ways = 1;  // two sets: even and odd lines
  params.set_index = SetIndex::Kind::plain;
  return params;
}

struct Bench : tb::BlockBench<LlcSlice> {
  Bench(std::vector<Order> orders, const LlcSliceParams& params = {}, unsigned slowness = 0,
        unsigned jitter = 0)
      : BlockBench("slice", "memory", std::move(orders), params, slowness, jitter, one_slice()) {}
  const LlcSliceStats& stats() const { return block.state().stats(); }
};

/// Asks for a flush, or ends a kernel, in one cycle and notes the answer.
class Boundary final : public Block, public SliceFlushDoneIf, public KernelBoundaryDoneIf {
 public:
  Boundary(sc_core::sc_module_name module_name, ClockDomain& clock, Cycle when) : Block(module_name, clock) {
    book(when);
  }
  void advance(Cycle now, int) override {
    if (slice.bound()) slice->begin_flush(LlcFlush::all, every_application, *this, 3);
    if (control.bound()) control->kernel_ended(0, *this, now);
  }
  void slice_flushed(int id, Cycle at) override {
    CHECK(id == 3);
    answers.push_back(at);
  }
  void kernel_boundary_done(Cycle at) override { answers.push_back(at); }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  ControlOut<SliceControlIf> slice{*this, "slice", 0};
  ControlOut<KernelBoundaryIf> control{*this, "control", 0};
  std::vector<Cycle> answers;

 private:
  tb::NoStats stats_;
};

}  // namespace

TEST_CASE("a miss, a merge and a hit") {
  Bench bench({{0, load, 0}, {10, load, 0}, {300, load, 0}});
  bench.run();
  // Miss: tags at 120, memory from 121 to 221, reply at 222. Merge: the next cycle of the reply port. Hit:
  // 120.
  CHECK(bench.at(0) == 222);
  CHECK(bench.at(1) == 223);
  CHECK(bench.at(2) == 420);
  CHECK(bench.spent(0, "llc.pipeline") == 120);
  CHECK(bench.spent(0, "memory.external") == 100);
  CHECK(bench.spent(1, "llc.merge") == 91);  // 130 to 221
  CHECK(bench.spent(1, "llc.reply_port") == 2);
  CHECK(bench.spent(2, "llc.pipeline") == 120);
  REQUIRE(bench.behind.arrivals.size() == 1);
  CHECK(bench.behind.arrivals[0].at == 121);
}

TEST_CASE("an early lookup sends misses sooner and hits at the same time") {
  LlcSliceParams params;
  params.lookup = 20;
  Bench bench({{0, load, 0}, {300, load, 0}}, params);
  bench.run();
  CHECK(bench.at(0) == 20 + 1 + 100 + 1);
  CHECK(bench.at(1) == 420);
}

TEST_CASE("requests enter one a cycle, replies leave one a cycle") {
  Bench bench({{0, store, 0}, {0, store, 128}, {0, store, 256}});
  bench.run();
  CHECK(bench.at(0) == 120);
  CHECK(bench.at(1) == 121);
  CHECK(bench.at(2) == 122);
  CHECK(bench.behind.arrivals.empty());  // whole lines need no fetch and nothing was evicted
}

namespace {

/// An atomic on line 0: so many lanes in its first sector, the most of one address.
Order atomic(Cycle at, int lanes, int same, bool reduces = false) {
  Order order{at, AccessClass::atomic, 0, 0x1};
  order.lanes.all[0] = static_cast<std::uint8_t>(lanes);
  order.lanes.same[0] = static_cast<std::uint8_t>(same);
  order.reduces = reduces;
  return order;
}

LlcSliceParams by_lanes(int lanes, int same_address = 0) {
  LlcSliceParams params;
  params.atomic_lanes_per_cycle = lanes;
  params.atomic_same_address = same_address;
  return params;
}

}  // namespace

// 32 lanes, 16 a cycle: decided at 420, executed in 420 and 421; the load behind is decided at 422.
TEST_CASE("an atomic takes the pipeline for its lanes, and those behind it wait") {
  Bench bench({{0, load, 0}, atomic(300, 32, 32, true), {301, load, 0}}, by_lanes(16));
  bench.run();
  CHECK(bench.at(1) == 421);
  CHECK(bench.at(2) == 422);
  CHECK(bench.spent(1, "llc.pipeline") == 121);
  CHECK(bench.spent(2, "llc.pipeline") == 120);
  CHECK(bench.spent(2, "llc.queue") == 1);
  CHECK(bench.stats().atomic_lanes == 32);
  CHECK(bench.stats().atomic_transactions == 2);
  CHECK(bench.stats().atomic_conflict_cycles == 0);
  CHECK(bench.stats().reductions == 1);
}

TEST_CASE("atomics cost nothing unless asked to, and replies to all carry data") {
  Bench bench({{0, load, 0}, atomic(300, 32, 32, true), {301, load, 0}});
  bench.run();
  CHECK(bench.at(1) == 420);
  CHECK(bench.at(2) == 421);
  CHECK(bench.front.answers[1].spare_words == 0);
  CHECK(bench.stats().atomic_transactions == 0);
}

// The tags decide a cycle after the entry, and 119 cycles later data is here. 33 lanes take 501 to 503, and
// their answer comes at 503 + 119; the load that enters at 501 is decided at 504.
TEST_CASE("an atomic also holds back what enters an empty pipeline behind it") {
  LlcSliceParams params = by_lanes(16);
  params.lookup = 1;
  Bench bench({{0, load, 0}, atomic(500, 33, 1), {502, load, 0}}, params);
  bench.run();
  CHECK(bench.at(1) == 622);
  CHECK(bench.at(2) == 623);
  CHECK(bench.stats().atomic_transactions == 3);
}

// 32 lanes of one address, 4 of them a cycle where results are wanted: 8 cycles in place of 2. Decided at 420
// and 428; the reduction is executed in 428 and 429.
TEST_CASE("lanes of one address are executed one after the other where their results are wanted") {
  Bench bench({{0, load, 0}, atomic(300, 32, 32), atomic(301, 32, 32, true)}, by_lanes(16, 4));
  bench.run();
  CHECK(bench.at(1) == 427);
  CHECK(bench.at(2) == 429);
  CHECK(bench.stats().atomic_transactions == 4);
  CHECK(bench.stats().atomic_conflict_cycles == 6);
  CHECK(bench.front.answers[1].spare_words == 0);
  CHECK(bench.front.answers[2].spare_words == 8);  // of one sector: a header is left
}

// The atomic misses at 120 and its 40 lanes take 120 to 122; memory has its line from 121 to 221. The load of
// another line is decided at 123: memory from 124 to 224.
TEST_CASE("an atomic that misses takes the pipeline too, and is answered with its line") {
  Bench bench({atomic(0, 40, 1), {1, load, 128}}, by_lanes(16));
  bench.run();
  CHECK(bench.at(0) == 222);
  CHECK(bench.at(1) == 225);
  CHECK(bench.spent(1, "llc.queue") == 2);
}

// A request without a number of lanes counts as one lane.
TEST_CASE("an atomic of unknown lanes is one transaction") {
  Bench bench({{0, load, 0}, {300, AccessClass::atomic, 0}, {301, load, 0}}, by_lanes(16));
  bench.run();
  CHECK(bench.at(1) == 420);
  CHECK(bench.at(2) == 421);
  CHECK(bench.stats().atomic_lanes == 1);
  CHECK(bench.stats().atomic_transactions == 1);
}

// Sectors 0 and 3 of a line: 8 and 9 lanes. Of the request for sector 3 alone only 9 count.
TEST_CASE("the lanes of a request are those of its sectors") {
  Order both{300, AccessClass::atomic, 0, 0x9}, one{301, AccessClass::atomic, 0, 0x8};
  both.lanes.all = one.lanes.all = {8, 0, 0, 9};
  Bench bench({{0, load, 0}, both, one}, by_lanes(16));
  bench.run();
  CHECK(bench.stats().atomic_lanes == 17 + 9);
  CHECK(bench.stats().atomic_transactions == 2 + 1);
}

TEST_CASE("a cost of conflicts without one of lanes is a fault") {
  const Faults faults = by_lanes(0, 1).validate();
  REQUIRE(faults.size() == 1);
  CHECK(to_text(faults.front(), "llc").find("llc.atomic_lanes_per_cycle=0") != std::string::npos);
}

TEST_CASE("a full MSHR file stalls the pipeline") {
  LlcSliceParams params;
  params.mshrs = 1;
  Bench bench({{0, load, 0}, {1, load, 128}}, params);
  bench.run();
  // The second reaches the tags at 121; the fill at 221 frees the MSHR, it goes on at 222: memory 223 to 323.
  CHECK(bench.at(0) == 222);
  CHECK(bench.at(1) == 324);
  CHECK(bench.spent(1, "llc.pipeline") == 120);
  CHECK(bench.spent(1, "llc.full") == 101);
  CHECK(bench.stats().mshr_full_stalls == 1);
}

TEST_CASE("a stalled pipeline fills the request queue and then holds the link") {
  LlcSliceParams params;
  params.mshrs = 1;
  params.latency = 4;
  params.request_queue = 2;
  std::vector<Order> orders;
  for (Address line = 0; line < 10 * 128; line += 128) orders.push_back({0, load, line});
  Bench bench(std::move(orders), params);
  bench.run();
  // Lookup 4 + 2 entries: the first leaves the pipeline at 4, so requests 1 to 6 wait and number 7, sent at
  // 7, is held.
  CHECK(bench.front.answers[7].sent == 7);
  CHECK(bench.front.answers[8].sent > 100);
  CHECK(bench.stats().held_requests == 3);
}

TEST_CASE("a dirty eviction goes to memory when the fill comes") {
  Bench bench({{0, store, 0}, {200, load, 256}}, direct_mapped());
  bench.run();
  // Tags at 320, memory 321 to 421; the victim leaves in the cycle after.
  CHECK(bench.at(1) == 422);
  REQUIRE(bench.behind.arrivals.size() == 2);
  CHECK(bench.behind.arrivals[1].access_class == AccessClass::writeback);
  CHECK(bench.behind.arrivals[1].line == 0);
  CHECK(bench.behind.arrivals[1].at == 422);
  CHECK(bench.stats().dirty_evictions == 1);
}

TEST_CASE("a flush writes dirty lines back, waits for memory and empties the slice") {
  Bench bench({{0, store, 0}, {0, store, 128}, {2000, load, 0}});
  Boundary boundary("boundary", bench.clock, 1000);
  REQUIRE(boundary.slice.bind_to(bench.block.control));
  bench.run();
  // Walk at 1001 and 1002, writes leave at 1002 and 1003, the last is acknowledged at 1103, noticed at 1104.
  CHECK(boundary.answers == std::vector<Cycle>{1104});
  CHECK(bench.stats().flush_writes == 2);
  CHECK(bench.at(2) == 2222);  // missed
}

TEST_CASE("a private organization writes through and flushes at the end of a kernel") {
  Bench bench({{0, load, 0}, {300, store, 0, 0x3}, {2000, load, 0}});
  LlcControlParams params;
  params.organization = LlcControlParams::named("private");
  params.slices = 1;
  LlcControl control("control", params, BuildContext{bench.clock, *bench.map});
  REQUIRE(control.slice(0).bind_to(bench.block.control));
  Boundary boundary("boundary", bench.clock, 1000);
  REQUIRE(boundary.control.bind_to(control.boundary));
  bench.run();
  CHECK(bench.stats().write_throughs == 1);
  CHECK(bench.behind.arrivals[1].sectors == 0x3);
  CHECK(boundary.answers == std::vector<Cycle>{1001});  // no line is dirty
  CHECK(bench.stats().flushed_lines == 1);
  CHECK(bench.at(2) == 2222);
  CHECK(tb::counters(control.stats())["flush_cycles"] == 1);
}

namespace {

/// `params` with 32 lines and short queues, for random traffic that fills all of them.
LlcSliceParams small(LlcSliceParams params, int lookup) {
  params.size = Bytes(4 * KiB);
  params.ways = 4;
  params.latency = 10;
  params.lookup = lookup;
  params.mshrs = 6;
  params.merges = 3;
  params.request_queue = params.reply_queue = params.write_queue = 2;
  return params;
}

}  // namespace

TEST_CASE("random traffic between a slow NoC and a slow memory: everything is answered, the laws hold") {
  constexpr std::uint64_t seed = 37;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::vector<Order> orders;
  for (int i = 0; i < 20000; ++i) {
    const auto kind = random() % 4;
    Order order{random() % 50 == 0 ? static_cast<Cycle>(i) * 4 : 0, load, random() % 80 * 128};
    if (kind == 0) order.access_class = store;
    if (kind == 1) order.access_class = AccessClass::atomic;
    if (kind < 2 && random() % 2 == 0) order.sectors = 0x5;
    orders.push_back(order);
  }
  Bench bench(std::move(orders), small({}, 6), 5, 40);
  bench.run();
  CHECK(bench.stats().accesses == 20000);
  CHECK(bench.stats().held_requests > 100);
  CHECK(bench.stats().held_fills > 10);
  CHECK(bench.stats().mshr_full_stalls > 100);
  CHECK(bench.stats().reply_queue_stalls > 10);
  CHECK(bench.behind.arrivals.size() == bench.stats().fetches + bench.stats().memory_writes);
}

// What atomics cost is worked out apart from each order; stalls come and go between their cycles.
TEST_CASE("random atomics of many lanes between a slow NoC and a slow memory: their costs add up") {
  constexpr std::uint64_t seed = 38;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::vector<Order> orders;
  std::uint64_t lanes = 0, transactions = 0, conflicts = 0, reductions = 0;
  for (int i = 0; i < 8000; ++i) {
    Order order{random() % 50 == 0 ? static_cast<Cycle>(i) * 4 : 0, load, random() % 80 * 128};
    if (random() % 2 == 0) {
      order.access_class = AccessClass::atomic;
      order.reduces = random() % 2 == 0;
      unsigned all = 0, same = 0;
      for (std::size_t sector = 0; sector < 4; ++sector) {
        const auto here = static_cast<unsigned>(random() % 9);
        order.lanes.all[sector] = static_cast<std::uint8_t>(here);
        order.lanes.same[sector] = static_cast<std::uint8_t>(here == 0 ? 0 : 1 + random() % here);
        all += here;
        same = std::max<unsigned>(same, order.lanes.same[sector]);
      }
      all = std::max(all, 1U);
      const unsigned parts = (all + 4) / 5;
      lanes += all;
      transactions += parts;
      reductions += order.reduces ? 1 : 0;
      if (!order.reduces && same > parts) conflicts += same - parts;
    }
    orders.push_back(order);
  }
  Bench bench(std::move(orders), small(by_lanes(5, 1), 1), 5, 40);
  bench.run();
  CHECK(bench.stats().accesses == 8000);
  CHECK(bench.stats().atomic_lanes == lanes);
  CHECK(bench.stats().atomic_transactions == transactions);
  CHECK(bench.stats().atomic_conflict_cycles == conflicts);
  CHECK(bench.stats().reductions == reductions);
  CHECK(conflicts > 100);
}
