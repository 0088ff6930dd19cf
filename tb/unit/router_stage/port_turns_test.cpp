#include "models/router_stage/port_turns.h"

#include <random>

#include "models/common/turn_ring.h"
#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("turns of ports come once each, later than the horizon at the horizon") {
  PortTurns turns;
  CHECK(turns.next(0) == never);
  CHECK(turns.book<PortTurns::inputs>(3, 5, 0) == 5);
  CHECK(turns.book<PortTurns::outputs>(63, 5, 0) == 5);
  CHECK(turns.book<PortTurns::inputs>(3, 5, 0) == 5);
  CHECK(turns.book<PortTurns::outputs>(9, 0, 0) == 1);  // not after now
  CHECK(turns.book<PortTurns::inputs>(1, 500, 0) == 63);
  CHECK(turns.next(0) == 1);
  CHECK(turns.next(1) == 5);
  CHECK(turns.take(2) == nullptr);
  const PortTurns::Turns* const due = turns.take(5);
  REQUIRE(due != nullptr);
  CHECK((*due)[PortTurns::inputs] == std::uint64_t{1} << 3);
  CHECK((*due)[PortTurns::outputs] == std::uint64_t{1} << 63);
  CHECK(turns.take(5) == nullptr);
}

TEST_CASE("turns of ports are those of a ring of turns") {
  constexpr std::uint64_t seed = 20261123;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  PortTurns turns;
  TurnRing<64> ring(128);
  Cycle now = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::size_t port = random() % 64;
    const Cycle cycle = now + random() % (random() % 20 == 0 ? 100 : 12);
    if (random() % 2 == 0)
      REQUIRE(turns.book<PortTurns::inputs>(port, cycle, now) == ring.book(port, cycle, now));
    else
      REQUIRE(turns.book<PortTurns::outputs>(port, cycle, now) == ring.book(64 + port, cycle, now));
    if (random() % 3 == 0) continue;
    REQUIRE(turns.next(now) == ring.next(now));
    now = ring.next(now);
    PortTurns::Turns* const due = turns.take(now);
    std::uint64_t* const expected = ring.take(now);
    REQUIRE(due != nullptr);
    REQUIRE(*due == PortTurns::Turns{expected[0], expected[1]});
    *due = {};
    expected[0] = expected[1] = 0;
  }
}
