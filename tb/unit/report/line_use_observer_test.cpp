#include "platforms/report/line_use_observer.h"

#include "tb/support/catch.h"

using strata::platforms::LineUse;

// Line 0 is fetched for its sector 0, sectors 0 and 1 are used again, then it is missed: it has left with 2
// sectors used and reused. It comes back for sector 3 and stays unused. Line 128 is fetched for all four
// sectors; all are asked for once more.
TEST_CASE("lines leave with what was used of them, and used again") {
  LineUse use;
  use.missed(0, 0b0001);
  use.seen(0, 0b0001);
  use.seen(0, 0b0010);
  CHECK(use.lines == 0);
  use.missed(0, 0b1000);
  CHECK(use.lines == 1);
  CHECK(use.used_sectors == 2);
  CHECK(use.reused_sectors == 2);
  use.missed(128, 0b1111);
  use.seen(128, 0b1111);
  use.seen(256, 0b1111);  // never fetched: nothing is known of it
  use.finish();
  CHECK(use.lines == 3);
  CHECK(use.used_sectors == 2 + 1 + 4);
  CHECK(use.reused_sectors == 2 + 0 + 4);
  CHECK(use.reused_lines[0] == 1);
  CHECK(use.reused_lines[2] == 1);
  CHECK(use.reused_lines[4] == 1);
}
