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
  set(c, "sram_1rw.read.rest", 10);  // 10.25 against 10.5: told apart
  CHECK(SramModel(c)(order).read.high == Approx(10.25));
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
  // All 16 ways at once: 4 parts of a word line with 1024 columns leave 256 bits for each way.
  const SramPower wide = SramModel(ones())({65536, 16, 128, 1024, false, TagAccess::parallel});
  REQUIRE(wide.notes.size() == 1);
  CHECK(wide.notes[0].nearest == 256);
  CHECK(wide.read.nominal > 0);
  CHECK(SramModel(ones())({524288, 16, 128, 1024, false, TagAccess::sequential}).notes.size() == 1);
}
