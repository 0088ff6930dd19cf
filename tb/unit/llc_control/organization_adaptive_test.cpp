// When and why the paper's rules go private and back.
#include "tb/support/catch.h"
#include "tb/support/organization_bench.h"

using namespace strata;
using namespace strata::tb;

TEST_CASE("adaptive: profiles at the kernel's start and at each epoch, counted from the kernel's start") {
  OrganizationBench bench(params_of("adaptive"));
  Organization& adaptive = *bench.organization;
  CHECK(adaptive.next_look() == never);  // no kernel runs
  adaptive.kernel_began(10, bench.totals);
  CHECK(adaptive.next_look() == 110);
  CHECK(adaptive.watches());
  CHECK(adaptive.look(110, bench.totals) == LlcMode::shared);
  CHECK(adaptive.choices().back().why == "no data");
  CHECK(adaptive.next_look() == 1010);
  CHECK(adaptive.look(1010, bench.totals) == LlcMode::shared);
  CHECK(adaptive.next_look() == 1110);
  CHECK(adaptive.stats().epochs == 1);
  CHECK(adaptive.stats().profiles == 2);
  adaptive.kernel_ended(1050);
  CHECK(adaptive.next_look() == never);
  adaptive.kernel_began(1060, bench.totals);
  CHECK(adaptive.next_look() == 1160);
}

TEST_CASE("adaptive, rule 1: private when each cluster uses lines of its own") {
  OrganizationBench bench(params_of("adaptive"));
  Organization& adaptive = *bench.organization;
  adaptive.kernel_began(0, bench.totals);
  // Ten lines of slice 0 in ten sets, of which 0, 2, 4, 6, 8, 10, 12 and 14 are sampled: 8 of 16 sets, evenly
  // spaced. Each line is touched ten times by one cluster: of the samples one access in ten misses.
  for (int round = 0; round < 10; ++round)
    for (int n = 0; n < 10; ++n) adaptive.learn(access(OrganizationBench::line(0, n), n / 2 % 4), 50);
  bench.totals.accesses = {100, 100, 100, 100};
  bench.totals.misses = {10, 10, 10, 10};
  CHECK(adaptive.look(100, bench.totals) == LlcMode::private_);
  const LlcChoice& choice = adaptive.choices().back();
  CHECK(choice.why == "rule 1");
  CHECK(choice.miss_rates[0] == Approx(0.1));
  CHECK(choice.miss_rates[1] == Approx(0.1));
  CHECK(choice.lsps[0] == Approx(4));  // four slices alike
  CHECK(choice.lsps[1] == Approx(4));  // one controller, four clusters
  adaptive.changed(LlcMode::private_, 150, bench.totals);
  CHECK(bench.slice(OrganizationBench::line(0, 0), 3) == 3);
  CHECK(adaptive.writes_through());
  CHECK_FALSE(adaptive.watches());
  CHECK(adaptive.next_look() == 1000);
  CHECK(adaptive.look(1000, bench.totals) == LlcMode::shared);  // rule 3
  adaptive.changed(LlcMode::shared, 1040, bench.totals);
  CHECK(adaptive.next_look() == 1140);  // a profile takes its time from the end of the change on
}

TEST_CASE("adaptive, rule 2: the bandwidth model weighs misses against slices") {
  for (const bool even : {true, false}) {
    OrganizationBench bench(params_of("adaptive"));
    Organization& adaptive = *bench.organization;
    adaptive.kernel_began(0, bench.totals);
    // Line 0 is touched twice by each cluster in turn: the second touch is a private hit, so 4 of 8 hit.
    for (int c = 0; c < 4; ++c)
      for (int twice = 0; twice < 2; ++twice) adaptive.learn(access(OrganizationBench::line(0, 0), c), 50);
    bench.totals.accesses =
        even ? std::vector<std::uint64_t>{100, 100, 100, 100} : std::vector<std::uint64_t>{400, 0, 0, 0};
    bench.totals.misses = {10, 10, 10, 10};
    const LlcMode wanted = adaptive.look(100, bench.totals);
    const LlcChoice& choice = adaptive.choices().back();
    CHECK(choice.miss_rates[1] == Approx(0.5));
    // Private: 0.5 x 4 x 32 + 0.5 x 20 = 74 bytes a cycle.
    CHECK(choice.bandwidths[1] == Approx(74));
    // Shared: 0.9 x 4 x 32 + 0.1 x 20 = 117.2 when slices are used alike, 0.9 x 1 x 32 + 2 = 30.8 when one
    // is.
    CHECK(choice.bandwidths[0] == Approx(even ? 117.2 : 30.8));
    CHECK(wanted == (even ? LlcMode::shared : LlcMode::private_));
    CHECK(choice.why == (even ? "shared" : "rule 2"));
  }
}

TEST_CASE("adaptive: a kernel with atomics stays shared") {
  OrganizationBench bench(params_of("adaptive"));
  Organization& adaptive = *bench.organization;
  adaptive.kernel_began(0, bench.totals);
  CHECK(adaptive.atomics_found(20) == LlcMode::shared);
  CHECK(adaptive.next_look() == 1000);  // no profile, and none at the epoch
  CHECK(adaptive.look(1000, bench.totals) == LlcMode::shared);
  CHECK(adaptive.next_look() == 2000);
  CHECK(adaptive.stats().pinned_kernels == 1);
  adaptive.kernel_ended(1500);
  adaptive.kernel_began(1600, bench.totals);
  CHECK(adaptive.next_look() == 1700);  // the next kernel is profiled again
}
