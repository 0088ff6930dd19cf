// What serves a request, and what parameters may not be.
#include "models/llc_control/organization.h"

#include "models/llc_predictors/bandwidth_model.h"
#include "models/llc_slice/llc_slice_core.h"
#include "tb/support/catch.h"

// Organizations without SystemC: four clusters, one memory controller with four slices unless said otherwise;
// lines of 128 B, two of which lie on one slice before the next slice begins (partition 256 B).
namespace strata::tb {

constexpr Address partition = 256;

inline AddressMapParams four_slices(int channels = 1) {
  AddressMapParams params;
  params.channels = channels;
  params.slices_per_channel = 4;
  return params;
}

inline LlcControlParams params_of(const char* organization) {
  LlcControlParams params;
  params.organization = LlcControlParams::named(organization);
  params.slices = 4;
  params.clusters = 4;
  params.epoch = 1000;
  params.profile = 100;
  params.memory_bandwidth = 20;  // less than a slice's 32: copies that miss do not pay
  return params;
}

inline Access access(Address line, int cluster, AccessClass access_class = AccessClass::load) {
  Access access;
  access.line = line;
  access.cluster = static_cast<std::uint16_t>(cluster);
  access.access_class = access_class;
  return access;
}

struct OrganizationBench {
  explicit OrganizationBench(const LlcControlParams& control, int channels = 1)
      : map(make_address_map(four_slices(channels))), organization(make_organization(control, *map)) {
    machine.slice = {16, 16, SetIndex::Kind::plain};
    organization->attach(machine);
  }
  int slice(Address line, int cluster, AccessClass access_class = AccessClass::load) const {
    return organization->slice_of(access(line, cluster, access_class));
  }
  /// Line `n` of slice `s` of the only controller, in set n of the slice (even n).
  static Address line(int s, int n) { return static_cast<Address>(n / 2 * 4 + s) * partition + n % 2 * 128; }

  std::unique_ptr<AddressMap> map;
  LlcMachine machine;
  std::unique_ptr<Organization> organization;
  SliceTotals totals{std::vector<std::uint64_t>(4), std::vector<std::uint64_t>(4)};
};

}  // namespace strata::tb

using namespace strata;
using namespace strata::tb;

TEST_CASE("the address names the shared slice, the cluster the private one, and atomics have one place") {
  OrganizationBench shared(params_of("shared"), 2);
  OrganizationBench alone(params_of("private"), 2);
  // Partition 5 of two controllers: controller 1, its partition 2, so slice 2 of 4: number 4 + 2.
  CHECK(shared.slice(5 * partition, 3) == 6);
  CHECK(alone.slice(5 * partition, 3) == 7);
  CHECK(alone.slice(5 * partition, 0, AccessClass::store) == 4);
  CHECK(alone.slice(5 * partition, 0, AccessClass::atomic) == 6);
  CHECK(alone.organization->writes_through());
  CHECK_FALSE(shared.organization->writes_through());
  CHECK(alone.organization->at_kernel_end() == KernelEndFlush::everything);
  CHECK(shared.organization->at_kernel_end() == KernelEndFlush::nothing);
}

TEST_CASE("static: group g uses S / D slices from g S / D on, for read-only loads only") {
  constexpr auto read_only = AccessClass::read_only_load;
  LlcControlParams params = params_of("static");
  params.degree = 2;
  OrganizationBench two(params);
  // Clusters 0 and 1 are group 0 with slices 0 and 1, clusters 2 and 3 group 1 with slices 2 and 3.
  for (int s = 0; s < 4; ++s) {
    CHECK(two.slice(OrganizationBench::line(s, 0), 1, read_only) == s % 2);
    CHECK(two.slice(OrganizationBench::line(s, 0), 2, read_only) == 2 + s % 2);
    for (const auto other : {AccessClass::load, AccessClass::store, AccessClass::atomic})
      CHECK(two.slice(OrganizationBench::line(s, 0), 2, other) == s);
  }
  CHECK(two.organization->at_kernel_end() == KernelEndFlush::replicas);
  CHECK_FALSE(two.organization->writes_through());
  params.degree = 4;
  OrganizationBench four(params);
  for (int c = 0; c < 4; ++c) CHECK(four.slice(OrganizationBench::line(1, 0), c, read_only) == c);
  params.degree = 1;
  OrganizationBench one(params);
  for (int c = 0; c < 4; ++c) CHECK(one.slice(OrganizationBench::line(1, 0), c, read_only) == 1);
  CHECK(one.organization->at_kernel_end() == KernelEndFlush::nothing);
}

TEST_CASE("bad parameters are named") {
  LlcControlParams params = params_of("static");
  params.clusters = 6;
  params.degree = 4;
  Faults faults = params.validate();
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults[0].message,
             tb::has_text("does not divide the 6 clusters; the next smaller that does is 3"));
  params = params_of("static");
  params.clusters = params.degree = 8;  // eight copies in four slices
  CHECK(params.validate().empty());
  CHECK_THROWS_AS(make_organization(params, *make_address_map(four_slices())), ConfigError);
  params = params_of("adaptive");
  params.epoch = params.profile;
  REQUIRE(params.validate().size() == 1);
  CHECK_THAT(params.validate()[0].message, tb::has_text("it must be longer"));
  params.rule = LlcControlParams::Rule::windowed;
  params.epoch = 2 * params.trial;
  REQUIRE(params.validate().size() == 1);
  CHECK_THAT(params.validate()[0].message, tb::has_text("watching and trying alone take 2 x 10000"));
  params = params_of("private");
  params.gates = 4;
  CHECK(params.validate().size() == 1);
}

TEST_CASE("predictors report the storage that the papers give") {
  LlcControlParams params;  // eight clusters, eight controllers of eight slices of 48 sets
  params.organization = LlcControlParams::named("adaptive");
  AddressMapParams map_params;
  const auto map = make_address_map(map_params);
  const auto adaptive = make_organization(params, *map);
  adaptive->attach(LlcMachine{});
  // 432 bytes of directory and eight counters of 16 bits.
  CHECK(adaptive->predictor_bits() == 432 * 8 + 8 * 16);
  REQUIRE(adaptive->predictors().size() == 2);
  CHECK(adaptive->predictors()[0].entries == 8);           // sets
  CHECK(adaptive->predictors()[0].bits == 16 * (19 + 8));  // ways of tag and routers
  params.rule = LlcControlParams::Rule::windowed;
  const auto windowed = make_organization(params, *map);
  windowed->attach(LlcMachine{});
  // Tags of 8 private slices x 8 sets x 16 ways, hits and accesses of them; 64 counters and two accumulators
  // for either mode.
  CHECK(windowed->predictor_bits() == 8 * 8 * 16 * 19 + 2 * 16 + 2 * (64 * 16 + 64));
}

// When and why the paper's rules go private and back.

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

// The rule that tries the private mode and keeps what was not slower.

namespace {

/// Rule `windowed` with a profile and trials of 100 cycles, whose first half is for caches to warm.
struct WindowedBench : OrganizationBench {
  static LlcControlParams params() {
    LlcControlParams params = params_of("adaptive");
    params.rule = LlcControlParams::Rule::windowed;
    params.trial = 100;
    params.window = 10;
    return params;
  }
  WindowedBench() : OrganizationBench(params()) {}
  Organization& adaptive() { return *organization; }
  const LlcChoice& last() { return organization->choices().back(); }
  void advance(std::uint64_t instructions, std::uint64_t accesses, std::uint64_t misses = 0) {
    totals.instructions += instructions;
    totals.accesses[0] += accesses;
    totals.misses[0] += misses;
  }
  /// All clusters load the same line of one slice in each of three windows from `from` on: 12 loads.
  void sweep(Cycle from, int n = 0) {
    for (int s = 0; s < 3; ++s)
      for (int c = 0; c < 4; ++c)
        adaptive().learn(access(line(s, n), c), from + static_cast<Cycle>(s * 10 + c));
  }
  /// The profile of a program whose clusters camp on one slice at a time: 20 instructions and 0.24 requests
  /// per cycle in its second half.
  LlcMode profile() {
    adaptive().kernel_began(0, totals);
    sweep(0);
    adaptive().look(50, totals);
    sweep(50);
    advance(1000, 12);
    return adaptive().look(100, totals);
  }
  /// A trial from cycle 120 on, with these instructions and requests in the 50 cycles of its second half.
  LlcMode trial(std::uint64_t instructions, std::uint64_t accesses) {
    adaptive().changed(LlcMode::private_, 120, totals);
    advance(instructions, accesses);  // it gets no faster
    adaptive().look(170, totals);
    advance(instructions, accesses);
    return adaptive().look(220, totals);
  }
};

}  // namespace

TEST_CASE("windowed: camping and the private tags show in the second half of a profile") {
  WindowedBench bench;
  CHECK(bench.profile() == LlcMode::private_);
  const LlcChoice& choice = bench.last();
  CHECK(choice.why == "trial");
  CHECK(choice.lsps[0] == Approx(1));         // over the whole profile it would be 3
  CHECK(choice.lsps[1] == Approx(4));         // each cluster has a slice
  CHECK(choice.miss_rates[1] == Approx(0));   // what was loaded in the first half is there
  CHECK(choice.bandwidths[0] == Approx(32));  // one slice
  CHECK(choice.bandwidths[1] == Approx(128));
  CHECK(choice.ipcs[0] == Approx(20));
}

TEST_CASE("windowed: no trial where memory queues, the network is idle or memory cannot carry it") {
  WindowedBench bench;
  Organization& adaptive = bench.adaptive();
  adaptive.kernel_began(0, bench.totals);
  CHECK(adaptive.next_look() == 50);
  adaptive.look(50, bench.totals);
  CHECK(adaptive.next_look() == 100);
  // New lines: all private slices miss, the shared ones with the first of four. 12 requests in 50 cycles are
  // 0.24 a cycle, 0.06 misses. One slice gives 0.25.
  bench.sweep(50, 2);
  bench.advance(1000, 12, 3);
  bench.totals.fetches = 14;  // mean of 0 and 14 = 7 > 2 x 56 x 0.06 = 6.72
  CHECK(adaptive.look(100, bench.totals) == LlcMode::shared);
  CHECK(bench.last().why == "memory");
  CHECK(bench.last().miss_rates[0] == Approx(0.25));
  CHECK(bench.last().miss_rates[1] == Approx(1));
  // The next profile has warm tags and counts at once.
  CHECK(adaptive.next_look() == 150);
  bench.sweep(100, 4);
  bench.advance(1000, 12, 3);
  bench.totals.fetches = 0;  // mean 7 again
  adaptive.look(150, bench.totals);
  CHECK(bench.last().why == "memory");
  bench.sweep(150, 6);
  bench.advance(1000, 12, 3);
  adaptive.look(200, bench.totals);
  CHECK(bench.last().why == "bandwidth");  // 20 bytes a cycle at one line a request, 0.24 x 128 = 30.7 now
  CHECK(bench.last().bandwidths[1] == Approx(20));
  bench.sweep(200, 8);
  bench.advance(1000, 6, 3);  // 0.12 a cycle are less than half of 0.25
  adaptive.look(250, bench.totals);
  CHECK(bench.last().why == "network idle");
  CHECK(adaptive.stats().shared_choices == 4);
  CHECK(adaptive.stats().profiles == 5);
}

TEST_CASE("windowed: stores write through") {
  WindowedBench bench;
  Organization& adaptive = bench.adaptive();
  adaptive.kernel_began(0, bench.totals);
  bench.sweep(0);
  adaptive.look(50, bench.totals);
  bench.sweep(50);
  for (int c = 0; c < 4; ++c)
    adaptive.learn(access(OrganizationBench::line(3, 0), c, AccessClass::store), 80);
  bench.advance(1000, 16);
  CHECK(adaptive.look(100, bench.totals) == LlcMode::private_);
  // 4 of 16 requests write a line each: 20 / 0.25 = 80 bytes a cycle, but 16 / 50 x 128 = 41 are enough. Of
  // the 4 windows each has one slice, which gives 32 bytes a cycle: the network is not idle.
  CHECK(bench.last().bandwidths[1] == Approx(80));
  CHECK(bench.last().why == "trial");
}

TEST_CASE("windowed: a trial is kept unless instructions and requests both fall by the margin") {
  // Shared: 1000 instructions and 12 requests in 50 cycles. The margin is 2 %.
  const auto kept = [](std::uint64_t instructions, std::uint64_t accesses) {
    WindowedBench bench;
    bench.profile();
    return bench.trial(instructions, accesses) == LlcMode::private_;
  };
  CHECK(kept(1100, 13));
  CHECK(kept(981, 6));
  CHECK(kept(500, 12));
  CHECK_FALSE(kept(979, 11));
  WindowedBench bench;
  bench.profile();
  bench.trial(1100, 13);
  CHECK(bench.last().why == "kept");
  CHECK(bench.last().ipcs == std::vector<double>{20, 22});
  CHECK(bench.adaptive().next_look() == 1000);  // the epoch
  CHECK(bench.adaptive().look(1000, bench.totals) == LlcMode::shared);
  bench.adaptive().changed(LlcMode::shared, 1040, bench.totals);
  CHECK(bench.adaptive().next_look() == 1090);  // warming
}

TEST_CASE("windowed: a slower trial is judged by shared measurements before and after it") {
  for (const bool slows_down : {false, true}) {
    WindowedBench bench;
    Organization& adaptive = bench.adaptive();
    bench.profile();
    CHECK(bench.trial(800, 10) == LlcMode::shared);  // 16 instead of 20 instructions per cycle
    CHECK(bench.last().why == "slower");
    // Ordered at 100, over at 240, with 1600 instructions, which took the shared LLC 80 cycles: 60 are lost.
    adaptive.changed(LlcMode::shared, 240, bench.totals);
    CHECK(adaptive.next_look() == 290);
    CHECK_FALSE(adaptive.watches());
    adaptive.look(290, bench.totals);
    bench.advance(slows_down ? 500 : 1000, slows_down ? 6 : 12);
    const LlcMode wanted = adaptive.look(340, bench.totals);
    if (slows_down) {  // shared: (20 + 10) / 2 = 15
      CHECK(bench.last().why == "second thoughts");
      CHECK(bench.last().ipcs[0] == Approx(15));
      CHECK(wanted == LlcMode::private_);
      adaptive.changed(LlcMode::private_, 360, bench.totals);
      CHECK(adaptive.next_look() == 1000);
      CHECK(adaptive.stats().failed_trials == 0);
    } else {
      CHECK(bench.last().why == "in vain");
      CHECK(wanted == LlcMode::shared);
      CHECK(adaptive.next_look() == 1000);
      CHECK(adaptive.stats().failed_trials == 1);
      // 32 x 60 cycles without a trial, over kernels' boundaries.
      adaptive.kernel_ended(400);
      adaptive.kernel_began(600, bench.totals);
      CHECK_FALSE(adaptive.watches());
      CHECK(adaptive.next_look() == 1600);
      adaptive.kernel_ended(700);
      adaptive.kernel_began(1500, bench.totals);
      CHECK(adaptive.next_look() == 340 + 1920);
      adaptive.look(2260, bench.totals);
      CHECK(adaptive.watches());
      CHECK(adaptive.next_look() == 2310);
    }
  }
}

TEST_CASE("windowed: a kernel that ends during its trial shows that such kernels are too short") {
  WindowedBench bench;
  Organization& adaptive = bench.adaptive();
  bench.profile();
  adaptive.changed(LlcMode::private_, 120, bench.totals);
  adaptive.kernel_ended(150);
  adaptive.changed(LlcMode::shared, 160, bench.totals);
  CHECK(adaptive.stats().failed_trials == 1);
  adaptive.kernel_began(200, bench.totals);
  CHECK_FALSE(adaptive.watches());
  CHECK(adaptive.next_look() == 200 + 2 * 150);
  adaptive.look(500, bench.totals);
  CHECK(adaptive.watches());
  CHECK(adaptive.next_look() == 550);
}

// Selective replication: degrees by traffic, by bandwidth, by the copies that memory carries, and when they
// are looked at.

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
