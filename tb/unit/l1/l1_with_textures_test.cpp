// A texture cache beside the data of an L1. One TEST_CASE = one elaboration = one process. Clock 1 GHz, LLC
// 100 cycles, hits 28.
#include "models/l1/l1_with_textures.h"

#include "models/l1/l1.h"
#include "models/l1/l1_prioritized.h"
#include "models/l1/l1_sectored.h"
#include "tb/support/block_bench.h"

using namespace strata;
using strata::tb::Order;

namespace {

constexpr auto load = AccessClass::load;
constexpr auto store = AccessClass::store;

Order data(Cycle at, Address line, std::uint8_t sectors, AccessClass access_class = load) {
  return {at, access_class, line, sectors};
}
Order texture(Cycle at, Address line, std::uint8_t sectors) {
  Order order = {at, AccessClass::read_only_load, line, sectors};
  order.non_coherent = true;
  return order;
}

template <class Params>
Params with_textures(int sets, int ways) {
  Params params;
  params.texture_sets = sets;
  params.texture_ways = ways;
  return params;
}

template <class Organization>
using Bench = tb::BlockBench<L1<L1WithTextures<Organization>>>;

}  // namespace

TEST_CASE("a line lies in the texture cache and in the data apart") {
  Bench<L1Sectored> bench(
      "l1", "llc",
      {texture(0, 0x1000, 0x1), data(10, 0x1000, 0x1), texture(20, 0x1000, 0x2), texture(200, 0x1000, 0x8),
       data(300, 0x1000, 0x8), data(500, 0x1000, 0xf, store), texture(700, 0x1000, 0x4)},
      with_textures<L1SectoredParams>(4, 24));
  bench.run();
  // The texture cache fetches the whole line, requested at 1, back at 101; who joins leaves a cycle later.
  // The data fetch a sector. The store is the data's alone.
  const auto& asked = bench.behind.arrivals;
  REQUIRE(asked.size() == 4);
  CHECK((asked[0].at == 1 && asked[0].sectors == 0xf));
  CHECK((asked[1].at == 11 && asked[1].sectors == 0x1));
  CHECK((asked[2].at == 301 && asked[2].sectors == 0x8));
  CHECK(asked[3].at == 501);
  CHECK(bench.at(0) == 102);
  CHECK(bench.at(1) == 112);
  CHECK(bench.at(2) == 103);
  CHECK(bench.at(3) == 228);
  CHECK(bench.at(4) == 402);
  CHECK(bench.at(6) == 728);
  const L1Stats& counted = bench.block.counters();
  CHECK(counted.requests == 7);
  CHECK((counted.accesses == 2 && counted.misses == 2 && counted.stores == 1));
  CHECK((counted.texture_loads == 4 && counted.texture_hits == 2));
  CHECK((counted.texture_merges == 1 && counted.texture_misses == 1));
}

TEST_CASE("texture lines evict each other by LRU, and no data lines") {
  // Two ways in one set: the third line takes the place of the first.
  Bench<L1Prioritized> bench(
      "l1", "llc",
      {data(0, 0x0, 0x1), texture(200, 0x1000, 0x1), texture(400, 0x2000, 0x1), texture(600, 0x3000, 0x1),
       texture(800, 0x2000, 0x1), texture(1000, 0x1000, 0x1), data(1200, 0x0, 0x1)},
      with_textures<L1PrioritizedParams>(1, 2));
  bench.run();
  CHECK(bench.at(4) == 828);
  CHECK(bench.at(5) == 1102);
  CHECK(bench.at(6) == 1228);
  CHECK(bench.block.counters().texture_misses == 4);
}

TEST_CASE("lines of the texture cache may be larger than those of the data") {
  L1SectoredParams params = with_textures<L1SectoredParams>(4, 24);
  params.line = params.sector = Bytes(32);
  params.texture_line = Bytes(128);
  Bench<L1Sectored> bench(
      "l1", "llc", {texture(0, 0x1080, 0x3), data(200, 0x10a0, 0x1), texture(400, 0x1080, 0xf)}, params);
  bench.run();
  REQUIRE(bench.behind.arrivals.size() == 2);
  CHECK((bench.behind.arrivals[0].line == 0x1080 && bench.behind.arrivals[0].sectors == 0xf));
  CHECK(bench.at(2) == 428);
}
