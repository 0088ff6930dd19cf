// L1s whose lines are larger or smaller than the 128 B of the address map, behind their sockets. One
// TEST_CASE = one elaboration = one process. Clock 1 GHz, LLC 100 cycles.
#include <algorithm>
#include <random>

#include "models/l1/l1.h"
#include "models/l1/l1_sectored.h"
#include "tb/support/block_bench.h"

using namespace strata;
using strata::tb::Order;

namespace {

constexpr auto load = AccessClass::load;
constexpr auto store = AccessClass::store;

template <class Organization>
struct Bench : tb::BlockBench<L1<Organization>> {
  Bench(std::vector<Order> orders, const typename Organization::Params& params, unsigned slowness = 0,
        unsigned jitter = 0)
      : tb::BlockBench<L1<Organization>>("l1", "llc", std::move(orders), params, slowness, jitter) {}
  void run() {
    tb::BlockBench<L1<Organization>>::run();
    CHECK(this->behind.arrivals.size() == this->block.counters().requests_to_llc);
  }
  void asked(std::size_t request, Cycle at, Address line, std::uint8_t sectors) const {
    REQUIRE(request < this->behind.arrivals.size());
    CHECK(this->behind.arrivals[request].at == at);
    CHECK(this->behind.arrivals[request].line == line);
    CHECK(this->behind.arrivals[request].sectors == sectors);
  }
};

template <class Params>
Params with_line(std::uint64_t line) {
  Params params;
  params.size = Bytes(16 * KiB);
  params.ways = 4;
  params.line = Bytes(line);
  return params;
}

}  // namespace

TEST_CASE("a line of 256 bytes is fetched as two of the address map") {
  Bench<L1Private> bench({{0, load, 256, 0x10}, {10, load, 256, 0x01}, {300, load, 256, 0xff}},
                         with_line<L1PrivateParams>(256));
  bench.run();
  // On the link at 1 and 2, back at 101 and 102; the load is answered a cycle after the second, the merge
  // after it.
  bench.asked(0, 1, 256, 0xf);
  bench.asked(1, 2, 384, 0xf);
  CHECK(bench.front.answers[0].at == 103);
  CHECK(bench.front.answers[1].at == 104);
  CHECK(bench.front.answers[2].at == 328);
  CHECK(bench.block.counters().fills == 1);
  CHECK(bench.block.counters().more_requests == 1);
}

TEST_CASE("a store that touches both halves of a line of 256 bytes is answered with the last") {
  Bench<L1Private> bench({{0, store, 512, 0x18}, {10, store, 512, 0x80}}, with_line<L1PrivateParams>(256));
  bench.run();
  bench.asked(0, 1, 512, 0x8);
  bench.asked(1, 2, 640, 0x1);
  bench.asked(2, 11, 640, 0x8);  // the upper half alone
  CHECK(bench.front.answers[0].at == 103);
  CHECK(bench.front.answers[1].at == 112);
  CHECK(bench.block.counters().more_requests == 1);
  CHECK(bench.block.counters().stores == 2);
}

TEST_CASE("sectors of a line of 256 bytes are asked for where they lie") {
  Bench<L1Sectored> bench({{0, load, 0, 0x20}, {200, load, 0, 0x28}, {400, load, 0, 0x28}},
                          with_line<L1SectoredParams>(256));
  bench.run();
  bench.asked(0, 1, 128, 0x2);
  bench.asked(1, 201, 0, 0x8);
  CHECK(bench.front.answers[2].at == 428);
  CHECK(bench.block.counters().more_requests == 0);
}

TEST_CASE("a line of 32 bytes asks for a quarter of one of the address map") {
  Bench<L1Private> bench({{0, load, 96, 0x1}, {200, load, 64, 0x1}}, with_line<L1PrivateParams>(32));
  bench.run();
  bench.asked(0, 1, 96, 0x1);
  bench.asked(1, 201, 64, 0x1);
}

TEST_CASE("random accesses to lines of 256 bytes, in front of an LLC that holds back and is held back") {
  constexpr std::uint64_t seed = 11;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::vector<Order> orders;
  constexpr AccessClass classes[] = {load, load, load, store, AccessClass::atomic};
  for (int i = 0; i < 3000; ++i)
    orders.push_back({random() % 6000, classes[random() % 5], random() % 40 * 256,
                      static_cast<std::uint8_t>(1 + random() % 255), random() % 9 == 0});
  std::sort(orders.begin(), orders.end(), [](const Order& a, const Order& b) { return a.at < b.at; });
  auto params = with_line<L1SectoredParams>(256);
  params.size = Bytes(4 * KiB);
  params.mshrs = 6;
  params.allocation = Allocation::on_miss;
  Bench<L1Sectored> bench(std::move(orders), params, 5, 40);
  bench.run();
  CHECK(bench.block.counters().more_requests > 500);
}

TEST_CASE("a line whose sectors are requested one by one is here with the last") {
  auto params = with_line<L1SectoredParams>(128);
  params.request_bytes = Bytes(32);
  Bench<L1Sectored> bench({{0, load, 256, 0xd}, {200, load, 256, 0x2}, {400, store, 512, 0x6}}, params);
  bench.run();
  // On the link at 1, 2 and 3, back at 101 to 103.
  bench.asked(0, 1, 256, 0x1);
  bench.asked(1, 2, 320, 0x1);
  bench.asked(2, 3, 352, 0x1);
  CHECK(bench.front.answers[0].at == 104);
  bench.asked(3, 201, 288, 0x1);
  CHECK(bench.front.answers[1].at == 302);
  bench.asked(4, 401, 544, 0x1);
  bench.asked(5, 402, 576, 0x1);
  CHECK(bench.front.answers[2].at == 503);
  CHECK(bench.block.counters().more_requests == 2 + 0 + 1);
}

// FillUnits 0 and 2 of the line, with 3 and 5 lanes: a request for each, which has its own.
TEST_CASE("the lanes of an atomic go with the requests for their sectors") {
  auto params = with_line<L1SectoredParams>(128);
  params.request_bytes = Bytes(32);
  Order atomic{0, AccessClass::atomic, 256, 0x5};
  atomic.lanes.all = {3, 0, 5};
  atomic.lanes.same = {1, 0, 4};
  atomic.reduces = true;
  Bench<L1Sectored> bench({atomic}, params);
  bench.run();
  REQUIRE(bench.behind.arrivals.size() == 2);
  for (const auto& arrival : bench.behind.arrivals) {
    CHECK(arrival.reduces);
    CHECK(arrival.lanes.sum(arrival.sectors) == (arrival.line == 256 ? 3 : 5));
    CHECK(arrival.lanes.most_same(arrival.sectors) == (arrival.line == 256 ? 1 : 4));
    CHECK(arrival.lanes.sum(0xff) == arrival.lanes.sum(arrival.sectors));
  }
}
