#include "models/common/stats.h"

#include "tb/support/catch.h"

using strata::add_stats;
using strata::StatVisitor;

namespace {

struct Tally final : strata::StatSet {
  std::uint64_t first = 0;
  std::uint64_t parts[2] = {};
  strata::Histogram depth;
  void for_each_stat(StatVisitor& v) const override {
    v.counter({"first", "events", "the first"}, first);
    for (const std::uint64_t& part : parts) v.counter({"part", "events", "a part"}, part);
    v.histogram({"depth", "entries", "how deep"}, depth);
    v.ratio({"share", "", "parts of the first"}, parts[0], first);
    v.law("first >= 0");
  }
};

}  // namespace

TEST_CASE("Sets of statistics add up counter by counter, histograms included") {
  Tally sum, other;
  sum.first = 1;
  sum.parts[1] = 20;
  sum.depth.add(4);
  other.first = 2;
  other.parts[0] = 5;
  other.parts[1] = 7;
  other.depth.add(9);
  other.depth.add(0);
  add_stats(sum, other);
  CHECK(sum.first == 3);
  CHECK(sum.parts[0] == 5);
  CHECK(sum.parts[1] == 27);
  CHECK(sum.depth.samples == 3);
  CHECK(sum.depth.total == 13);
  CHECK(sum.depth.maximum == 9);
  CHECK(other.first == 2);
  add_stats(sum, Tally());
  CHECK(sum.first == 3);
  CHECK(sum.depth.samples == 3);
}
