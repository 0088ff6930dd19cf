#include <cmath>

#include "models/power/constants.h"
#include "models/power/dram_power.h"
#include "models/power/formula.h"
#include "models/power/link_power.h"
#include "models/power/router_power.h"
#include "models/power/sram_power.h"
#include "tb/support/catch.h"

namespace strata::power {

/// Every coefficient of the formulas, at 1.
template <class Shape>
void add_ones(Constants& table, const std::vector<Formula<Shape>>& formulas) {
  for (const Formula<Shape>& formula : formulas)
    for (const Term<Shape>& term : formula.terms)
      table.set(formula.name + "." + term.name, {exactly(1), formula.unit, "a test", "chosen", {}});
}

inline void set(Constants& table, const std::string& name, double value) {
  table.set(name, {exactly(value), table.at(name).unit, "a test", "chosen", {}});
}

}  // namespace strata::power

using namespace strata::power;

namespace {

Constants ones() {
  Constants c;
  add_ones(c, sram_formulas(false));
  add_ones(c, sram_formulas(true));
  return c;
}

}  // namespace

TEST_CASE("An array is cut as its numbers of parts say") {
  SramArray a;
  // 64 KiB, 8 ways, 128 B, sequential: data as of one way. 2 / 4 / 0.5: rows 65536 / (128 x 4 x 0.5), columns
  // 1024 x 0.5 / 2.
  REQUIRE(lay_out({65536, 8, 128, 256, false, TagAccess::sequential}, 2, 4, 0.5, a));
  CHECK(a.rows == 256);
  CHECK(a.columns == 256);
  CHECK(a.across == 1);
  CHECK(a.down == 2);
  // tags: 64 sets of 8 ways, half a set to a row: 64 rows in each of two parts; 42 - 7 - 6 bits
  CHECK(a.tag_rows == 64);
  CHECK(a.tag_columns == Approx(8 * 29 * 0.5 / 2));
  // At once: all 8 ways.
  REQUIRE(lay_out({65536, 8, 128, 256, false, TagAccess::parallel}, 4, 2, 0.25, a));
  CHECK(a.rows == 128);
  CHECK(a.columns == 512);
  CHECK(a.mats() == 2);
  // Too few columns for what is read at once; too few rows.
  CHECK_FALSE(lay_out({16384, 4, 128, 1024, false, TagAccess::sequential}, 2, 2, 0.25, a));
  CHECK_FALSE(lay_out({16384, 4, 128, 256, false, TagAccess::sequential}, 2, 16, 1, a));
}

TEST_CASE("An array's figures are the sums that its formulas name") {
  SramArray a;
  REQUIRE(lay_out({65536, 8, 128, 256, false, TagAccess::sequential}, 2, 4, 0.5, a));
  const SramPower p = SramModel(ones()).of(a);
  // height: 2 mats of 256 rows, 2, 2 x 256 bits, no wires across; width: 256, 1, half of 256 bits
  const double height = 512 + 2 + 512;
  const double width = 256 + 1 + 128;
  CHECK(p.array.height_mm == Approx(height));
  CHECK(p.array.width_mm == Approx(width));
  CHECK(p.area.nominal == Approx(height * (width + 58 + 1)));
  CHECK(p.leakage.nominal == Approx(8 * 65536 + 2 * 256 + 2 * 256 + 2 * 256 + 2 + 8 + 1));
  // columns, bitlines, rows, 4 x 256 columns to 256 bits, bits out, bits down, none across, log2 of 2 mats,
  // columns of tags, 1
  CHECK(p.read.nominal == Approx(256 + 256 * 256 + 256 + 4 + 256 + 256 * height / 2 + 0 + 1 + 58 + 1));
  // columns, bits in, their full swing, bits down, columns of tags, 29 bits of 8 ways in 64 rows, 1
  CHECK(p.write.nominal == Approx(256 + 256 + 256 * 256 + 256 * height / 2 + 58 + 29 * 8 * 64 + 1));
  CHECK(p.tags.nominal == Approx(58 + 58 * 64));  // columns, columns x rows
  // word line, decoder (root of 256 rows), bit line, levels, way down; tags: 1, root of 64 rows, columns,
  // columns x rows
  CHECK(p.access.nominal ==
        Approx(256 + 256 * 256 + 256 + 16 + 256 * 256 + 1 + height / 2 + 1 + 8 + 58 + 58 * 64));
  CHECK(p.cycle.nominal == Approx(1 + 256 + 256 * 256 + 256 + 256 * 256));
}

TEST_CASE("Layouts that cost the same widen the interval, and do not move the figure") {
  // Nothing costs anything but columns (reads) and rows (areas): of 16 KiB read one way at a time, 128
  // columns (2 / 2 / 0.25, 256 rows high) and 64 (4 / 2 / 0.25). Delays: all 1.
  Constants c;
  for (const auto& formula : sram_formulas(false))
    for (const auto& term : formula.terms)
      c.set(formula.name + "." + term.name, {exactly(0), formula.unit, "a test", "chosen", {}});
  for (const auto& formula : sram_formulas(true))
    for (const auto& term : formula.terms)
      c.set(formula.name + "." + term.name, {exactly(0), formula.unit, "a test", "chosen", {}});
  set(c, "sram_1rw.access.tags", 1);
  set(c, "sram_1rw.read.rest", 100);
  set(c, "sram_1rw.read.column", 1 / 256.0);
  set(c, "sram_1rw.write.column", 1);
  const SramShape order{16384, 4, 128, 256, false, TagAccess::sequential};
  // 64 columns: 100.25; 128: 100.5, 256: 101, both within 1 %; 512: 102, beyond.
  const SramPower p = SramModel(c)(order);
  CHECK(p.array.columns == 64);
  CHECK(p.read.nominal == Approx(100.25));
  CHECK(p.read.low == Approx(100.25));
  CHECK(p.read.high == Approx(101));
  CHECK(p.write.nominal == Approx(64));
  CHECK(p.write.high == Approx(256));
  set(c, "sram_1rw.read.rest", 10);  // 10.25 against 10.5: distinguished
  CHECK(SramModel(c)(order).read.high == Approx(10.25));
}

TEST_CASE("Ways that are no power of two cost between the next powers of two with as many sets") {
  const SramModel model(ones());
  const SramPower four = model({32768, 4, 128, 1024, false, TagAccess::sequential});
  const SramPower eight = model({65536, 8, 128, 1024, false, TagAccess::sequential});
  const SramPower six = model({49152, 6, 128, 1024, false, TagAccess::sequential});
  CHECK(six.read.nominal == Approx((four.read.nominal + eight.read.nominal) / 2));
  CHECK(six.leakage.nominal == Approx((four.leakage.nominal + eight.leakage.nominal) / 2));
  CHECK(six.notes.empty());
}

TEST_CASE("SRAMs outside of the fitted range are flagged with the nearest value") {
  const SramPower p = SramModel(ones())({1024, 2, 64, 256, false, TagAccess::sequential});
  REQUIRE(p.notes.size() == 3);
  CHECK(p.notes[0].nearest == 16384);
  CHECK(p.notes[1].nearest == 4);
  CHECK(p.notes[2].nearest == 128);
  CHECK(p.read.nominal > 0);
  // All 16 ways at once: 4 parts of a word line with 1024 columns leave 256 bits for each way.
  const SramPower wide = SramModel(ones())({65536, 16, 128, 1024, false, TagAccess::parallel});
  REQUIRE(wide.notes.size() == 1);
  CHECK(wide.notes[0].nearest == 256);
  CHECK(wide.read.nominal > 0);
  CHECK(SramModel(ones())({524288, 16, 128, 1024, false, TagAccess::sequential}).notes.size() == 1);
}

namespace {

Constants small_ones() {
  Constants c;
  add_ones(c, sram_formulas(false));
  c.set("sram_small.area.bit", {exactly(1), "mm2", "a test", "chosen", {}});
  c.set("sram_small.area.column", {exactly(1), "mm2", "a test", "chosen", {}});
  return c;
}

}  // namespace

TEST_CASE("A small array costs its cells, and its columns") {
  // 4 queues of 4 lines of 128 B: 16 rows of 1024 bits.
  const SmallArrayPower queues = small_array_power({16, 1024}, small_ones());
  CHECK(queues.area.nominal == Approx(16384 + 1024));
  CHECK(queues.leakage.nominal == Approx(16384));
  CHECK(queues.read.nominal == Approx(1024 / 4.0));  // columns of one of four subarrays
  CHECK(queues.notes.empty());
}

TEST_CASE("A small array has 16 rows at least and 96 at most") {
  const SmallArray few{4, 512}, many{384, 40};
  CHECK(few.rows() == 16);
  CHECK(few.columns() == Approx(128));
  CHECK(many.rows() == 96);
  CHECK(many.columns() == Approx(160));
}

TEST_CASE("Small arrays outside of the fitted range are flagged, and nothing costs nothing") {
  const SmallArrayPower predictor = small_array_power({16, 40}, small_ones());  // 640 bits
  REQUIRE(predictor.notes.size() == 1);
  CHECK(predictor.notes[0].nearest == 3840);
  CHECK(small_array_power({0, 128}, small_ones()).area.nominal == 0);
}

// Rows of tb/data/power/dram_energy_from_idd.csv. HBM2: tRAS 34, tRP 14 of tRC 48; tRFC 260.
TEST_CASE("Energies of DRAM commands follow from currents") {
  const DramDevice hbm2 = device_of({1.2, 1, 65, 40, 55, 390, 500, 250, 48, 34, 14, 2, 260});
  CHECK(hbm2.activate == Approx(828));  // 1.2 x (65 x 48 - 55 x 34 - 40 x 14)
  CHECK(hbm2.read == Approx(804));      // 1.2 x (390 - 55) x 2
  CHECK(hbm2.write == Approx(1068));
  CHECK(hbm2.refresh == Approx(60840));  // 1.2 x (250 - 55) x 260
  CHECK(hbm2.standby_open == Approx(66));
  CHECK(hbm2.standby_closed == Approx(48));
  // GDDR5_8Gb_x32: 0.667 ns, 248 - 61 mA for 2 cycles at 1.5 V
  const DramDevice gddr5 = device_of({1.5, 0.667, 71, 60, 61, 248, 231, 286, 80, 56, 24, 2, 74});
  CHECK(gddr5.read == Approx(374.2).epsilon(0.001));
  CHECK(gddr5.write == Approx(340.2).epsilon(0.001));
  CHECK(gddr5.activate == Approx(824.4).epsilon(0.001));  // 71 x 80 - 61 x 56 - 60 x 24 = 824
  CHECK(gddr5.refresh == Approx(16658.3).epsilon(0.001));
}

TEST_CASE("A channel has as many devices as make its row") {
  Constants table;
  const auto set_row = [&table](const char* name, double value) {
    table.set(std::string("dram.toy.") + name, {exactly(value), "", "a test", "chosen", {}});
  };
  set_row("row", 2048);
  set_row("activate", 10);
  set_row("read_bit", 2);
  set_row("write_bit", 3);
  set_row("refresh", 100);
  set_row("standby_open", 5);
  set_row("standby_closed", 4);
  const DramPower p = dram_power(table, "toy", 16384);  // 8 devices
  CHECK(p.activate.nominal == 80);
  CHECK(p.read_byte.nominal == 16);
  CHECK(p.write_byte.nominal == 24);
  CHECK(p.refresh.nominal == 800);
  CHECK(p.standby_open.nominal == 40);
  CHECK(dram_power(table, "toy", 1024).activate.nominal == 10);  // not less than one
}

TEST_CASE("Voltage, heat and node scale what was fitted at 22 nm, 0.8 V and 340 K") {
  Constants table;
  for (const char* name : {"energy_45nm", "leakage_45nm", "area_45nm"})
    table.set(std::string("technology.") + name, {exactly(4), "1", "a test", "chosen", {}});
  table.set("technology.leakage_300K", {exactly(0.8), "1", "a test", "chosen", {}});
  table.set("technology.leakage_360K", {exactly(2.8), "1", "a test", "chosen", {}});
  CHECK(Technology{}.energy(table).nominal == Approx(1));
  CHECK(Technology{}.leakage(table).nominal == Approx(1));
  CHECK(Technology{}.area(table).nominal == Approx(1));
  const Technology hot{1.6, 350, 45};
  CHECK(hot.energy(table).nominal == Approx(16));  // 2^2 x 4
  CHECK(hot.leakage(table).nominal == Approx(2 * 4 * 1.9));
  CHECK(hot.area(table).nominal == Approx(4));
  CHECK(Technology{0.8, 320, 22}.leakage(table).nominal == Approx(0.9));
}

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
