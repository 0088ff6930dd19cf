// The tag-split L1 against the specification in naive_tag_split.cpp, and against the caches that it must
// equal.
#include <algorithm>
#include <array>
#include <set>

#include "models/common/random_stream.h"
#include "models/l1/l1_private.h"
#include "models/l1/l1_sectored.h"
#include "tb/property/chunk_l1_trial.h"
#include "tb/property/naive_tag_split.h"

using namespace strata;
using namespace strata::tb;

namespace {

using Params = L1TagSplitParams;

Params drawn(std::mt19937_64& random) {
  const auto one_of = [&](auto... values) {
    const int all[] = {values...};
    return all[random() % sizeof...(values)];
  };
  Params params;
  params.ways = one_of(1, 2, 3, 4, 8);
  params.line = Bytes(static_cast<std::uint64_t>(one_of(64, 128, 128, 256)));
  params.chunk = Bytes(static_cast<std::uint64_t>(one_of(32, 32, 64)));
  params.size = Bytes(params.line * static_cast<std::uint64_t>(params.ways * one_of(1, 2, 3, 4)));
  params.victims = static_cast<Params::Victims>(random() % 4);
  params.groups = params.ways;
  if (params.victims != Params::Victims::groups) params.groups = one_of(1, params.ways, params.set_chunks());
  params.private_tag = one_of(0, 1, 2, 8, 20);
  params.mode = random() % 4 == 0 ? Params::Mode::coarse : Params::Mode::fine;
  params.evict = static_cast<Params::Evict>(random() % 2);
  const std::string_view policies[] = {"lru", "nru_random", "nru", "srrip"};
  params.replacement = replacement_row(policies[random() % 4]);
  params.mshrs = one_of(1, 2, 8, 32);
  params.merges = one_of(1, 2, 8);
  return params;
}

void check_places(const L1TagSplit& l1, const NaiveTagSplit& naive, const Params& params) {
  for (std::uint32_t set = 0; set < params.sets(); ++set) {
    const auto contents = l1.tags().contents(set);
    const auto& places = naive.set(set);
    std::set<std::pair<std::uint64_t, int>> seen;
    for (std::size_t i = 0; i < places.size(); ++i) {
      REQUIRE(contents[i].used == places[i].used);
      if (!places[i].used) continue;
      REQUIRE(contents[i].number == places[i].line);
      REQUIRE(contents[i].chunk == places[i].chunk);
      REQUIRE(contents[i].reserved == places[i].reserved);
      REQUIRE(seen.emplace(places[i].line, places[i].chunk).second);  // never twice
    }
  }
}

using Stalls = std::array<long, 6>;

/// Random streams through L1s whose shapes `draw` gives, each beside its specification.
template <class Draw>
Stalls compare(std::uint64_t seed, int trials, Draw draw) {
  std::mt19937_64 random(seed);
  const long each = l1_accesses(400000) / 40;
  Stalls stalls{};
  for (int trial = 0; trial < trials; ++trial) {
    Params params = draw(random);
    while (!params.validate().empty()) params = draw(random);
    const std::uint64_t own_seed = random();
    CAPTURE(seed, trial, params.ways, params.line, params.chunk, params.size, params.groups,
            params.private_tag);
    CAPTURE(static_cast<int>(params.victims), static_cast<int>(params.mode), params.replacement);
    L1TagSplit l1(params, own_seed);
    NaiveTagSplit naive(params, own_seed);
    ChunkL1Trial run(l1, params, naive, random(), params.mode == Params::Mode::coarse);
    for (long step = 0; step < each; ++step) {
      run.step();
      if (step % 16 == 0) check_places(l1, naive, params);
    }
    for (std::size_t i = 0; i < stalls.size(); ++i) stalls[i] += run.stalls[i];
  }
  return stalls;
}

/// A load and, if it misses, its fill.
template <class L1>
bool loads(L1& l1, Address line, std::uint8_t chunks) {
  Access access;
  access.line = line;
  access.sectors = chunks;
  const L1Decision decision = l1.lookup(access, 0, true);
  if (decision.outcome == L1Outcome::miss_new) l1.fill(decision.fetch);
  return decision.outcome == L1Outcome::hit;
}

template <class L1>
void stores(L1& l1, Address line) {
  Access access;
  access.line = line;
  access.access_class = AccessClass::store;
  l1.lookup(access, 0, true);
}

/// A group for each line, the group used longest ago makes room.
Params like_lines(Params::Mode mode) {
  Params params;
  params.victims = Params::Victims::groups;
  params.private_tag = 0;
  params.mode = mode;
  params.replacement = replacement_row("lru");
  return params;
}

/// Lines with a valid bit for each chunk, the line used longest ago makes room.
class SectoredCache {
 public:
  SectoredCache(std::size_t sets, std::size_t ways) : sets_(sets), ways_(ways) {}
  /// The chunks that were missing.
  unsigned load(std::uint32_t set, std::uint64_t line, unsigned chunks) {
    auto& lines = sets_[set];  // the one used last in front
    Line found{line, 0};
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (lines[i].number == line) {
        found = lines[i];
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
      }
    const unsigned missing = chunks & ~found.valid;
    found.valid |= chunks;
    lines.insert(lines.begin(), found);
    if (lines.size() > ways_) lines.pop_back();
    return missing;
  }
  void drop(std::uint32_t set, std::uint64_t line) {
    auto& lines = sets_[set];
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (lines[i].number == line) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
  }

 private:
  struct Line {
    std::uint64_t number;
    unsigned valid;
  };
  std::vector<std::vector<Line>> sets_;
  std::size_t ways_;
};

}  // namespace

TEST_CASE("tag-split L1s of any shape do what the specification does") {
  const Stalls stalls = compare(41, 40, [](std::mt19937_64& random) { return drawn(random); });
  for (const auto stall : {L1Stall::mshr_full, L1Stall::merge_limit, L1Stall::miss_queue, L1Stall::set_full})
    CHECK(stalls[static_cast<std::size_t>(stall)] > 100);
}

TEST_CASE("so do those with chunks of 8 and 16 B") {
  const Stalls stalls = compare(46, 12, [](std::mt19937_64& random) {
    Params params = drawn(random);
    params.chunk = Bytes(random() % 2 == 0 ? 8 : 16);
    if (params.victims != Params::Victims::groups && params.groups > params.ways)
      params.groups = std::min(params.set_chunks(), 64);
    return params;
  });
  for (const auto stall : {L1Stall::mshr_full, L1Stall::merge_limit, L1Stall::miss_queue, L1Stall::set_full})
    CHECK(stalls[static_cast<std::size_t>(stall)] > 100);
}

TEST_CASE("a tag-split L1 that keeps whole lines hits where the plain one does") {
  constexpr std::uint64_t seed = 42;
  std::mt19937_64 random(seed);
  L1PrivateParams plain;
  plain.size = Bytes(16 * KiB);
  plain.ways = 4;
  L1Private one(plain);
  L1TagSplit other(like_lines(Params::Mode::coarse));
  long hits = 0;
  const long all = l1_accesses(1000000);
  for (long i = 0; i < all; ++i) {
    const Address line = random() % (random() % 4 == 0 ? 2048 : 160) * 128;
    if (random() % 16 == 0) {
      stores(one, line);
      stores(other, line);
    }
    const auto chunks = static_cast<std::uint8_t>(1 + random() % 15);
    const bool hit = loads(one, line, chunks);
    hits += hit ? 1 : 0;
    REQUIRE(loads(other, line, chunks) == hit);
  }
  CHECK(hits > all / 4);
  CHECK(other.stats().write_evictions == one.stats().write_evictions);
}

TEST_CASE("without private tags, group by group, a tag-split L1 is a sectored cache") {
  constexpr std::uint64_t seed = 43;
  std::mt19937_64 random(seed);
  SectoredCache one(32, 4);
  L1TagSplit other(like_lines(Params::Mode::fine));
  const SetIndex index(32, SetIndex::Kind::hashed);
  long hits = 0;
  const long all = l1_accesses(1000000);
  for (long i = 0; i < all; ++i) {
    const std::uint64_t line = random() % (random() % 4 == 0 ? 2048 : 160);
    if (random() % 16 == 0) {
      one.drop(index(line), line);
      stores(other, line * 128);
    }
    const auto chunks = static_cast<std::uint8_t>(1 + random() % 15);
    const unsigned missing = one.load(index(line), line, chunks);
    hits += missing == 0 ? 1 : 0;
    Access access;
    access.line = line * 128;
    access.sectors = chunks;
    const L1Decision decision = other.lookup(access, 0, true);
    REQUIRE((decision.outcome == L1Outcome::hit) == (missing == 0));
    REQUIRE(decision.sectors == missing);
    if (missing != 0) other.fill(decision.fetch);
  }
  CHECK(hits > all / 8);
}

TEST_CASE("without private tags, group by group, a tag-split L1 is the sectored L1") {
  constexpr std::uint64_t seed = 45;
  std::mt19937_64 random(seed);
  L1SectoredParams sectored;
  sectored.size = Bytes(16 * KiB);
  sectored.ways = 4;
  sectored.allocation = Allocation::on_miss;
  Params split = like_lines(Params::Mode::fine);
  split.evict = Params::Evict::chunks;  // as that one does
  L1Sectored one(sectored);
  L1TagSplit other(split);
  long hits = 0;
  const long all = l1_accesses(1000000);
  for (long i = 0; i < all; ++i) {
    Access first;
    first.line = random() % (random() % 4 == 0 ? 2048 : 160) * 128;
    first.sectors = static_cast<std::uint8_t>(1 + random() % 15);
    if (random() % 16 == 0) first.access_class = AccessClass::store;
    Access second = first;
    const L1Decision wanted = one.lookup(first, 0, true), decision = other.lookup(second, 0, true);
    REQUIRE(decision.outcome == wanted.outcome);
    REQUIRE(decision.sectors == wanted.sectors);
    hits += wanted.outcome == L1Outcome::hit ? 1 : 0;
    if (wanted.outcome != L1Outcome::miss_new) continue;
    one.fill(wanted.fetch);
    other.fill(decision.fetch);
  }
  CHECK(hits > all / 8);
}

// Chunk by chunk it is near, where each line is asked for its own chunks again and again: the paper's own
// replacement against the same among groups.
TEST_CASE("without private tags the paper's replacement misses as often as a sectored cache within 1 %") {
  constexpr std::uint64_t seed = 44;
  std::mt19937_64 random(seed);
  double sum = 0;
  constexpr int streams = 12;
  for (int stream = 0; stream < streams; ++stream) {
    Params groups = like_lines(Params::Mode::fine), places;
    groups.replacement = places.replacement;
    places.private_tag = 0;
    L1TagSplit one(groups, random()), other(places, random());
    const auto often = 60 + random() % 200, seldom = 200 + random() % 2000;
    long misses[2] = {};
    for (long i = 0; i < l1_accesses(600000) / streams; ++i) {
      const std::uint64_t line = random() % (random() % 4 == 0 ? seldom : often);
      const auto chunks = static_cast<std::uint8_t>(1 + RandomStream(line).below(15));
      misses[0] += loads(one, line * 128, chunks) ? 0 : 1;
      misses[1] += loads(other, line * 128, chunks) ? 0 : 1;
    }
    sum += static_cast<double>(misses[1]) / static_cast<double>(misses[0]) - 1;
  }
  CHECK(sum / streams < 0.01);
  CHECK(sum / streams > -0.01);
}
