#include "platforms/report/capacity_observer.h"

#include "tb/support/catch.h"

using strata::SetIndex;
using strata::platforms::LruLines;

// Two sets of two ways: even numbers in one, odd ones in the other. In brackets a set, the last used first.
TEST_CASE("lines of a set leave in the order of their last use") {
  LruLines lines(2, 2, SetIndex::Kind::plain);
  CHECK_FALSE(lines.use(0));  // [0]
  CHECK_FALSE(lines.use(2));  // [2 0]
  CHECK_FALSE(lines.use(1));  // the other set
  CHECK(lines.use(0));        // [0 2]
  CHECK_FALSE(lines.use(4));  // [4 0]
  CHECK(lines.use(0));        // [0 4]
  CHECK_FALSE(lines.use(2));  // [2 0]
  CHECK_FALSE(lines.use(4));  // [4 2]
  CHECK(lines.use(1));
}

// Lines 0, 2, 4 and 6 again and again: too many for a set of two ways, which loses each before it comes back;
// with twice the sets 0 and 4 have one, 2 and 6 another.
TEST_CASE("twice the sets keep what one loses") {
  LruLines one(2, 2, SetIndex::Kind::plain), two(4, 2, SetIndex::Kind::plain);
  int kept_by_one = 0, kept_by_two = 0;
  for (int round = 0; round < 10; ++round)
    for (const std::uint64_t number : {0, 2, 4, 6}) {
      kept_by_one += one.use(number) ? 1 : 0;
      kept_by_two += two.use(number) ? 1 : 0;
    }
  CHECK(kept_by_one == 0);
  CHECK(kept_by_two == 9 * 4);
}

// Even lines of two homes are numbers 0, 1, 2, 3: two for each of two sets.
TEST_CASE("lines of a home are counted alone") {
  LruLines lines(2, 2, SetIndex::Kind::plain, {2, 1});
  for (const std::uint64_t number : {0, 2, 4, 6}) CHECK_FALSE(lines.use(number));
  for (const std::uint64_t number : {0, 2, 4, 6}) CHECK(lines.use(number));
}

// At the end of a kernel an L1 of any size drops its lines.
TEST_CASE("nothing is kept over a flush") {
  LruLines lines(2, 2, SetIndex::Kind::plain);
  lines.use(0);
  lines.use(1);
  lines.clear();
  CHECK_FALSE(lines.use(0));
  CHECK_FALSE(lines.use(1));
  CHECK(lines.use(0));
}
