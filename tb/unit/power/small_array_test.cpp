#include "models/power/small_array.h"

#include "models/power/sram_power.h"
#include "tb/support/catch.h"
#include "tb/unit/power/plain_constants.h"

using namespace strata::power;

namespace {

Constants ones() {
  Constants c;
  add_ones(c, sram_formulas(false));
  c.set("sram_small.area.bit", {exactly(1), "mm2", "a test", "chosen", {}});
  c.set("sram_small.area.column", {exactly(1), "mm2", "a test", "chosen", {}});
  return c;
}

}  // namespace

TEST_CASE("A small array costs its cells, and its columns") {
  // 4 queues of 4 lines of 128 B: 16 rows of 1024 bits.
  const SmallArrayPower queues = small_array_power({16, 1024}, ones());
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
  const SmallArrayPower predictor = small_array_power({16, 40}, ones());  // 640 bits
  REQUIRE(predictor.notes.size() == 1);
  CHECK(predictor.notes[0].nearest == 3840);
  CHECK(small_array_power({0, 128}, ones()).area.nominal == 0);
}
