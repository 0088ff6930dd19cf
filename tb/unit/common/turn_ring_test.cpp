#include "models/common/turn_ring.h"

#include <map>
#include <random>
#include <set>
#include <vector>

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("a ring of turns names the next cycle that has any, round and round") {
  TurnRing<128> ring(1);
  CHECK(ring.next(0) == never);
  ring.set(0, 3);
  ring.set(0, 100);
  CHECK(ring.next(0) == 3);
  CHECK(ring.next(3) == 100);  // the turns of 3 itself do not count
  CHECK(ring.take(3) != nullptr);
  CHECK(ring.take(3) == nullptr);
  ring.set(0, 130);  // in the place of 2
  CHECK(ring.next(3) == 100);
  CHECK(ring.take(100) != nullptr);
  CHECK(ring.next(100) == 130);
  CHECK(ring.next(3) == 130);  // 127 cycles ahead
  CHECK_FALSE(ring.empty());
  CHECK(ring.take(130) != nullptr);
  CHECK(ring.empty());
}

TEST_CASE("turns come once each, in order of their numbers, and later than the horizon at the horizon") {
  TurnRing<64> ring(100);
  CHECK(ring.words() == 2);
  CHECK(ring.book(70, 5, 0) == 5);
  CHECK(ring.book(3, 5, 0) == 5);
  CHECK(ring.book(70, 5, 0) == 5);
  CHECK(ring.book(9, 0, 0) == 1);  // not after now
  CHECK(ring.book(1, 500, 0) == 63);
  CHECK(ring.next(0) == 1);
  CHECK(ring.take(2) == nullptr);
  std::uint64_t* turns = ring.take(5);
  REQUIRE(turns != nullptr);
  CHECK(turns[0] == std::uint64_t{1} << 3);
  CHECK(turns[1] == std::uint64_t{1} << 6);
  CHECK(ring.take(5) == nullptr);
}

TEST_CASE("a ring of turns gives what a map of sets gives") {
  constexpr std::uint64_t seed = 17;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  TurnRing<512> ring(200);
  std::map<Cycle, std::set<std::size_t>> plain;
  Cycle now = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::size_t number = random() % 200;
    const Cycle cycle = now + 1 + random() % (random() % 50 == 0 ? 900 : 40);
    plain[ring.book(number, cycle, now)].insert(number);
    if (random() % 3 == 0) continue;
    REQUIRE(ring.next(now) == plain.begin()->first);
    now = ring.next(now);
    std::uint64_t* const turns = ring.take(now);
    REQUIRE(turns != nullptr);
    std::set<std::size_t> seen;
    for (std::size_t n = 0; n < 64 * ring.words(); ++n)
      if ((turns[n / 64] >> n % 64 & 1) != 0) seen.insert(n);
    std::fill_n(turns, ring.words(), std::uint64_t{0});
    REQUIRE(seen == plain.begin()->second);
    plain.erase(plain.begin());
    if (plain.empty()) REQUIRE(ring.empty());
  }
}
