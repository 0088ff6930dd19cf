#include "models/l1/chunk_places.h"

#include <random>

#include "tb/support/catch.h"

using namespace strata;

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
  CHECK(one.sectors == 0b100);
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
