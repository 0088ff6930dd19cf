#include "models/llc_predictors/headroom.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "tb/support/catch.h"

using namespace strata;

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
