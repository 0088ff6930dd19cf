#include "models/llc_predictors/auxiliary_tag_directory.h"

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("an auxiliary tag directory costs the 432 bytes of the paper") {
  const AuxiliaryTagDirectory atd(AtdParams{});
  CHECK(atd.storage_bits() == 8 * 16 * (19 + 8));
  CHECK(atd.storage_bits() / 8 == 432);
  CHECK(atd.replacement_bits() == 8 * 16 * 4);
}

TEST_CASE("the last accessor is forgotten by a directory that only names one") {
  AtdParams params;
  params.routers = 2;
  params.slice_sets = params.sampled_sets = 1;
  params.ways = 2;
  // Two ways, lines A = 1, B = 2, C = 3:
  //   router line  tags before  last accessor         touched
  //   0      A     -            miss                  miss
  //   1      A     A            tag hit, 0 is stored  tag hit, {0} is stored
  //   0      A     A            tag hit, 1 is stored  private hit, {0, 1}
  //   0      A     A            private hit           private hit
  //   0      B     A            miss                  miss
  //   1      C     B A          miss, drops A         miss, drops A
  //   0      A     C B          miss, drops B         miss, drops B
  //   0      C     A C          tag hit, 1 is stored  tag hit, {1} is stored
  const int routers[] = {0, 1, 0, 0, 0, 1, 0, 0};
  const std::uint64_t lines[] = {1, 1, 1, 1, 2, 3, 1, 3};
  for (const auto sharers : {AtdParams::Sharers::last_accessor, AtdParams::Sharers::touched}) {
    params.sharers = sharers;
    AuxiliaryTagDirectory atd(params);
    CHECK(atd.private_hit_rate() == 0);
    for (int i = 0; i < 8; ++i) atd.observe(0, lines[i], routers[i]);
    CHECK(atd.counts().accesses == 8);
    CHECK(atd.counts().tag_hits == 4);
    CHECK(atd.counts().private_hits == (sharers == AtdParams::Sharers::touched ? 2 : 1));
    CHECK(atd.shared_hit_rate() == Approx(0.5));
    // Counts begin anew with warm tags; a flush drops these too.
    atd.reset_counts();
    atd.observe(0, 3, 0);
    CHECK(atd.counts().private_hits == 1);
    atd.clear();
    atd.observe(0, 3, 0);
    CHECK(atd.counts().tag_hits == 0);
  }
}

TEST_CASE("a directory ignores the sets that it does not sample") {
  AtdParams params;
  params.slice_sets = 4;
  params.sampled_sets = 2;  // sets 1 and 3
  params.first_set = 1;
  AuxiliaryTagDirectory atd(params);
  for (std::uint32_t set = 0; set < 4; ++set) {
    CHECK(atd.samples(set) == (set % 2 == 1));
    atd.observe(set, 7, 0);
    atd.observe(set, 7, 0);
  }
  CHECK(atd.counts().accesses == 4);
  CHECK(atd.counts().private_hits == 2);
}
