// L1s that keep stores to local memory (`local: write_back`). One TEST_CASE = one elaboration = one process.
// Clock 1 GHz, LLC 100 cycles.
#include "models/l1/l1_local.h"

#include <algorithm>
#include <random>

#include "models/l1/l1.h"
#include "models/l1/l1_decoupled_sectored.h"
#include "models/l1/l1_kind.h"
#include "tb/support/block_bench.h"

using namespace strata;
using strata::tb::Order;

namespace {

constexpr auto load = AccessClass::load;
constexpr auto store = AccessClass::store;

using KeepingLines = L1WithLocal<L1PrivateBySectors>;
using KeepingSectors = L1WithLocal<L1Sectored>;

/// One set of two lines of 128 B.
template <class Params>
Params two_lines() {
  Params params;
  params.local = L1Params::Local::write_back;
  params.ways = 2;
  params.size = Bytes(256);
  return params;
}

Order local(Cycle at, AccessClass access_class, std::uint64_t line, std::uint8_t sectors = 0xf) {
  Order order{at, access_class, line * 128, sectors};
  order.local = true;
  return order;
}

/// Flushes in one cycle, at the end of all CTAs or while some run.
class Flusher final : public Block, private LineFlushDoneIf {
 public:
  Flusher(sc_core::sc_module_name name, ClockDomain& clock, Cycle when, bool ended)
      : Block(name, clock), ended_(ended) {
    if (when != never) book(when);
  }
  void advance(Cycle, int) override {
    if (ended_)
      out->begin_flush(*this, 3);
    else
      out->begin_flush_of_some(*this, 3);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  ControlOut<LineFlushIf> out{*this, "out", 0};
  Cycle done = never;

 private:
  void lines_flushed(int) override { done = clock().now(); }
  bool ended_;
  tb::NoStats stats_;
};

template <class Organization>
struct Bench : tb::BlockBench<L1<Organization>> {
  Bench(std::vector<Order> orders, const typename Organization::Params& params, Cycle flush = never,
        bool ended = true, unsigned slowness = 0, unsigned jitter = 0)
      : tb::BlockBench<L1<Organization>>("l1", "llc", std::move(orders), params, slowness, jitter),
        flusher("flusher", this->clock, flush, ended) {
    REQUIRE(flusher.out.bind_to(this->block.flush));
  }
  void run() {
    tb::BlockBench<L1<Organization>>::run();
    CHECK(this->behind.arrivals.size() == stats().requests_to_llc);
    CHECK(stats().local_dirtied_sectors == stats().local_written_sectors + stats().local_dropped_sectors +
                                               this->block.state().dirty_sectors());
  }
  const L1Stats& stats() const { return this->block.counters(); }
  void arrived(std::size_t request, Cycle at, AccessClass access_class, std::uint64_t line,
               std::uint8_t sectors = 0xf) const {
    REQUIRE(request < this->behind.arrivals.size());
    CHECK(this->behind.arrivals[request].at == at);
    CHECK(this->behind.arrivals[request].access_class == access_class);
    CHECK(this->behind.arrivals[request].line == line * 128);
    CHECK(this->behind.arrivals[request].sectors == sectors);
  }

  Flusher flusher;
};

}  // namespace

TEST_CASE("what is spilled and fits is reloaded without a request") {
  Bench<KeepingLines> bench(
      {local(0, store, 0), local(10, store, 1), local(100, load, 0), local(110, load, 1)},
      two_lines<L1PrivateParams>());
  bench.run();
  // All are answered as hits are: 28 cycles later.
  CHECK(bench.at(0) == 28);
  CHECK(bench.at(1) == 38);
  CHECK(bench.at(2) == 128);
  CHECK(bench.at(3) == 138);
  CHECK(bench.spent(0, "l1.pipeline") == 28);
  CHECK(bench.behind.arrivals.empty());
  CHECK(bench.stats().local_stores == 2);
  CHECK(bench.stats().local_allocations == 2);
  CHECK(bench.stats().local_store_hits == 0);
  CHECK(bench.stats().local_dirtied_sectors == 8);
  CHECK(bench.stats().hits == 2);
  CHECK(bench.stats().stores == 0);
}

TEST_CASE("an evicted dirty line is written, and is fetched again when it is read") {
  Bench<KeepingLines> bench(
      {local(0, store, 0), local(10, store, 1), local(20, store, 2, 0x3), local(200, load, 0)},
      two_lines<L1PrivateParams>());
  bench.run();
  // Line 2 takes the way of line 0, whose write is on the link a cycle later. The load of line 0 is on the
  // link at 201 and back at 301, where it takes the way of line 1: on the link at 302.
  REQUIRE(bench.behind.arrivals.size() == 3);
  bench.arrived(0, 21, store, 0);
  bench.arrived(1, 201, load, 0);
  bench.arrived(2, 302, store, 1);
  CHECK(bench.at(2) == 48);
  CHECK(bench.at(3) == 302);
  CHECK(bench.stats().local_write_backs == 2);
  CHECK(bench.stats().local_written_sectors == 8);
  CHECK(bench.stats().local_dirtied_sectors == 10);  // the sectors 0 and 1 of line 2 are left
  CHECK(bench.stats().evictions == 2);
}

TEST_CASE("a load of more than was stored fetches, and what is dirty stays") {
  Bench<KeepingSectors> bench({local(0, store, 0, 0x2), local(10, load, 0, 0x2), local(50, load, 0, 0x7),
                               local(200, load, 0, 0x7), local(300, store, 1), local(310, store, 2)},
                              two_lines<L1SectoredParams>());
  bench.run();
  // Sector 1 is here; 0 and 2 are asked for at 51 and here at 151, a cycle before the answer.
  bench.arrived(0, 51, load, 0, 0x5);
  CHECK(bench.at(1) == 38);
  CHECK(bench.at(2) == 152);
  CHECK(bench.at(3) == 228);
  // Line 2 evicts line 0: its one dirty sector is written.
  bench.arrived(1, 311, store, 0, 0x2);
  CHECK(bench.stats().local_written_sectors == 1);
}

TEST_CASE("a store to what is being fetched does not make the fetch stale") {
  Bench<KeepingLines> bench(
      {local(0, load, 0), local(10, store, 0, 0x1), local(20, load, 0, 0x3), local(200, load, 0)},
      two_lines<L1PrivateParams>());
  bench.run();
  bench.arrived(0, 1, load, 0);
  CHECK(bench.at(1) == 38);
  CHECK(bench.at(2) == 103);  // behind the first load
  CHECK(bench.at(3) == 228);
  CHECK(bench.stats().merges == 1);
  CHECK(bench.stats().dropped_fills == 0);
  CHECK(bench.block.state().dirty_sectors() == 1);
}

TEST_CASE("stores to global memory go through beside local ones") {
  Order bypass = local(30, load, 0, 0x1);
  bypass.bypass_l1 = true;
  Bench<KeepingLines> bench({local(0, store, 0), {10, store, 128}, {20, store, 0, 0x1}, bypass},
                            two_lines<L1PrivateParams>());
  bench.run();
  // The global store to line 0 drops it (`write: evict`), behind the write of what is dirty. The bypassing
  // load finds nothing dirty then.
  REQUIRE(bench.behind.arrivals.size() == 4);
  bench.arrived(0, 11, store, 1);
  bench.arrived(1, 21, store, 0);
  bench.arrived(2, 22, store, 0, 0x1);
  bench.arrived(3, 31, load, 0, 0x1);
  CHECK(bench.stats().stores == 2);
  CHECK(bench.stats().local_write_backs == 1);
}

TEST_CASE("a load that is to go past the L1 finds what only the L1 has") {
  Order bypass = local(30, load, 0, 0x1);
  bypass.bypass_l1 = true;
  Bench<KeepingLines> bench({local(0, store, 0), bypass}, two_lines<L1PrivateParams>());
  bench.run();
  CHECK(bench.at(1) == 58);
  CHECK(bench.behind.arrivals.empty());
  CHECK(bench.stats().hits == 1);
}

TEST_CASE("the end of a kernel drops what its threads have left") {
  Bench<KeepingLines> bench({local(0, store, 0), local(200, load, 0)}, two_lines<L1PrivateParams>(), 100);
  bench.run();
  CHECK(bench.flusher.done == 100);
  bench.arrived(0, 201, load, 0);  // of another kernel
  CHECK(bench.stats().local_dropped_sectors == 4);
  CHECK(bench.stats().flushed_lines == 1);
}

TEST_CASE("a flush waits for write-backs in flight") {
  Bench<KeepingLines> bench({local(0, store, 0), local(10, store, 1), local(20, store, 2)},
                            two_lines<L1PrivateParams>(), 50);
  bench.run();
  bench.arrived(0, 21, store, 0);
  CHECK(bench.flusher.done == 121);
  CHECK(bench.stats().local_dropped_sectors == 8);
}

TEST_CASE("a flush while CTAs run writes what they may still read") {
  Bench<KeepingLines> bench({local(0, store, 0), local(10, store, 1, 0x1), local(300, load, 1, 0x1)},
                            two_lines<L1PrivateParams>(), 100, false);
  bench.run();
  // On the link at 101 and 102, in the order of the ways, of which the last was filled first; the second is
  // answered at 202.
  bench.arrived(0, 101, store, 1, 0x1);
  bench.arrived(1, 102, store, 0);
  CHECK(bench.flusher.done == 202);
  bench.arrived(2, 301, load, 1);
  CHECK(bench.stats().local_dropped_sectors == 0);
  CHECK(bench.stats().local_written_sectors == 5);
}

TEST_CASE("a store that has to write back needs room in the miss queue, and no other does") {
  KeepingLines l1(two_lines<L1PrivateParams>());
  const auto keep = [&](std::uint64_t line, bool room) {
    Access access;
    access.access_class = store;
    access.line = line * 128;
    access.local = true;
    return l1.lookup(access, 0, room);
  };
  CHECK(keep(0, false).outcome == L1Outcome::kept);
  CHECK(keep(1, false).outcome == L1Outcome::kept);
  CHECK(keep(0, false).outcome == L1Outcome::kept);
  const L1Decision held = keep(2, false);
  CHECK(held.outcome == L1Outcome::stall);
  CHECK(held.stall == L1Stall::miss_queue);
  L1WriteBack out{};
  CHECK_FALSE(l1.take_write_back(out));
  CHECK(keep(2, true).outcome == L1Outcome::kept);
  REQUIRE(l1.take_write_back(out));
  CHECK(out.line == 128);  // line 0 was used since
  CHECK(out.sectors == 0xf);
  CHECK_FALSE(l1.take_write_back(out));
}

TEST_CASE("a dirty line whose parts are requested one by one is several writes") {
  auto params = two_lines<L1SectoredParams>();
  params.request_bytes = Bytes(32);
  params.banks = 4;
  params.bank_queue = 4;
  Bench<KeepingSectors> bench({local(0, store, 0, 0xb), local(10, store, 1), local(20, store, 2)}, params);
  bench.run();
  CHECK(bench.stats().local_write_backs == 1);
  CHECK(bench.stats().more_requests == 2);
  REQUIRE(bench.behind.arrivals.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const Cycle at = 21 + i;  // each from its bank, one a cycle
    CHECK(bench.behind.arrivals[i].at == at);
    CHECK(bench.behind.arrivals[i].sectors == 0x1);
  }
  CHECK(bench.behind.arrivals[2].line == 3 * 32);
}

TEST_CASE("random local accesses, in front of an LLC that holds back and is held back, come to an end") {
  constexpr std::uint64_t seed = 17;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::vector<Order> orders;
  constexpr AccessClass classes[] = {load, load, store, store, AccessClass::atomic};
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t line = random() % 24;
    Order order{random() % 9000, classes[random() % 5], line * 256,
                static_cast<std::uint8_t>(1 + random() % 255), random() % 9 == 0};
    order.local = line % 3 != 0 && order.access_class != AccessClass::atomic;
    orders.push_back(order);
  }
  std::sort(orders.begin(), orders.end(), [](const Order& a, const Order& b) { return a.at < b.at; });
  L1SectoredParams params = two_lines<L1SectoredParams>();
  params.size = Bytes(4 * KiB);
  params.ways = 4;
  params.line = Bytes(256);
  params.mshrs = 3;
  params.miss_queue = 1;
  params.allocation = Allocation::on_miss;
  Bench<KeepingSectors> bench(std::move(orders), params, 4000, true, 5, 40);
  bench.run();
  CHECK(bench.stats().local_write_backs > 100);
  CHECK(bench.stats().more_requests > 100);
  CHECK(bench.stats().miss_queue_stalls > 100);
}

TEST_CASE("an L1 that keeps local stores has two bits more for each 32 B") {
  const auto bits = [](const StorageFields& fields) {
    std::uint64_t sum = 0;
    for (const StorageField& field : fields) sum += field.entries * field.bits;
    return sum;
  };
  L1SectoredParams params;  // 384 lines of 4 sectors
  const std::uint64_t without = bits(L1Sectored::storage(params));
  params.local = L1Params::Local::write_back;
  CHECK(bits(L1Sectored::storage(params)) == without + 384 * 8);
}

TEST_CASE("an L1 that keeps no stores refuses local: write_back by name") {
  L1DecoupledSectoredParams params;
  params.local = L1Params::Local::write_back;
  const Faults faults = params.validate();
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].message.find("write_back") != std::string::npos);
  CHECK(faults[0].message.find("allowed: as_global") != std::string::npos);
}
