#include "models/power/sram_power.h"

#include "tb/support/catch.h"
#include "tb/unit/power/plain_constants.h"

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
  CHECK(p.read.nominal == Approx(256 + 256 * 256 + 256 + 256 * height / 2 + 0 + 1 + 8));
  CHECK(p.write.nominal == Approx(p.read.nominal + 256 * 256));
  CHECK(p.tags.nominal == Approx(58 + 58 * 64));  // columns, columns x rows
  CHECK(p.access.nominal == Approx(1 + 256 + 256 * 256 + 256 + 256 * 256 + 1 + height / 2 + 0 + 1 + 8 + 58));
  CHECK(p.cycle.nominal == Approx(1 + 256 + 256 * 256 + 256 + 256 * 256));
}

TEST_CASE("Ways that are no power of two lie between their neighbours with as many sets") {
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
  CHECK(SramModel(ones())({524288, 16, 128, 1024, false, TagAccess::sequential}).notes.size() == 1);
}
