#include "models/power/link_power.h"

#include "tb/support/catch.h"
#include "tb/unit/power/plain_constants.h"

using namespace strata::power;

namespace {

/// Delay: length / size + length^2 / segments alone.
Constants table() {
  Constants c;
  add_ones(c, link_formulas());
  set(c, "link.delay.repeater", 0);
  set(c, "link.delay.load", 0);
  return c;
}

}  // namespace

TEST_CASE("A link takes the fewest repeaters, then the smallest, that meet its delay") {
  const LinkModel model(table());
  // 2 mm: two segments give 2 / size + 2. 4 ns: size 1.
  CHECK(model(8, 2, 4).shape.segments == 2);
  CHECK(model(8, 2, 4).shape.size == 1);
  // 2.5 ns: size 4 (2 / 4 + 2).
  CHECK(model(8, 2, 2.5).shape.size == 4);
  // 2 ns: two segments never; four give 2 / size + 1, size 2.
  CHECK(model(8, 2, 2).shape.segments == 4);
  CHECK(model(8, 2, 2).shape.size == 2);
}

TEST_CASE("A link's figures are the sums that its formulas name") {
  const LinkPower p = LinkModel(table())(8, 2, 2);  // 4 segments of size 2
  CHECK(p.flit.nominal == Approx(8 * 2 + 8 * 4 * 2));
  CHECK(p.area_repeaters.nominal == Approx(8 * 4 * 3));
  CHECK(p.area_wires.nominal == Approx(16));
  CHECK(p.leakage.nominal == Approx(64));
  CHECK(p.delay.nominal == Approx(2));
  CHECK(p.in_time);
}

TEST_CASE("A link that no repeaters make fast enough is the fastest, and flagged") {
  const LinkPower p = LinkModel(table())(256, 8, 0.5);  // at best 8 / 16 + 64 / 40
  CHECK_FALSE(p.in_time);
  CHECK(p.shape.segments == 40);
  CHECK(p.shape.size == 16);
  REQUIRE(p.notes.size() == 1);
  CHECK(p.notes[0].what == "ns for a link");
  CHECK(p.notes[0].nearest == Approx(2.1));
}
