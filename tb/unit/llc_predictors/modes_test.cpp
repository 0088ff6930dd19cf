#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "models/llc_predictors/auxiliary_tag_directory.h"
#include "models/llc_predictors/bandwidth_model.h"
#include "models/llc_predictors/headroom.h"
#include "models/llc_predictors/lsp_counters.h"
#include "models/llc_predictors/sampled_tags.h"
#include "models/llc_predictors/sharing_windows.h"
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

TEST_CASE("lines by the number of clusters that touch them in a window") {
  SharingWindows windows({1000, 8});
  // Window 0: line 1 by clusters 0 and 3 (twice), line 2 by one. Window 1: line 1 by one. Window 5: line 3 by
  // all.
  windows.observe(1, 0, 0);
  windows.observe(1, 3, 500);
  windows.observe(1, 3, 999);
  windows.observe(2, 7, 999);
  windows.observe(1, 0, 1000);
  for (int cluster = 0; cluster < 8; ++cluster) windows.observe(3, cluster, 5000);
  CHECK(windows.lines() == 3);  // the last window is open
  windows.finish();
  CHECK(windows.lines() == 4);
  CHECK(windows.lines(1, 1) == 2);
  CHECK(windows.lines(2, 2) == 1);
  CHECK(windows.lines(3, 4) == 0);
  CHECK(windows.lines(5, 8) == 1);
  CHECK(windows.share_from(2) == Approx(0.5));
}

TEST_CASE("sharing windows agree with plain sets") {
  constexpr std::uint64_t seed = 31;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  SharingWindows windows({100, 160});  // more sharers than bits of a word, more lines than slots at first
  std::map<std::uint64_t, std::set<int>> window;
  std::map<std::size_t, std::uint64_t> expected;
  const auto close = [&] {
    for (const auto& [line, sharers] : window) ++expected[sharers.size()];
    window.clear();
  };
  for (Cycle now = 0; now < 1000; ++now) {
    if (now % 100 == 0) close();
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t line = random() % 3000 * 64;
      const int sm = static_cast<int>(random() % 160);
      windows.observe(line, sm, now);
      window[line].insert(sm);
    }
  }
  close();
  windows.finish();
  REQUIRE(expected.size() > 4);
  for (int count = 1; count <= 160; ++count)
    CHECK(windows.lines(count, count) == expected[static_cast<std::size_t>(count)]);
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
  // The machine of ISCA 2019, in lines per cycle: docs/blocks/llc-predictors.md quotes these.
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

namespace {

LlcLookup lookup(std::uint64_t number, int cluster = 0, Cycle cycle = 0, int address_slice = 0) {
  LlcLookup lookup;
  lookup.number = number;
  lookup.cluster = static_cast<std::uint16_t>(cluster);
  lookup.cycle = cycle;
  lookup.address_slice = static_cast<std::uint16_t>(address_slice);
  return lookup;
}

HeadroomParams tiny(int clusters, int slices, int ways) {
  HeadroomParams params;
  params.clusters = clusters;
  params.channels = 1;
  params.slices = slices;
  params.slice_sets = 1;
  params.ways = ways;
  return params;
}

}  // namespace

TEST_CASE("OPT keeps what is used next, LRU does not") {
  // Lines 1 2 3 1 2 3 1 2 3 in two ways. LRU: never a hit.
  // OPT: 1 and 2 come in; 3's next use (6th) is after those of 1 (4th) and 2 (5th), it passes by; 1 hits
  // (next 7th), 2 hits (8th); 3 (9th): passes by, 1 (never again) and 2 hit at the 7th and 8th, 3 misses. 4
  // hits.
  std::vector<LlcLookup> stream;
  for (int i = 0; i < 9; ++i) stream.push_back(lookup(static_cast<std::uint64_t>(i % 3 + 1)));
  const HeadroomParams params = tiny(1, 1, 2);
  CHECK(replay_degree(stream, params, 1).hits == 0);
  CHECK(replay_opt(stream, params, 1).hits == 4);
  CHECK(replay_infinite(stream, params, 1).hits == 6);
  CHECK(replay_opt(stream, params, 1).hit_rate() == Approx(4.0 / 9));
  CHECK(replay_opt({}, params, 1).hit_rate() == 0);
}

TEST_CASE("full sharing and full replication of one stream") {
  // Two clusters read lines 1 and 2 of slice 0, twice each, in turn. Two slices of one way.
  //   c0:1 c1:1 c0:2 c1:2 c0:1 c1:1 c0:2 c1:2
  // Shared: slice 0 alternates 1 1 2 2 1 1 2 2 in one way: 4 hits; the slice does all 8: LSP 1.
  // Replicated: each cluster sees 1 2 1 2 in its one way: 0 hits; LSP 2. Infinite: 8 - 2 x 2 = 4 hits.
  std::vector<LlcLookup> stream;
  for (const int line : {1, 2, 1, 2})
    for (const int cluster : {0, 1}) stream.push_back(lookup(static_cast<std::uint64_t>(line), cluster));
  HeadroomParams params = tiny(2, 2, 1);
  params.bandwidth = {32, 48};
  const HeadroomResult sharing = replay_degree(stream, params, 1);
  const HeadroomResult replication = replay_degree(stream, params, 2);
  CHECK(sharing.hits == 4);
  CHECK(sharing.lsp == Approx(1));
  CHECK(sharing.bandwidth == Approx(32));  // its slice; memory would let 48 / 0.5 through
  CHECK(replication.hits == 0);
  CHECK(replication.lsp == Approx(2));
  CHECK(replication.bandwidth == Approx(48));  // memory
  CHECK(replay_infinite(stream, params, 1).hits == 6);
  CHECK(replay_infinite(stream, params, 2).hits == 4);
  // With copies of read-only loads alone these loads stay where the address says.
  params.replicate_read_only = true;
  CHECK(replay_degree(stream, params, 2).hits == 4);
  for (LlcLookup& each : stream) each.access_class = AccessClass::read_only_load;
  CHECK(replay_degree(stream, params, 2).hits == 0);
  // Atomics have one place, whatever the degree.
  params.replicate_read_only = false;
  for (LlcLookup& each : stream) each.access_class = AccessClass::atomic;
  CHECK(replay_degree(stream, params, 2).hits == 4);
}

TEST_CASE("OPT is never below LRU nor above infinite capacity") {
  constexpr std::uint64_t seed = 17;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int trial = 0; trial < 20; ++trial) {
    HeadroomParams params = tiny(4, 4, 4);
    params.slice_sets = 2;
    std::vector<LlcLookup> stream;
    for (int i = 0; i < 4000; ++i) {
      const std::uint64_t number = random() % 64;
      LlcLookup next =
          lookup(number, static_cast<int>(random() % 4), static_cast<Cycle>(i), static_cast<int>(number % 4));
      next.set = static_cast<std::uint32_t>(number / 4 % 2);
      stream.push_back(next);
    }
    for (const int degree : {1, 2, 4}) {
      const std::uint64_t lru = replay_degree(stream, params, degree).hits;
      const std::uint64_t opt = replay_opt(stream, params, degree).hits;
      const std::uint64_t infinite = replay_infinite(stream, params, degree).hits;
      CHECK(lru < opt);
      CHECK(opt < infinite);
    }
  }
}

namespace {

/// The most hits of any replacement with bypass: every choice is tried. `set` holds what is cached.
int best_hits(const std::vector<std::uint64_t>& lines, std::size_t at, std::set<std::uint64_t> set,
              std::size_t ways) {
  if (at == lines.size()) return 0;
  if (set.count(lines[at]) != 0) return 1 + best_hits(lines, at + 1, set, ways);
  int best = best_hits(lines, at + 1, set, ways);  // pass by
  if (set.size() < ways) {
    set.insert(lines[at]);
    return std::max(best, best_hits(lines, at + 1, set, ways));
  }
  const std::set<std::uint64_t> held = set;
  for (const std::uint64_t victim : held) {
    std::set<std::uint64_t> next = held;
    next.erase(victim);
    next.insert(lines[at]);
    best = std::max(best, best_hits(lines, at + 1, next, ways));
  }
  return best;
}

}  // namespace

TEST_CASE("OPT is the best of all choices") {
  constexpr std::uint64_t seed = 23;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<std::uint64_t> lines;
    std::vector<LlcLookup> stream;
    for (int i = 0; i < 11; ++i) {
      lines.push_back(random() % 5);
      stream.push_back(lookup(lines.back()));
    }
    CHECK(replay_opt(stream, tiny(1, 1, 2), 1).hits ==
          static_cast<std::uint64_t>(best_hits(lines, 0, {}, 2)));
  }
}
