// The private L1 behind its sockets. One TEST_CASE = one elaboration = one process. Clock 1 GHz, LLC 100
// cycles.
#include "models/l1/l1.h"
#include "models/l1/l1_private.h"
#include "tb/support/block_bench.h"

using namespace strata;
using strata::tb::Order;

namespace {

constexpr auto load = AccessClass::load;
constexpr auto store = AccessClass::store;

/// Orders flushes, each in its cycle.
class Flusher final : public Block, private LineFlushDoneIf {
 public:
  Flusher(sc_core::sc_module_name name, ClockDomain& clock, std::vector<Cycle> when)
      : Block(name, clock), when_(std::move(when)) {
    if (!when_.empty()) book(when_.front());
  }
  void advance(Cycle, int) override {
    out->begin_flush(*this, 7);
    if (++next_ < when_.size()) book(when_[next_]);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  ControlOut<LineFlushIf> out{*this, "out", 0};
  std::vector<Cycle> done;

 private:
  void lines_flushed(int id) override {
    CHECK(id == 7);
    done.push_back(clock().now());
  }
  std::vector<Cycle> when_;
  std::size_t next_ = 0;
  tb::NoStats stats_;
};

struct Bench : tb::BlockBench<L1<L1Private>> {
  Bench(std::vector<Order> orders, const L1PrivateParams& params = {}, unsigned slowness = 0,
        unsigned jitter = 0, std::vector<Cycle> flushes = {})
      : BlockBench("l1", "llc", std::move(orders), params, slowness, jitter),
        flusher("flusher", clock, std::move(flushes)) {
    REQUIRE(flusher.out.bind_to(block.flush));
  }
  const L1Stats& stats() const { return block.counters(); }

  Flusher flusher;
};

}  // namespace

TEST_CASE("a miss, a merge and a hit") {
  Bench bench({{0, load, 0}, {10, load, 0}, {200, load, 0}});
  bench.run();
  // Miss: 1 cycle to the link, 100 in the LLC, 1 to the SM. Merge: the next cycle of the reply port.
  CHECK(bench.at(0) == 102);
  CHECK(bench.at(1) == 103);
  CHECK(bench.at(2) == 228);  // 28 cycles, no event
  CHECK(bench.front.answers[2].at_once);
  CHECK(bench.spent(0, "l1.pipeline") == 1);
  CHECK(bench.spent(0, "llc.external") == 100);
  CHECK(bench.spent(0, "l1.fill") == 1);
  CHECK(bench.spent(1, "l1.merge") == 91);  // 10 to 101
  CHECK(bench.spent(1, "l1.fill") == 2);
  CHECK(bench.spent(2, "l1.pipeline") == 28);
  REQUIRE(bench.behind.arrivals.size() == 1);
  CHECK(bench.behind.arrivals[0].at == 1);
  CHECK(bench.behind.arrivals[0].sectors == 0xf);
}

// Two banks of 32 B. Lines 0 and 128 come first. A whole line, at 400, takes both banks for two cycles: a
// part of the other one that comes at 401 is held until 402.
TEST_CASE("an access waits for its banks") {
  L1PrivateParams params;
  params.banks = 2;
  params.bytes_per_cycle.count = 64;
  Bench bench({{0, load, 0}, {200, load, 128}, {400, load, 0}, {401, load, 128}}, params);
  bench.run();
  CHECK(bench.at(2) == 428);
  CHECK(bench.at(3) == 430);
  CHECK(bench.spent(3, "l1.port") == 1);
  CHECK(bench.stats().hits == 2);
}

TEST_CASE("a watch sees misses, hits and flushes") {
  struct Watch final : AccessWatchIf {
    void seen(const Access&, Cycle) override { told += 'h'; }
    void missed(const Access&, Cycle) override { told += 'm'; }
    void flushed() override { told += 'f'; }
    std::string told;
  } watch;
  Bench bench({{0, load, 0}, {300, load, 0}, {600, load, 0}}, {}, 0, 0, {500});
  bench.block.watch_accesses(&watch);
  bench.run();
  CHECK(watch.told == "mhfm");
}

TEST_CASE("a full MSHR file holds the link") {
  L1PrivateParams params;
  params.mshrs = 1;
  Bench bench({{0, load, 0}, {1, load, 128}, {2, load, 0}}, params);
  bench.run();
  // The second finds the only MSHR taken at 1. The fill at 101 frees it, the retry at 102 takes it: link at
  // 103, LLC until 203, SM at 204. The third may come at 103 and hits.
  CHECK(bench.at(0) == 102);
  CHECK(bench.at(1) == 204);
  CHECK(bench.spent(1, "l1.full") == 101);
  CHECK(bench.front.answers[2].sent == 103);
  CHECK(bench.at(2) == 131);
  CHECK(bench.stats().mshr_full_stalls == 1);
  CHECK(bench.stats().stall_cycles == 101);
}

TEST_CASE("a held access may turn into a hit") {
  L1PrivateParams params;
  params.merges = 1;
  Bench bench({{0, load, 0}, {1, load, 0}}, params);
  bench.run();
  CHECK(bench.at(1) == 102 + 28);  // retried at 102, when the line is there
  CHECK(bench.spent(1, "l1.full") == 101);
  CHECK(bench.stats().merge_limit_stalls == 1);
  CHECK(bench.stats().hits == 1);
}

TEST_CASE("stores and atomics travel on and are acknowledged") {
  Bench bench({{0, load, 0}, {200, store, 0, 0x3}, {400, AccessClass::atomic, 0, 0x1}, {600, load, 0}});
  bench.run();
  CHECK(bench.at(1) == 302);
  CHECK(bench.at(2) == 502);
  CHECK(bench.at(3) == 702);  // the store has dropped the line
  CHECK(bench.behind.arrivals[1].access_class == store);
  CHECK(bench.behind.arrivals[1].sectors == 0x3);
  CHECK(bench.behind.arrivals[2].access_class == AccessClass::atomic);
  CHECK(bench.stats().write_evictions == 1);
}

TEST_CASE("a flush is done at once: no line is kept, nor one that is being fetched") {
  Bench bench({{0, load, 0}, {200, load, 0}, {400, load, 0}}, {}, 0, 0, {5, 350});
  bench.run();
  CHECK(bench.at(0) == 102);
  CHECK(bench.at(1) == 302);  // missed again
  CHECK(bench.at(2) == 502);
  CHECK(bench.flusher.done == std::vector<Cycle>{5, 350});
  CHECK(bench.stats().flushes == 2);
  CHECK(bench.stats().dropped_fills == 1);
  CHECK(bench.stats().flushed_lines == 1);
}

TEST_CASE("random traffic between a slow SM and a slow LLC: everything is answered, the laws hold") {
  constexpr std::uint64_t seed = 31;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::vector<Order> orders;
  for (int i = 0; i < 20000; ++i) {
    const auto kind = random() % 10;
    Order order{random() % 50 == 0 ? static_cast<Cycle>(i) * 8 : 0, load, random() % 60 * 128};
    if (kind == 0) order.access_class = store;
    if (kind == 1) order.access_class = AccessClass::atomic;
    order.bypass_l1 = kind == 2;
    orders.push_back(order);
  }
  L1PrivateParams params;
  params.size = Bytes(4 * KiB);
  params.ways = 4;
  params.mshrs = 6;
  params.merges = 2;
  params.miss_queue = 4;
  std::vector<Cycle> flushes;
  for (Cycle at = 1000; flushes.size() < 20; at += 7919) flushes.push_back(at);
  Bench bench(std::move(orders), params, 5, 40, flushes);
  bench.run();
  CHECK(bench.stats().requests == 20000);
  CHECK(bench.stats().flushes == 20);
  CHECK(bench.stats().mshr_full_stalls > 100);
  CHECK(bench.stats().merge_limit_stalls > 0);
  CHECK(bench.stats().ordering_bypasses > 10);
  CHECK(bench.behind.arrivals.size() == bench.stats().requests_to_llc);
}
