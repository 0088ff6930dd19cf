#include <set>

#include "platforms/report/capacity_observer.h"
#include "platforms/report/line_use_observer.h"
#include "platforms/report/replication_observer.h"
#include "platforms/report/sharing_observer.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

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
TEST_CASE("a line whose fetch is in flight at a look is not forgotten") {
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

namespace {

void see(SharedData& data, Address line, int sm, AccessClass access_class, bool at_llc,
         std::uint32_t kernel) {
  Access access;
  access.line = line;
  access.sm = static_cast<std::uint16_t>(sm);
  access.access_class = access_class;
  access.kernel = kernel;
  data.observe(access, at_llc);
}

}  // namespace

// Kernel 0. Line 0: SMs 0 and 1 load it, each once at the LLC, SM 1 three times more in its L1: 5 loads, 2 at
// the LLC, read-only. Line 128: SM 0 loads it at the LLC, SM 1 stores: shared, written, 1 load. Line 256: SM
// 2 alone, six loads: not shared. Kernel 1. Line 0 again, by SM 1 alone: not shared there. Line 256: SMs 2
// and 3 at the LLC: shared and read-only, 2 loads.
TEST_CASE("lines are shared within a kernel, and read-only when it does not store to them") {
  SharedData data;
  see(data, 0, 0, AccessClass::read_only_load, true, 0);
  see(data, 0, 1, AccessClass::read_only_load, true, 0);
  for (int i = 0; i < 3; ++i) see(data, 0, 1, AccessClass::read_only_load, false, 0);
  see(data, 128, 0, AccessClass::load, true, 0);
  see(data, 128, 1, AccessClass::store, true, 0);
  see(data, 256, 2, AccessClass::load, true, 0);
  for (int i = 0; i < 5; ++i) see(data, 256, 2, AccessClass::load, false, 0);
  see(data, 0, 1, AccessClass::load, true, 1);
  see(data, 256, 2, AccessClass::load, true, 1);
  see(data, 256, 3, AccessClass::load, true, 1);
  data.finish();
  CHECK(data.lines == 3);
  CHECK(data.read_only_lines == 2);
  CHECK(data.loads == 5 + 1 + 2);
  CHECK(data.llc_loads == 2 + 1 + 2);
}

// A line that an SM stores to before another loads it is shared; one that a single SM writes is not.
TEST_CASE("the first SM may be one that stores") {
  SharedData data;
  see(data, 0, 0, AccessClass::store, true, 0);
  see(data, 0, 1, AccessClass::load, true, 0);
  see(data, 128, 4, AccessClass::atomic, true, 0);
  see(data, 128, 4, AccessClass::atomic, true, 0);
  data.finish();
  CHECK(data.lines == 1);
  CHECK(data.read_only_lines == 0);
  CHECK(data.loads == 1);
}
