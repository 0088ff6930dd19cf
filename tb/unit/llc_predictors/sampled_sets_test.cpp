#include "models/llc_predictors/sampled_sets.h"

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("sampled sets are evenly spaced from the first one") {
  // 8 of 48 sets from set 3 on: every 6th.
  const SampledSets sets(48, 8, 3);
  int seen = 0;
  for (std::uint32_t set = 0; set < 48; ++set) {
    const bool expected = set % 6 == 3;
    CAPTURE(set);
    CHECK((sets.sample(set) != SampledSets::none) == expected);
    if (expected) CHECK(sets.sample(set) == seen++);
  }
  // 3 of 10 from 8 on: 8, 8 + 3 and 8 + 6, modulo 10.
  const SampledSets wrapped(10, 3, 8);
  CHECK(wrapped.sample(8) == 0);
  CHECK(wrapped.sample(1) == 1);
  CHECK(wrapped.sample(4) == 2);
}
