#include "platforms/report/replication_observer.h"

#include <set>

#include "tb/support/catch.h"

using namespace strata;
using strata::platforms::LineCopies;

namespace {

/// An L1 that holds what the test says.
struct Toy final : WatchedL1 {
  std::set<Address> lines;
  void watch_accesses(AccessWatchIf*) override {}
  bool holds(Address line, std::uint8_t) const override { return lines.count(line) != 0; }
};

struct Bench {
  Bench() {
    for (const Toy& l1 : l1s) copies.watch(l1);
  }
  LineCopies copies{100};
  Toy l1s[3];
};

}  // namespace

// Line 0 is in L1s 1 and 2 when L1 0 misses it: replicated, two copies. Line 128 is nowhere.
TEST_CASE("a miss is replicated when another L1 holds the line") {
  Bench bench;
  bench.l1s[1].lines = bench.l1s[2].lines = {0};
  bench.copies.missed(0, 0xf);
  bench.copies.missed(128, 0xf);
  CHECK(bench.copies.misses == 2);
  CHECK(bench.copies.replicated == 1);
  CHECK(bench.copies.copies_missed == 2);
}

// At 99 nothing is due. At 100: line 0 in two L1s, line 128 in one: 2 lines, 3 copies. At 150 nothing is due
// again. At 230 (the look of 200): line 0 in three L1s, 128 in none: 1 line, 3 copies more. The next look is
// due at 300.
TEST_CASE("copies are looked at once an interval") {
  Bench bench;
  bench.copies.missed(0, 0xf);
  bench.copies.missed(128, 0xf);
  bench.l1s[0].lines = {0};
  bench.l1s[1].lines = {0, 128};
  bench.copies.pass(99);
  CHECK(bench.copies.looks == 0);
  bench.copies.pass(100);
  bench.copies.pass(150);
  CHECK(bench.copies.looks == 1);
  CHECK(bench.copies.lines == 2);
  CHECK(bench.copies.copies == 3);
  CHECK(bench.copies.most_copies == 2);
  for (Toy& l1 : bench.l1s) l1.lines = {0};
  bench.copies.pass(230);
  bench.copies.pass(299);
  CHECK(bench.copies.looks == 2);
  CHECK(bench.copies.lines == 3);
  CHECK(bench.copies.copies == 6);
  CHECK(bench.copies.most_copies == 3);
}

// A line is missed just before a look and comes after it: it must be seen at the next one, but not after two
// looks that did not find it.
TEST_CASE("a line whose fetch is under way at a look is not forgotten") {
  Bench bench;
  bench.copies.missed(0, 0xf);
  bench.copies.pass(100);
  bench.l1s[0].lines = {0};
  bench.copies.pass(200);
  CHECK(bench.copies.lines == 1);
  bench.l1s[0].lines.clear();
  bench.copies.pass(300);
  bench.copies.pass(400);
  bench.l1s[0].lines = {0};  // without a miss: no L1 does that
  bench.copies.pass(500);
  CHECK(bench.copies.lines == 1);
}
