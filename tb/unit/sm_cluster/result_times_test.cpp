// Until when results of fixed latency are waited for.
#include "models/sm_cluster/result_times.h"

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("a result is waited for by the instruction that needs it, the latest of several results counts") {
  ResultTimes times(2);
  times.set(1, 40, 3, 17, 10);
  CHECK(times.ready(1, 40) == 17);
  CHECK(times.ready(1, 39) == 0);
  CHECK(times.ready(0, 40) == 0);
  times.set(1, 40, 2, 15, 11);
  CHECK(times.ready(1, 40) == 17);
  times.set(1, 40, 1, 19, 12);
  CHECK(times.ready(1, 40) == 19);
}

TEST_CASE("results that are far away in instructions or in cycles are waited for as well") {
  ResultTimes times(1);
  times.set(0, 40, 32, 17, 10);  // the same place as that of a near one
  times.set(0, 40 + 32, 1, 12, 10);
  CHECK(times.ready(0, 40) == 17);
  times.set(0, 7, 1, 100'010, 10);  // more cycles than 16 bits hold
  CHECK(times.ready(0, 7) == 100'010);
}

TEST_CASE("times stay what they are when they are counted from a later cycle on") {
  ResultTimes times(2);
  times.set(0, 5, 1, 65'530, 65'500);
  times.set(0, 6, 1, 65'505, 65'500);
  // From cycle 65 510 on: what lies before is over, what lies behind is still to come.
  times.set(1, 9, 1, 65'540, 65'510);
  CHECK(times.ready(0, 5) == 65'530);
  CHECK(times.ready(0, 6) <= 65'510);
  CHECK(times.ready(1, 9) == 65'540);
  // Of an old time nothing is left much later.
  times.set(1, 9, 1, 10'000'000'003, 10'000'000'000);
  CHECK(times.ready(1, 9) == 10'000'000'003);
  CHECK(times.ready(0, 5) <= 10'000'000'000);
}
