// L1s whose lines are larger or smaller than the 128 B of the address map, behind their sockets. One
// TEST_CASE = one elaboration = one process. Clock 1 GHz, LLC 100 cycles.
#include <algorithm>
#include <random>

#include "models/l1/chunk_places.h"
#include "models/l1/l1.h"
#include "models/l1/l1_carve_out.h"
#include "models/l1/l1_sectored.h"
#include "tb/support/block_bench.h"
#include "tb/support/catch.h"

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

// Way 1 has chunk 2 of line 5, way 17 chunk 0, way 3 chunk 2 of a line whose lower half alone is 5.
TEST_CASE("chunks of a line are found wherever they lie") {
  ChunkPlaces places(2, 20);
  ChunkPlaces::Row row = places.row(1);
  row.put(1, 5, 1 << 2);
  row.put(17, 5, 1 << 0);
  row.put(3, 5 | std::uint64_t{1} << 32, 1 << 2);
  const auto all = places.find(1, 5, 0xffff);
  CHECK(all.chunks == 0b101);
  CHECK(all.ways == (WayMask{1} << 1 | WayMask{1} << 17));
  const auto one = places.find(1, 5, 0b110);
  CHECK(one.chunks == 0b100);
  CHECK(one.ways == WayMask{1} << 1);
  CHECK(places.find(0, 5, 0xffff).ways == 0);
  CHECK(places.number(1, 3) == (5 | std::uint64_t{1} << 32));
  row.empty(1);
  CHECK(places.find(1, 5, 0xffff).chunks == 1);
  places.clear();
  CHECK(places.find(1, 5, 0xffff).ways == 0);
}

TEST_CASE("vectors find what a search way by way finds") {
  constexpr unsigned seed = 20261125;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int trial = 0; trial < 300; ++trial) {
    const int ways = 1 + static_cast<int>(random() % 64);
    ChunkPlaces places(3, ways);
    const auto line = [&] { return (random() % 2 << 32 | random() % 3) << random() % 2; };
    for (int way = 0; way < ways; ++way)
      if (random() % 4 != 0) places.row(1).put(way, line(), static_cast<ChunkMask>(1U << random() % 16));
    for (int n = 0; n < 20; ++n) {
      const std::uint64_t number = line();
      const auto asked = static_cast<ChunkMask>(random());
      const auto wanted = places.find_one_by_one(1, number, asked), found = places.find(1, number, asked);
      REQUIRE(found.chunks == wanted.chunks);
      REQUIRE(found.ways == wanted.ways);
    }
  }
}

// An L1 that shares its memory with the shared memory of its SM.

namespace {

template <class Params>
Params carved(int ways) {
  Params params;
  params.size.count = 64 * KiB;
  params.ways = ways;
  params.carve_out = "0 16 32 48";
  return params;
}

Access load_of(Address line) {
  Access access;
  access.access_class = AccessClass::load;
  access.line = line;
  access.sectors = 0xf;
  return access;
}

// Whether each of some random loads hits. Each is answered before the next comes.
template <class Organization>
std::vector<bool> hits(Organization& l1, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<bool> found;
  for (int i = 0; i < 20000; ++i) {
    Access access = load_of(random() % 800 * 128);
    const L1Decision decision = l1.lookup(access, static_cast<Cycle>(i), true);
    found.push_back(decision.outcome == L1Outcome::hit);
    if (decision.outcome == L1Outcome::miss_new) l1.fill(decision.fetch).pop();
  }
  return found;
}

// With 48, 32 and 16 KiB left it is a cache of that size, and with all of it the whole one again.
template <class Organization>
void check_as_smaller(typename Organization::Params params) {
  Organization l1(params);
  for (const std::uint64_t shared : {10 * KiB, 17 * KiB, 48 * KiB, std::uint64_t{0}}) {
    l1.share(shared);
    const std::uint64_t taken = shared == 0 ? 0 : (shared + 16 * KiB - 1) / (16 * KiB) * 16;
    typename Organization::Params smaller = params;
    smaller.carve_out.clear();
    smaller.size.count = (64 - taken) * KiB;
    smaller.ways = params.ways - static_cast<int>(params.ways * taken / 64);
    INFO(taken << " KiB taken");
    Organization expected(smaller);
    const auto seed = static_cast<unsigned>(taken);
    CHECK(hits(l1, seed) == hits(expected, seed));
  }
}

}  // namespace

// The V100: 128 KiB in 64 ways of 2 KiB. 96 KiB of shared memory leave 16 of them.
TEST_CASE("the smallest carve-out that holds a kernel's shared memory is taken") {
  const L1CarveOut v100("0 8 16 32 64 96", Bytes(128 * KiB), 64);
  CHECK(v100.ways_beside(0) == 64);
  CHECK(v100.ways_beside(1) == 60);
  CHECK(v100.ways_beside(8 * KiB) == 60);
  CHECK(v100.ways_beside(8 * KiB + 1) == 56);
  CHECK(v100.ways_beside(33 * KiB) == 32);
  CHECK(v100.ways_beside(96 * KiB) == 16);
  CHECK(v100.ways_beside(200 * KiB) == 16);
  CHECK(L1CarveOut("", Bytes(128 * KiB), 64).ways_beside(96 * KiB) == 64);
}

TEST_CASE("a carved L1 is a smaller one, hit by hit") {
  check_as_smaller<L1Private>(carved<L1PrivateParams>(8));
  check_as_smaller<L1Private>(carved<L1PrivateParams>(16));
  check_as_smaller<L1Sectored>(carved<L1SectoredParams>(8));
  L1SectoredParams reserving = carved<L1SectoredParams>(8);
  reserving.allocation = Allocation::on_miss;
  check_as_smaller<L1Sectored>(reserving);
}

// A line that is being fetched when the size changes serves its waiter and is not kept.
TEST_CASE("lines in flight when the size changes are not kept") {
  L1SectoredParams params = carved<L1SectoredParams>(8);
  params.allocation = Allocation::on_miss;
  L1Sectored l1(params);
  Access access = load_of(0);
  const L1Decision decision = l1.lookup(access, 0, true);
  REQUIRE(decision.outcome == L1Outcome::miss_new);
  l1.share(48 * KiB);
  AccessFifo served = l1.fill(decision.fetch);
  REQUIRE_FALSE(served.empty());
  CHECK(&served.pop() == &access);
  CHECK_FALSE(l1.contains(0));
}

TEST_CASE("carve-outs that leave no whole ways are refused by name") {
  const auto message = [](const char* sizes) {
    L1PrivateParams params = carved<L1PrivateParams>(8);
    params.carve_out = sizes;
    const Faults faults = params.validate();
    if (faults.empty()) return std::string();
    CHECK(faults.size() == 1);
    CHECK(faults[0].where.file == "carve_out");
    return faults[0].message;
  };
  CHECK(message("0 8 16 56").empty());
  CHECK_THAT(message("0 12"), tb::has_text("names 12") && tb::has_text("multiples of 8 KiB below $.size"));
  CHECK_THAT(message("64"), tb::has_text("names 64"));
  CHECK_THAT(message("16 8"), tb::has_text("names 8 behind 16"));
  CHECK_THAT(message("lots"), tb::has_text("'lots'; allowed: rising numbers of KiB"));
  CHECK_THAT(message("-8"), tb::has_text("rising numbers"));
}
