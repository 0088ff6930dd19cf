#include "models/llc_predictors/auxiliary_tag_directory.h"

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("an auxiliary tag directory costs the 432 bytes of the paper") {
  const AuxiliaryTagDirectory atd(AtdParams{});
  CHECK(atd.storage_bits() == 8 * 16 * (19 + 8));
  CHECK(atd.storage_bits() / 8 == 432);
  CHECK(atd.replacement_bits() == 8 * 16 * 4);
}

TEST_CASE("a private hit needs the bit of the router that asks") {
  AtdParams params;
  params.routers = 3;
  params.slice_sets = params.sampled_sets = 1;
  params.ways = 2;
  AuxiliaryTagDirectory atd(params);
  CHECK(atd.private_hit_rate() == 0);
  // Two ways, most recently used first, lines A = 1, B = 2, C = 3; the example of
  // docs/blocks/llc-predictors.md:
  //   router line  entries before     answer                     entries after
  //   0      A     -                  miss                       A{0}
  //   1      A     A{0}               tag hit                    A{0,1}
  //   0      A     A{0,1}             private hit                A{0,1}
  //   1      A     A{0,1}             private hit                A{0,1}
  //   2      B     A{0,1}             miss                       B{2} A{0,1}
  //   0      C     B{2} A{0,1}        miss, A and its bits go    C{0} B{2}
  //   2      B     C{0} B{2}          private hit                B{2} C{0}
  //   1      A     B{2} C{0}          miss, though 1 had had A   A{1} B{2}
  struct Step {
    int router;
    std::uint64_t line;
    std::uint64_t tag_hits, private_hits;  // so far
  };
  for (const Step& step : {Step{0, 1, 0, 0}, Step{1, 1, 1, 0}, Step{0, 1, 2, 1}, Step{1, 1, 3, 2},
                           Step{2, 2, 3, 2}, Step{0, 3, 3, 2}, Step{2, 2, 4, 3}, Step{1, 1, 4, 3}}) {
    atd.observe(0, step.line, step.router);
    CHECK(atd.counts().tag_hits == step.tag_hits);
    CHECK(atd.counts().private_hits == step.private_hits);
  }
  CHECK(atd.counts().accesses == 8);
  CHECK(atd.shared_hit_rate() == Approx(0.5));
  CHECK(atd.private_hit_rate() == Approx(0.375));
  // Counts begin anew with warm tags; a flush drops these too.
  atd.reset_counts();
  atd.observe(0, 2, 2);
  CHECK(atd.counts().private_hits == 1);
  atd.clear();
  atd.observe(0, 2, 2);
  CHECK(atd.counts().tag_hits == 0);
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
