#include <cmath>

#include "models/power/link_power.h"
#include "models/power/router_power.h"
#include "tb/support/catch.h"
#include "tb/unit/power/plain_constants.h"

using namespace strata::power;

// Every coefficient is 1 here, so that a figure is the sum of the factors of its formula.

TEST_CASE("A router's figures are the sums that its formulas name") {
  Constants table;
  add_ones(table, router_formulas());
  add_ones(table, clock_formulas());
  const RouterPower p =
      RouterModel(table)({4, 3, 8, 2, 16});  // 4 inputs, 3 outputs, 8 bits, 2 VCs, 16 flits an input
  // flip-flops 4 x 8 x 16 = 512, mux levels 4 x 8 x 4 = 128, bits 32, flits 64
  CHECK(p.area_buffer.nominal == Approx(736));
  CHECK(p.leakage_buffer.nominal == Approx(736));
  CHECK(p.write.nominal == Approx(8 * 16 + 8 + 16));
  CHECK(p.read.nominal == Approx(8 * 16 + 8 * 4 + 8 + 3 * 8));
  // wires (4 x 8) x (3 x 8) = 768 against multiplexers 3 x 3 x 8 = 72; ports 3 x 8 + 3
  CHECK(p.area_crossbar.nominal == Approx(768 + 27));
  CHECK(p.leakage_crossbar.nominal == Approx(24 + 72 + 3));
  // a tree of 4 inputs has 2 levels: 1/4 and 3/4
  CHECK(p.traverse.nominal == Approx(8 + 8 * 3 + 8 * 0.25 + 24 * 0.75));
  // pairs 3 x 4 x 3 + 4 x 2 x 1 = 44, requests 3 x 3 + 4 x 1 = 13, requesters 4 + 2
  CHECK(p.area_allocator.nominal == Approx(44 + 13 + 6));
  CHECK(p.leakage_allocator.nominal == Approx(44 + 13));
  CHECK(p.arbitrate_inputs.nominal == Approx(12 + 12 * std::exp(-std::pow(4 / 13.0, 3))));
  CHECK(p.arbitrate_vcs.nominal == Approx(2 + 2 * std::exp(-std::pow(2 / 13.0, 3))));
  CHECK(p.clock.nominal == Approx(32 + 24 + std::sqrt(736 + 795 + 63.0) + 1));
  CHECK(p.area_clock.nominal == Approx(1 + 16));  // the largest driver
  CHECK(p.flit().nominal == Approx(p.write.nominal + p.read.nominal + p.traverse.nominal +
                                   p.arbitrate_vcs.nominal + p.arbitrate_inputs.nominal));
}

TEST_CASE("Multiplexers make the crossbar's area where wires are few") {
  Constants table;
  add_ones(table, router_formulas());
  add_ones(table, clock_formulas());
  table.set("router.xbar_wire.crossing", {exactly(0.001), "um2", "s", "o", {}});
  CHECK(RouterModel(table)({4, 3, 8, 1, 4}).area_crossbar.nominal == Approx(72 + 27));
}

TEST_CASE("A router with one input and one VC arbitrates nothing") {
  Constants table;
  add_ones(table, router_formulas());
  add_ones(table, clock_formulas());
  const RouterPower p = RouterModel(table)({1, 4, 8, 1, 4});
  CHECK(p.arbitrate_inputs.nominal == 0);
  CHECK(p.arbitrate_vcs.nominal == 0);
  CHECK(p.leakage_allocator.nominal == 0);
}

TEST_CASE("Drivers of the clock tree come in the sizes of cells") {
  CHECK(clock_driver(0.1338) == 1);  // rows 8 x 8 x 4 B: area 10.64, the least
  CHECK(clock_driver(0.1457) == 2);
  CHECK(clock_driver(0.4906) == 6);  // 4.28 wanted: no cell of 5
  CHECK(clock_driver(7) == 16);
}

TEST_CASE("A router's cycle grows with its inputs and its outputs") {
  Constants table;
  for (const auto& term : router_cycle().terms)
    table.set("router.cycle." + term.name, {exactly(2), "ns", "a test", "chosen", {}});
  const Fitted<RouterShape> cycle(router_cycle(), table);
  CHECK(cycle.nominal({8, 4, 256, 4, 16}) == Approx(2 * 8 + 2 * 4 + 2));
}

TEST_CASE("Routers outside of the fitted range are flagged with the nearest value") {
  Constants table;
  add_ones(table, router_formulas());
  add_ones(table, clock_formulas());
  const RouterPower p = RouterModel(table)({96, 8, 256, 1, 8});
  REQUIRE(p.notes.size() == 1);
  CHECK(p.notes[0].what == "inputs");
  CHECK(p.notes[0].nearest == 40);
  CHECK(RouterModel(table)({8, 8, 256, 1, 8}).notes.empty());
}

TEST_CASE("Intervals of constants go through to the figures") {
  Constants table;
  add_ones(table, router_formulas());
  add_ones(table, clock_formulas());
  table.set("router.e_write.bit", {{0.5, 1, 3}, "pJ", "s", "o", {}});
  const RouterPower p = RouterModel(table)({1, 1, 8, 1, 4});  // 8 x 4 + 8 x (0.5, 1, 3) + 4
  CHECK(p.write.low == Approx(40));
  CHECK(p.write.nominal == Approx(44));
  CHECK(p.write.high == Approx(60));
}

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
