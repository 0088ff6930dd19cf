// Selective replication: degrees by traffic, by bandwidth, by the copies that memory carries, and when they
// are looked at.
#include "models/llc_predictors/response_ceiling.h"
#include "models/llc_slice/llc_slice_core.h"
#include "tb/support/catch.h"
#include "tb/support/organization_bench.h"

using namespace strata;
using namespace strata::tb;

TEST_CASE("selrep: the worked example of Figure 9") {
  LlcControlParams params = params_of("selrep");
  OrganizationBench bench(params);
  Organization& selrep = *bench.organization;
  LlcSliceParams slice_params;
  slice_params.size = Bytes(16 * 128);
  std::vector<LlcSliceCore> slices;
  for (int s = 0; s < 4; ++s) slices.emplace_back(slice_params, *bench.map);
  const Address x = OrganizationBench::line(0, 0);
  // What slice a cluster's read-only load of X goes to, and whether it hits there; a miss brings X in.
  const auto load = [&](int cluster) {
    Access request = access(x, cluster, AccessClass::read_only_load);
    const int s = selrep.slice_of(request);
    LlcSliceCore& slice = slices[static_cast<std::size_t>(s)];
    const LlcDecision decision = slice.begin(request, 0);
    if (decision.outcome == LlcOutcome::miss_new) slice.fill(decision.mshr, 0xf);
    return std::make_pair(s, decision.outcome == LlcOutcome::hit);
  };
  CHECK(load(0) == std::make_pair(0, false));  // (1) shared; X comes to slice 0
  REQUIRE(selrep.force_degree(2));             // (2) two copies
  CHECK(load(1) == std::make_pair(0, true));
  CHECK(load(3) == std::make_pair(2, false));  // (3) the replica is made
  CHECK(load(0) == std::make_pair(0, true));
  CHECK(load(2) == std::make_pair(2, true));
  REQUIRE(selrep.force_degree(1));  // (4) shared again: the replica is still there but out of reach
  CHECK(load(3) == std::make_pair(0, true));
  CHECK(slices[2].contains(x));
  // At the kernel's end the replica goes, the line at home stays.
  CHECK(selrep.at_kernel_end() == KernelEndFlush::replicas);
  for (int s = 0; s < 4; ++s) {
    slices[static_cast<std::size_t>(s)].expect_replicas(every_application, s);
    MemoryWrite none;
    CHECK_FALSE(slices[static_cast<std::size_t>(s)].flush_step(LlcFlush::replicas, every_application, none));
  }
  CHECK_FALSE(slices[2].contains(x));
  CHECK(slices[0].contains(x));
  CHECK_FALSE(selrep.force_degree(3));
}

TEST_CASE("selrep: the degree with the largest bandwidth rules the next epoch") {
  LlcControlParams params = params_of("selrep");
  params.memory_bandwidth = 4 * 8;  // 8 bytes a cycle for each slice
  params.rdd_sets = 16;
  OrganizationBench bench(params);
  Organization& selrep = *bench.organization;
  selrep.kernel_began(2500, bench.totals);
  CHECK(selrep.next_look() == 3000);  // epochs have a clock of their own
  // All clusters read the one line X of slice 0, again and again: only copies use more than one slice.
  for (int round = 0; round < 100; ++round)
    for (int c = 0; c < 4; ++c)
      CHECK(selrep.learn(access(OrganizationBench::line(0, 0), c, AccessClass::read_only_load), 2600) == 0);
  CHECK(selrep.look(3000, bench.totals) == LlcMode::shared);
  const LlcChoice& choice = selrep.choices().back();
  CHECK(choice.degrees == std::vector<int>{1, 2, 4});
  CHECK(choice.lsps[0] == Approx(1));
  CHECK(choice.lsps[1] == Approx(2));
  CHECK(choice.lsps[2] == Approx(4));
  // Of 400 loads 1, 2 or 4 miss. B = LSP x (H x 32 + min((1 - H) x 32, 8)): misses are few enough.
  CHECK(choice.miss_rates[2] == Approx(0.01));
  CHECK(choice.bandwidths[2] == Approx(128));
  CHECK(selrep.degree() == 4);
  CHECK(bench.slice(OrganizationBench::line(0, 0), 3, AccessClass::read_only_load) == 3);
  CHECK(bench.slice(OrganizationBench::line(0, 0), 3, AccessClass::load) == 0);
  CHECK(selrep.next_look() == 4000);
  // Nothing seen: the degree stays.
  selrep.look(4000, bench.totals);
  CHECK(selrep.choices().back().why == "no data");
  CHECK(selrep.degree() == 4);
  CHECK(selrep.stats().degree_changes == 1);
  CHECK(selrep.at_kernel_end() == KernelEndFlush::replicas);
  selrep.kernel_ended(4100);
  CHECK(selrep.next_look() == never);
  CHECK(selrep.at_kernel_end() == KernelEndFlush::nothing);  // until the next kernel begins with copies
}

TEST_CASE("selrep: lines used once are not worth copies") {
  LlcControlParams params = params_of("selrep");
  params.memory_bandwidth = 4 * 2;  // 2 bytes a cycle for each slice: misses are dear
  params.rdd_sets = 64;             // every set of every slice
  OrganizationBench bench(params);
  Organization& selrep = *bench.organization;
  selrep.kernel_began(0, bench.totals);
  // Each cluster reads 64 lines of all slices once, one cluster after the other: shared, three of four hit;
  // with four copies none does. Slices are used alike at every degree.
  for (int c = 0; c < 4; ++c)
    for (int n = 0; n < 16; ++n)
      for (int s = 0; s < 4; ++s)
        selrep.learn(access(OrganizationBench::line(s, n), c, AccessClass::read_only_load), 10);
  selrep.look(1000, bench.totals);
  const LlcChoice& choice = selrep.choices().back();
  CHECK(choice.miss_rates[0] == Approx(0.25));
  CHECK(choice.miss_rates[1] == Approx(0.5));
  CHECK(choice.miss_rates[2] == Approx(1));
  // 4 x (24 + 2) = 104, 4 x (16 + 2) = 72, 4 x 2 = 8.
  CHECK(choice.bandwidths[0] == Approx(104));
  CHECK(choice.bandwidths[1] == Approx(72));
  CHECK(choice.bandwidths[2] == Approx(8));
  CHECK(selrep.degree() == 1);
}

TEST_CASE("selrep, copies: the network's ceiling rises with the degree") {
  LlcControlParams params = params_of("selrep");
  params.model = LlcControlParams::Model::copies;
  params.memory_bandwidth = 1e6;
  params.rdd_sets = 16;
  OrganizationBench bench(params);
  // One MC-router of 4 x 4 ports with replies of 5 flits, and SM-routers that never limit.
  ReplyStage gated;
  gated.routers = 1;
  gated.inputs = gated.outputs = 4;
  ReplyStage asking;
  asking.routers = 4;
  asking.inputs = asking.outputs = asking.flits = 1;
  bench.machine.shared_replies = {gated, asking};
  bench.organization->attach(bench.machine);
  Organization& selrep = *bench.organization;
  selrep.kernel_began(0, bench.totals);
  // All clusters read all slices alike: LSP is 4 at every degree, and slices would give 4 x 32 bytes a cycle.
  for (int round = 0; round < 10; ++round)
    for (int s = 0; s < 4; ++s)
      for (int c = 0; c < 4; ++c)
        selrep.learn(access(OrganizationBench::line(s, 0), (c + s) % 4, AccessClass::read_only_load), 10);
  selrep.look(1000, bench.totals);
  const LlcChoice& choice = selrep.choices().back();
  CHECK(choice.lsps == std::vector<double>{4, 4, 4});
  // Four copies: four routers of 1 x 1, each a reply per 5 flits and 2 idle cycles of the VC: 4 / 7 x 128.
  CHECK(choice.bandwidths[2] == Approx(4.0 / 7 * 128).epsilon(1e-4));
  CHECK(choice.bandwidths[0] == Approx(response_ceiling({gated}) * 128).epsilon(1e-4));
  CHECK(choice.bandwidths[0] < choice.bandwidths[1]);
  CHECK(choice.bandwidths[1] < choice.bandwidths[2]);
  CHECK(selrep.degree() == 4);
}

TEST_CASE("selrep, copies: as many copies as memory carries at half its load") {
  for (const int cycles : {1000, 250}) {
    LlcControlParams params = params_of("selrep");
    params.model = LlcControlParams::Model::copies;
    params.memory_bandwidth = 128;  // a line per cycle: half of it is 0.5
    params.rdd_sets = 64;           // every set
    params.window = 0;
    OrganizationBench bench(params);
    Organization& selrep = *bench.organization;
    selrep.kernel_began(static_cast<Cycle>(1000 - cycles), bench.totals);
    // Each cluster reads 64 lines of all slices once, together: shared, three of four hit; two copies: two of
    // four; four copies: none. There is no ceiling, and slices are used alike: 4 x 32 bytes a cycle.
    for (int n = 0; n < 16; ++n)
      for (int s = 0; s < 4; ++s)
        for (int c = 0; c < 4; ++c)
          selrep.learn(access(OrganizationBench::line((s + c) % 4, n), c, AccessClass::read_only_load), 990);
    for (std::uint64_t& misses : bench.totals.misses) misses = 16;
    selrep.look(1000, bench.totals);
    const LlcChoice& choice = selrep.choices().back();
    CHECK(choice.lsps == std::vector<double>{4, 4, 4});
    CHECK(choice.miss_rates == std::vector<double>{0.25, 0.5, 1});
    CHECK(choice.bandwidths == std::vector<double>{128, 128, 128});  // memory 128 / 1 at the highest degree
    // 256 loads: 0.256 a cycle, all of which may miss, or 1.024, of which half miss: 0.512 are too many.
    CHECK(selrep.degree() == (cycles == 1000 ? 4 : 1));
    // The present degree stays while memory does not queue: 0.256 misses a cycle x 2 x 56 cycles = 28.7
    // lines.
    if (cycles != 1000) continue;
    for (const int fetches : {50, 100}) {
      const int before = bench.totals.fetches;
      for (std::uint64_t& misses : bench.totals.misses) misses += 64;
      bench.totals.fetches = fetches;
      for (int c = 0; c < 4; ++c)
        selrep.learn(access(OrganizationBench::line(0, 0), c, AccessClass::read_only_load),
                     selrep.next_look() - 1);
      selrep.look(selrep.next_look(), bench.totals);
      CHECK((before + fetches) / 2 == (fetches == 50 ? 25 : 75));
      CHECK((selrep.degree() == 4) == (fetches == 50));
    }
  }
}

TEST_CASE("selrep, copies: looks come at twice the time until an epoch, anew in each kernel") {
  LlcControlParams params = params_of("selrep");  // epochs of 1000 cycles
  params.window = 100;
  for (const auto model : {LlcControlParams::Model::copies, LlcControlParams::Model::paper}) {
    params.model = model;
    OrganizationBench bench(params);
    Organization& selrep = *bench.organization;
    selrep.kernel_began(0, bench.totals);
    if (model == LlcControlParams::Model::copies)
      for (const Cycle at : {100, 300, 700}) {
        REQUIRE(selrep.next_look() == at);
        selrep.look(at, bench.totals);
      }
    REQUIRE(selrep.next_look() == 1000);
    selrep.look(1000, bench.totals);
    CHECK(selrep.next_look() == 2000);
    selrep.kernel_ended(1500);
    CHECK(selrep.next_look() == never);
    selrep.kernel_began(1950, bench.totals);
    CHECK(selrep.next_look() == 2000);
    selrep.kernel_ended(1960);
    selrep.kernel_began(2400, bench.totals);
    CHECK(selrep.next_look() == (model == LlcControlParams::Model::copies ? 2500 : 3000));
  }
}
