#include <limits>
#include <vector>

#include "models/llc_predictors/auxiliary_tag_directory.h"
#include "models/llc_predictors/bandwidth_model.h"
#include "models/llc_predictors/degree_selection.h"
#include "models/llc_predictors/lsp_counters.h"
#include "models/llc_predictors/replica_tags.h"
#include "models/llc_predictors/replication_degree_directory.h"
#include "models/llc_predictors/response_ceiling.h"
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

TEST_CASE("LSP is 1 when one slice gets everything and N when all get the same") {
  for (const int slices : {1, 8, 64}) {
    LspCounters counters(LspParams{slices, 16, 0});
    CHECK(counters.lsp() == 0);
    for (int i = 0; i < 1000; ++i) counters.count(slices - 1, 0);
    CHECK(counters.lsp() == Approx(1));
    counters.reset(0);
    for (int i = 0; i < 100 * slices; ++i) counters.count(i % slices, 0);
    CHECK(counters.lsp() == Approx(slices));
  }
}

TEST_CASE("LSP over windows weights each by its busiest slice") {
  // Window 0: slice 0 four times, LSP 1. Window 1: slices 0 and 1 twice each, LSP 2. Over both: 8 / (4 + 2).
  // One long window sees 6 and 2: 8 / 6 as well here, but camping that moves shows the difference:
  LspCounters windows(LspParams{2, 16, 100});
  for (const Cycle now : {0, 10, 20, 99}) windows.count(0, now);
  windows.count(0, 100);
  windows.count(1, 100);
  windows.count(0, 199);
  windows.count(1, 50);  // late: counts in the open window
  CHECK(windows.lsp() == Approx(8.0 / 6));
  CHECK(windows.accesses() == 8);
  CHECK(windows.busiest() == 6);

  LspCounters moving(LspParams{2, 16, 100});
  LspCounters whole(LspParams{2, 16, 0});
  for (Cycle now = 0; now < 1000; now += 10)
    for (LspCounters* counters : {&moving, &whole}) counters->count(static_cast<int>(now / 100 % 2), now);
  CHECK(moving.lsp() == Approx(1));  // in each window only one slice works
  CHECK(whole.lsp() == Approx(2));
  CHECK(whole.storage_bits() == 32);
  CHECK(moving.storage_bits() == 32 + 64);
}

TEST_CASE("LSP counters saturate and then look more even than the slices are") {
  LspCounters counters(LspParams{2, 16, 0});
  for (int i = 0; i < 70000; ++i) counters.count(0, 0);
  CHECK(counters.counter(0) == 65535);
  CHECK(counters.saturated());
  for (int i = 0; i < 65535; ++i) counters.count(1, 0);
  CHECK(counters.lsp() == Approx(2));
  counters.reset(5);
  CHECK_FALSE(counters.saturated());
  CHECK(counters.accesses() == 0);
}

TEST_CASE("private LSP is that of one cluster times the clusters") {
  // 8 controllers, the first cluster sends 3 requests to one and 1 to another: LSP 4/3; 8 clusters: 32/3.
  LspCounters counters(LspParams{8, 16, 0});
  for (const int controller : {0, 0, 0, 5}) counters.count(controller, 0);
  CHECK(private_lsp(counters, 8) == Approx(32.0 / 3));
  CHECK(counters.storage_bits() == 16 * 8);  // the paper's 16 bytes
}

TEST_CASE("bandwidth models as printed") {
  // 900 GB/s at 1400 MHz: 642.857 B per cycle; a slice's channel: 32 B per cycle.
  const double memory = bytes_per_cycle(900e9, 1400e6);
  CHECK(memory == Approx(642.857).epsilon(1e-5));
  // ISCA: 0.75 x 10 x 32 + 0.25 x 642.857 = 240 + 160.714
  CHECK(isca_bandwidth({0.75, 10}, {32, memory}) == Approx(400.714).epsilon(1e-5));
  CHECK(isca_bandwidth({1, 64}, {32, memory}) == Approx(2048));
  CHECK(isca_bandwidth({0, 64}, {32, memory}) == Approx(memory));
  // SelRep: 600 GB/s over 64 slices at 1400 MHz: 6.696 B per cycle and slice.
  const double share = bytes_per_cycle(600e9, 1400e6) / 64;
  // Few misses (0.1 x 32 = 3.2 below the share) are hidden: B = LSP x 32.
  CHECK(selrep_bandwidth({0.9, 4}, {32, share}) == Approx(4 * 32));
  // Many: 4 x (0.5 x 32 + 6.696) = 90.786
  CHECK(selrep_bandwidth({0.5, 4}, {32, share}) == Approx(90.786).epsilon(1e-4));
}

TEST_CASE("the bottleneck model takes the least of slices, network and memory") {
  const BandwidthParams params{32, 600};
  CHECK(bottleneck_bandwidth({0.9, 64}, params) == Approx(64 * 32));       // misses ask for 204.8
  CHECK(bottleneck_bandwidth({0.9, 64}, params, 1000) == Approx(1000));    // network
  CHECK(bottleneck_bandwidth({0.5, 64}, params) == Approx(1200));          // memory: 600 / 0.5
  CHECK(bottleneck_bandwidth({0.5, 64}, params, 1500) == Approx(1200));    // still memory
  CHECK(bottleneck_bandwidth({1, 2}, params, 1000) == Approx(64));         // slices
  CHECK(bottleneck_bandwidth({0, 64}, {32, 5000}, 1000) == Approx(1000));  // all misses, fast memory
}

TEST_CASE("copies of a line live in the slices of the requester's group") {
  // 8 clusters, 8 slices, degree 4: groups of 2 clusters with 2 slices each.
  const ReplicationShape shape(8, 8, {1, 2, 4, 8});
  CHECK(shape.slice(0, 5, 3) == 3);          // shared: the address's
  CHECK(shape.slice(1, 5, 3) == 4 + 3);      // group 1 uses slices 4-7
  CHECK(shape.slice(2, 5, 3) == 2 * 2 + 1);  // group 2, 3 mod 2
  CHECK(shape.slice(3, 5, 3) == 5);          // private: slice = cluster
  CHECK(shape.group_mask(2, 5) == 0x30);
  CHECK(shape.owner(2, 5) == 2);  // slices 4 and 5 are group 2's
  CHECK(shape.owner(0, 7) == 0);
  // 16 clusters on 8 slices, degree 8: two clusters a slice.
  CHECK(ReplicationShape(16, 8, {8}).slice(0, 7, 5) == 3);
  CHECK(ReplicationShape::allows(16, 8, 8));
  CHECK_FALSE(ReplicationShape::allows(16, 8, 16));
  CHECK_FALSE(ReplicationShape::allows(16, 16, 3));
  CHECK_FALSE(ReplicationShape::allows(16, 16, 0));
}

TEST_CASE("the replication degree directory answers as in figure 10 of the paper") {
  // 8 clusters and slices; cluster 3 has touched the line. Then cluster 3 hits in a private LLC, cluster 2
  // only with degree 4 (clusters 2-3 share), 2 (0-3) and 1, cluster 5 only in a shared LLC.
  for (const auto tags : {RddParams::Tags::one, RddParams::Tags::per_degree}) {
    RddParams params;
    params.tags = tags;
    params.clusters = params.slices = 8;
    params.degrees = {1, 2, 4, 8};
    ReplicationDegreeDirectory rdd(params);
    const auto hits_of = [&rdd](int cluster) {
      rdd.clear();
      rdd.observe(0, 77, 0, 3);
      rdd.reset_counts();
      rdd.observe(0, 77, 0, cluster);
      std::vector<std::uint64_t> hits;
      for (int i = 0; i < 4; ++i) hits.push_back(rdd.hits(i));
      return hits;
    };
    CHECK(hits_of(3) == std::vector<std::uint64_t>{1, 1, 1, 1});
    CHECK(hits_of(2) == std::vector<std::uint64_t>{1, 1, 1, 0});
    CHECK(hits_of(0) == std::vector<std::uint64_t>{1, 1, 0, 0});
    CHECK(hits_of(5) == std::vector<std::uint64_t>{1, 0, 0, 0});
    CHECK(rdd.accesses(0) == 1);
    CHECK(rdd.hit_rate(0) == Approx(1));
  }
}

TEST_CASE("the storage of selective replication from its parameters") {
  RddParams params;
  const ReplicationDegreeDirectory one(params);
  CHECK(one.storage_bits() == 32 * (20 + 30));  // 200 bytes: a tag and 2 + 4 + 8 + 16 bits
  CHECK(one.counter_bits() == 6 * 16);          // a hit counter a degree, one for accesses
  CHECK(one.replacement_bits() == 32 * 4);
  params.tags = RddParams::Tags::per_degree;
  const ReplicationDegreeDirectory five(params);
  CHECK(five.storage_bits() / 8 == 520);  // the paper's figure: 32 x (5 x 20 + 30) bits
  CHECK(five.counter_bits() == 10 * 16);
  // R_i of 5 degrees and 16 slices, with the 6 counters above: the paper's 86 counters, 172 bytes.
  const DegreeLoads loads(one.shape(), 16);
  CHECK(loads.storage_bits() == 5 * 16 * 16);
  CHECK(loads.storage_bits() + one.counter_bits() == 86 * 16);
  // True tags: 2 sets of 16 ways for 1 + 2 + 4 + 8 + 16 groups.
  const ReplicaTags replicas(ReplicaTagsParams{});
  CHECK(replicas.storage_bits() == 31 * 32 * 20);
  CHECK(replicas.replacement_bits() == 31 * 32 * 4);
  CHECK(replicas.counter_bits() == 10 * 16);
}

TEST_CASE("copies take room in true tags only") {
  // 2 clusters, 2 slices of one set with one way: shared holds a line of each slice, private one line a
  // cluster. Both clusters use line 0 of slice 0 and line 1 of slice 1 in turn, all sets sampled.
  RddParams params;
  params.clusters = params.slices = 2;
  params.degrees = {1, 2};
  params.slice_sets = 1;
  params.ways = 1;
  params.sampled_sets = 2;
  ReplicationDegreeDirectory rdd(params);
  ReplicaTags tags({2, 2, 1, {1, 2}, 1, 0, 1, 20, 16});
  for (int i = 0; i < 8; ++i) {
    const int cluster = i / 2 % 2;
    rdd.observe(0, static_cast<std::uint64_t>(i % 2), i % 2, cluster);
    tags.observe(0, static_cast<std::uint64_t>(i % 2), i % 2, cluster);
  }
  // Shared misses twice of 8; private never hits: each slice's single way alternates between two lines.
  CHECK(rdd.hits(0) == 6);
  CHECK(rdd.hits(1) == 4);   // sees every cluster's second touch as a hit
  CHECK(tags.hits(0) == 3);  // one of two positions sampled: 4 accesses, 1 miss
  CHECK(tags.accesses(0) == 4);
  CHECK(tags.hits(1) == 0);
  CHECK(tags.accesses(1) == 8);
  tags.reset_counts();
  CHECK(tags.hit_rate(0) == 0);
}

TEST_CASE("what has no copies takes room in the slice of its address") {
  // Private, 2 clusters, one way. Cluster 0's copy of line 0 lives in slice 0; cluster 1's atomics on line 4
  // of address slice 0 go there too and evict it. Line 5 of address slice 1 does not.
  ReplicaTags tags({2, 2, 1, {2}, 1, 0, 1, 20, 16});
  tags.observe(0, 0, 0, 0);
  tags.observe(0, 5, 1, 1, false);
  tags.observe(0, 0, 0, 0);
  CHECK(tags.hits(0) == 1);
  tags.observe(0, 4, 0, 1, false);
  tags.observe(0, 0, 0, 0);
  CHECK(tags.hits(0) == 1);
  CHECK(tags.accesses(0) == 3);
  tags.clear();
  tags.observe(0, 0, 0, 0);
  CHECK(tags.hits(0) == 0);
}

TEST_CASE("loads of each degree and the choice of the best") {
  // 4 clusters, 4 slices; every cluster loads a line of slice 0 ten times. Shared: slice 0 gets 40, LSP 1.
  // Degree 2: slices 0 and 2 get 20 each. Degree 4: 10 each.
  const ReplicationShape shape(4, 4, {1, 2, 4});
  DegreeLoads loads(shape, 16);
  for (int i = 0; i < 40; ++i) loads.count(0, i % 4, 0);
  CHECK(loads.degree(0).lsp() == Approx(1));
  CHECK(loads.degree(1).lsp() == Approx(2));
  CHECK(loads.degree(1).counter(2) == 20);
  CHECK(loads.degree(2).lsp() == Approx(4));
  // With hit rates 1, 1, 0.25 and 8 B per cycle of memory a slice: 32, 64, 4 x (8 + 8) = 64: the smaller
  // degree wins among equals.
  const double rates[] = {1, 1, 0.25};
  std::vector<double> bandwidths;
  for (int i = 0; i < 3; ++i)
    bandwidths.push_back(selrep_bandwidth({rates[i], loads.degree(i).lsp()}, {32, 8}));
  CHECK(bandwidths == std::vector<double>{32, 64, 64});
  CHECK(best_degree(bandwidths) == 1);
  loads.reset(0);
  CHECK(loads.degree(2).accesses() == 0);
}

TEST_CASE("the response ceiling of a single stage") {
  ReplyStage stage;
  stage.routers = stage.inputs = stage.outputs = 1;
  // One input and output: a packet of 5 flits every 7 cycles.
  CHECK(response_ceiling({stage}) == Approx(1.0 / 7));
  // No bubbles, n ports, n large: 2 - sqrt(2) of a packet slot, Karol's 0.586.
  stage.in_bubble = stage.out_bubble = 0;
  stage.flits = 1;
  stage.inputs = stage.outputs = 4096;
  stage.credit_loop = 1;
  CHECK(response_ceiling({stage}) / 4096 == Approx(0.5858).epsilon(1e-3));
  // A credit loop of 16 cycles on 8 slots passes half the flits.
  stage.inputs = stage.outputs = 1;
  stage.credit_loop = 16;
  CHECK(response_ceiling({stage}) == Approx(0.5));
  CHECK(response_ceiling({}) == std::numeric_limits<double>::infinity());
}

TEST_CASE("the response ceiling of two stages") {
  // Behind another one stage of the same kind can only lose, less so with deep buffers; more VCs gain.
  ReplyStage mc_routers;
  ReplyStage sm_routers;
  sm_routers.outputs = 10;
  const double alone = response_ceiling({sm_routers});
  const double shared = response_ceiling({mc_routers, sm_routers});
  CHECK(shared < alone);
  // The machine of ISCA 2019, in lines per cycle: docs/llc-predictors.md quotes these.
  CHECK(shared == Approx(5.16).epsilon(2e-3));
  CHECK(alone == Approx(6.80).epsilon(2e-3));
  CHECK(alone / shared == Approx(1.32).epsilon(5e-3));
  mc_routers.vc_flits = sm_routers.vc_flits = 16;
  CHECK(alone / response_ceiling({mc_routers, sm_routers}) == Approx(1.25).epsilon(5e-3));
  mc_routers.vc_flits = sm_routers.vc_flits = 32;
  CHECK(alone / response_ceiling({mc_routers, sm_routers}) == Approx(1.19).epsilon(5e-3));
  CHECK(response_ceiling({sm_routers}) == Approx(alone));
  mc_routers.vcs = sm_routers.vcs = 4;
  mc_routers.out_bubble = sm_routers.out_bubble = 0;
  mc_routers.vc_flits = sm_routers.vc_flits = 8;
  const double four = response_ceiling({mc_routers, sm_routers});
  CHECK(response_ceiling({sm_routers}) / four == Approx(1.11).epsilon(5e-3));
  CHECK(four > shared);
  // Of 8 inputs with 4 VCs an allocator of one iteration matches at most 8 x 0.651: q = 1 - (7/8)^4 = 0.4138;
  // outputs asked for: 1 - (1 - q)^8 = 0.9861; inputs granted: 1 - (7/8)^(8 x 0.9861) = 0.6513.
  CHECK(four * 5 / 64 == Approx(0.6513).epsilon(1e-3));
}

TEST_CASE("the response ceiling rises with the copies of a line") {
  // SelRep: 4 MC-routers of 16 slices and 16 clusters, 16 SM-routers of 4 SMs, one VC here. A degree of 16
  // leaves each MC-router with 16 wires, which pass 1 packet of 5 flits in 7 cycles: more than the SM-routers
  // take.
  ReplyStage mc_routers;
  mc_routers.routers = 4;
  mc_routers.inputs = mc_routers.outputs = 16;
  ReplyStage sm_routers;
  sm_routers.routers = 16;
  sm_routers.inputs = sm_routers.outputs = 4;
  double last = 0;
  for (const int degree : {1, 2, 4, 8, 16}) {
    const double ceiling = response_ceiling({with_copies(mc_routers, degree), sm_routers});
    CAPTURE(degree, ceiling);
    CHECK(ceiling > last);
    last = ceiling;
  }
  CHECK(last <= response_ceiling({sm_routers}));
  CHECK(last == Approx(response_ceiling({sm_routers})).epsilon(0.1));
}
