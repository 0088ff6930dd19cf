// Breakdowns of misses, and Shapley values, against figures worked out by hand.
#include "platforms/studies/interference/contention_shares.h"

#include <map>

#include "platforms/studies/interference/llc_replay.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

namespace {

ContentionCounts counts() {
  ContentionCounts counts;
  counts.misses = {100, 50, 0};
  counts.demotions = {{20, 60, 20}, {0, 0, 0}, {1, 1, 2}};
  counts.evictions = {{50, 10, 40}, {5, 0, 0}, {0, 0, 7}};
  return counts;
}

}  // namespace

TEST_CASE("shares of GDC count demotions by the victim itself, those of PLOB leave self-evictions out") {
  CHECK(gdc_shares(counts(), 0) == Shares{0.2, 0.6, 0.2});
  CHECK(gdc_shares(counts(), 1) == Shares{0, 0, 0});  // nothing is known
  CHECK(plob_shares(counts(), 0) == Shares{0, 0.2, 0.8});
  CHECK(plob_shares(counts(), 0, true) == Shares{0.5, 0.1, 0.4});
  CHECK(plob_shares(counts(), 2) == Shares{0, 0, 0});
}

TEST_CASE("distance, error and inversions of two breakdowns") {
  CHECK(breakdown_distance({1, 0, 0}, {0, 1, 0}) == Approx(1.41421356));  // the farthest that can be
  CHECK(breakdown_distance({0.2, 0.6, 0.2}, {0.2, 0.6, 0.2}) == 0);
  CHECK(mean_absolute_error({0.2, 0.6, 0.2}, {0.5, 0.3, 0.2}) == Approx(0.2));
  CHECK(rank_inversions({3, 2, 1}, {1, 2, 3}, -1) == 3);
  CHECK(rank_inversions({3, 2, 1}, {1, 2, 3}, 0) == 1);   // of the last two
  CHECK(rank_inversions({3, 2, 2}, {3, 1, 2}, -1) == 0);  // equal ones are in no order
}

TEST_CASE("Shapley values share what contenders do together") {
  // The victim (0) misses 10 times alone. Either of 1 and 2 makes it miss 90 times more, both together no
  // more than that; 3 makes it miss 4 times less. Orders of three: 1 comes before 2 in half of them.
  const auto misses = [](ApplicationSet who) {
    std::vector<std::uint64_t> all(4);
    all[0] = 10U + ((who & 6U) != 0 ? 90 : 0) - ((who & 8U) != 0 ? 4 : 0);
    all[1] = 7;
    return all;
  };
  const Shares values = shapley_values(4, 0, misses);
  CHECK(values[0] == Approx(10));
  CHECK(values[1] == Approx(45));
  CHECK(values[2] == Approx(45));
  CHECK(values[3] == Approx(-4));
  CHECK(shapley_values(4, 1, misses)[1] == Approx(7));  // another victim: no aggressor harms it
  CHECK(shapley_values(4, 1, misses)[0] == Approx(0));

  // 1 harms only where 2 is: each order in which 2 comes first gives it to 1, the others to 2.
  const auto together = [](ApplicationSet who) {
    return std::vector<std::uint64_t>{(who & 6U) == 6U ? 12U : 0U, 0, 0};
  };
  const Shares both = shapley_values(3, 0, together);
  CHECK(both[1] == Approx(6));
  CHECK(both[2] == Approx(6));
}

TEST_CASE("a heat map has a figure in each cell and its names escaped") {
  const std::string svg = heat_map("a & b", {"x<1>", "y"}, {{"GDC", {{0.25, 0.75}, {0, 1}}}});
  for (const char* part : {"a &amp; b", "x&lt;1&gt;", ">25.0<", ">75.0<", ">0.0<", ">100.0<"})
    CHECK_THAT(svg, tb::has_text(part));
}
