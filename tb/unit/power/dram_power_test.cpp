#include "models/power/dram_power.h"

#include "models/power/technology.h"
#include "tb/support/catch.h"
#include "tb/unit/power/plain_constants.h"

using namespace strata::power;

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
