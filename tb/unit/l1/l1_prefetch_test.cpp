// The prefetcher of an L1 behind its sockets. One TEST_CASE = one elaboration = one process. Clock 1 GHz, LLC
// 100 cycles.
#include "models/l1/l1.h"
#include "models/l1/l1_private.h"
#include "models/l1/l1_sectored.h"
#include "tb/support/block_bench.h"
#include "tb/support/one_line_prefetcher.h"

using namespace strata;
using strata::tb::one_line;
using strata::tb::Order;

namespace {

constexpr auto load = AccessClass::load;
constexpr auto store = AccessClass::store;

template <class Params = L1PrivateParams>
Params params_of(int prefetcher) {
  Params params;
  params.prefetcher = prefetcher;
  params.prefetch_degree = 1;
  return params;
}
int next_line() {
  return PrefetcherRow::table().find("next_line");
}

/// Two lines in one set.
L1PrivateParams two_lines() {
  L1PrivateParams params = params_of(one_line());
  params.size = Bytes(256);
  params.ways = 2;
  return params;
}

template <class Design = L1Private>
struct Bench : tb::BlockBench<L1<Design>> {
  Bench(std::vector<Order> orders, const typename Design::Params& params, unsigned slowness = 0,
        unsigned jitter = 0)
      : tb::BlockBench<L1<Design>>("l1", "llc", std::move(orders), params, slowness, jitter) {}
  const L1Stats& stats() const { return this->block.counters(); }
  const PrefetchStats& prefetches() const { return this->block.counters().prefetch; }
};

}  // namespace

// The miss leaves in 1 and has the link until 2: the prefetch is looked up in 2 and leaves in 3. Its reply
// comes in 103. The hit in 200 is the first use, which makes the next prefetch go: looked up in 201, sent in
// 202.
TEST_CASE("a prefetch goes when the port, the miss queue and the link are free, and its line is hit") {
  Bench<> bench({{0, load, 0}, {200, load, 128}}, params_of(next_line()));
  bench.run();
  CHECK(bench.at(0) == 102);
  CHECK(bench.at(1) == 228);
  REQUIRE(bench.behind.arrivals.size() == 3);
  CHECK(bench.behind.arrivals[1].line == 128);
  CHECK(bench.behind.arrivals[1].at == 3);
  CHECK(bench.behind.arrivals[1].sectors == 0xf);
  CHECK(bench.behind.arrivals[2].line == 256);
  CHECK(bench.behind.arrivals[2].at == 202);
  CHECK(bench.prefetches().issued == 2);
  CHECK(bench.prefetches().useful == 1);
  CHECK(bench.stats().accesses == 2);
  CHECK(bench.stats().hits == 1);
  CHECK(bench.stats().fills == 3);
  CHECK(bench.stats().replies == 2);
}

TEST_CASE("a load that finds its line under way by a prefetch merges") {
  Bench<> bench({{0, load, 0}, {50, load, 128}}, params_of(one_line()));
  bench.run();
  CHECK(bench.at(1) == 104);  // the reply of 3 + 100, and one cycle to the SM
  CHECK(bench.spent(1, "l1.merge") == 53);
  CHECK(bench.spent(1, "l1.fill") == 1);
  CHECK(bench.prefetches().late == 1);
  CHECK(bench.prefetches().useful == 0);
  CHECK(bench.stats().merges == 1);
  CHECK(bench.stats().misses == 1);
}

// Line 128 comes in 103, line 1024 takes the way of line 0, and line 2048 that of line 128.
TEST_CASE("a prefetched line that is evicted before its use is useless") {
  Bench<> bench({{0, load, 0}, {200, load, 1024}, {400, load, 2048}, {600, load, 128}}, two_lines());
  bench.run();
  CHECK(bench.at(3) == 702);
  CHECK(bench.prefetches().issued == 1);
  CHECK(bench.prefetches().useless == 1);
  CHECK(bench.prefetches().polluting == 0);
  CHECK(bench.stats().misses == 4);
}

// Both lines are taken. Line 0 takes the way of line 1024, and the prefetch that of line 2048.
TEST_CASE("a miss of a line that a prefetch has evicted is polluting") {
  Bench<> bench({{0, load, 1024}, {200, load, 2048}, {400, load, 0}, {600, load, 2048}}, two_lines());
  bench.run();
  CHECK(bench.prefetches().issued == 1);
  CHECK(bench.prefetches().polluting == 1);
  CHECK(bench.stats().evictions == 3);
  CHECK(bench.stats().misses == 4);
}

// A load in each cycle from 0 to 9: the prefetch of line 1, named in 0, is looked up when they are over, in
// cycle 11, as the last of their requests has the link in 10.
TEST_CASE("a prefetch waits while accesses need the port and the link") {
  std::vector<Order> orders;
  for (Cycle at = 0; at < 10; ++at) orders.push_back({at, load, at * 1024});
  Bench<> bench(orders, params_of(one_line()));
  bench.run();
  REQUIRE(bench.behind.arrivals.size() == 11);
  for (std::size_t i = 0; i < 10; ++i) CHECK(bench.behind.arrivals[i].at == i + 1);
  CHECK(bench.behind.arrivals[10].line == 128);
  CHECK(bench.behind.arrivals[10].at == 12);
}

// With one MSHR the prefetch waits until the miss is over in 101, and goes in 102.
TEST_CASE("a prefetch waits for an MSHR") {
  L1PrivateParams params = params_of(one_line());
  params.mshrs = 1;
  Bench<> bench({{0, load, 0}}, params);
  bench.run();
  REQUIRE(bench.behind.arrivals.size() == 2);
  CHECK(bench.behind.arrivals[1].at == 103);
}

TEST_CASE("a prefetch takes no place in the miss queue") {
  L1PrivateParams params = params_of(one_line());
  params.miss_queue = 1;
  params.miss_latency = 10;
  // Sent in 10, prefetch looked up in 11. The miss of 12 finds the only place free, and leaves in 22.
  Bench<> bench({{0, load, 0}, {12, load, 4096}}, params);
  bench.run();
  REQUIRE(bench.behind.arrivals.size() == 3);
  CHECK(bench.behind.arrivals[1].at == 21);
  CHECK(bench.behind.arrivals[2].at == 22);
  CHECK(bench.stats().miss_queue_stalls == 0);
}

TEST_CASE("a sectored L1 prefetches the sectors that the load asked for") {
  Bench<L1Sectored> bench({{0, load, 0, 0x6}, {200, load, 128, 0x2}, {400, load, 128, 0x8}},
                          params_of<L1SectoredParams>(one_line()));
  bench.run();
  REQUIRE(bench.behind.arrivals.size() == 3);
  CHECK(bench.behind.arrivals[1].sectors == 0x6);
  CHECK(bench.behind.arrivals[2].sectors == 0x8);
  CHECK(bench.prefetches().useful == 1);
  CHECK(bench.stats().misses == 2);
}

// In a set of one way that is reserved with the miss, the prefetch of the line beside it has to wait for the
// fill, and evicts the line then: its next load is polluted.
TEST_CASE("a line that is allocated with its prefetch evicts at once") {
  auto params = params_of<L1SectoredParams>(one_line());
  params.size = Bytes(128);
  params.ways = 1;
  params.allocation = Allocation::on_miss;
  Bench<L1Sectored> bench({{0, load, 0}, {110, load, 0}}, params);
  bench.run();
  REQUIRE(bench.behind.arrivals.size() == 4);  // the load names the line again
  CHECK(bench.behind.arrivals[1].at == 103);
  CHECK(bench.prefetches().polluting == 1);
  CHECK(bench.prefetches().useless == 1);
  CHECK(bench.stats().set_full_stalls == 1);  // of the load, while the prefetch has the way
}

TEST_CASE("a store overtakes a prefetch, whose line is not kept") {
  Bench<> bench({{0, load, 0}, {50, store, 128}, {300, load, 128}}, params_of(one_line()));
  bench.run();
  CHECK(bench.stats().dropped_fills == 1);
  CHECK(bench.stats().misses == 2);
  CHECK(bench.prefetches().useless == 1);
}

TEST_CASE("lines of several requests are prefetched in parts") {
  L1PrivateParams params = params_of(one_line());
  params.request_bytes = Bytes(32);
  Bench<> bench({{0, load, 0}, {300, load, 128}}, params);
  bench.run();
  CHECK(bench.behind.arrivals.size() == 8);
  CHECK(bench.prefetches().useful == 1);
  CHECK(bench.stats().requests_to_llc == 8);
  CHECK(bench.stats().more_requests == 6);
}
