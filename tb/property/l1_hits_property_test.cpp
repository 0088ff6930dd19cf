// CacheDesign::hit() against lookup(): two caches of one design see one random stream. One is asked by
// lookup() alone, of the other hit() is asked first for plain loads. What both find, count and keep is equal.
#include <deque>
#include <map>
#include <random>

#include "models/cache/replacement.h"
#include "models/l1/l1_sectored.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

/// A cache with its accesses and its fills in flight.
template <class Design>
class Cache {
 public:
  Cache(const typename Design::Params& params, bool asks_hit) : design(params), asks_hit_(asks_hit) {}

  L1Decision take(const Access& like, Cycle now) {
    const bool plain = !carries_request_data(like.access_class) && !like.bypass_l1;
    if (asks_hit_ && plain) {
      if (design.hit(like.line, like.sectors)) {
        ++fast_hits;
        return {L1Outcome::hit};
      }
    }
    accesses_.push_back(like);
    return design.lookup(accesses_.back(), now, true);
  }
  std::size_t fill(int fetch) { return static_cast<std::size_t>(design.fill(fetch).size()); }
  std::map<std::string, std::uint64_t> counters() {
    std::map<std::string, std::uint64_t> all;
    struct Visitor final : StatVisitor {
      explicit Visitor(std::map<std::string, std::uint64_t>& all) : all_(all) {}
      void counter(const StatInfo& info, const std::uint64_t& value) override {
        all_[std::string(info.name)] = value;
      }
      void histogram(const StatInfo&, const Histogram&) override {}
      void ratio(const StatInfo&, std::uint64_t, std::uint64_t) override {}
      void law(std::string_view) override {}
      std::map<std::string, std::uint64_t>& all_;
    } visitor(all);
    design.stats().for_each_stat(visitor);
    return all;
  }

  Design design;
  int fast_hits = 0;

 private:
  bool asks_hit_;
  std::deque<Access> accesses_;
};

template <class Design>
void check_stream(const typename Design::Params& params, unsigned seed) {
  INFO("seed " << seed);
  Cache<Design> plain(params, false), fast(params, true);
  std::mt19937 random(seed);
  std::deque<int> fetches;
  int hits = 0;
  for (Cycle now = 0; now < 4000; ++now) {
    if (!fetches.empty() && random() % 3 == 0) {
      const int fetch = fetches.front();
      fetches.pop_front();
      REQUIRE(plain.fill(fetch) == fast.fill(fetch));
    }
    if (random() % 500 == 0) {
      plain.design.flush();
      fast.design.flush();
    }
    Access access;
    access.line = random() % 24 * 128;
    access.sectors = static_cast<std::uint8_t>(random() % 15 + 1);
    const unsigned kind = random() % 16;
    access.access_class = kind == 0   ? AccessClass::store
                          : kind == 1 ? AccessClass::atomic
                                      : AccessClass::load;
    access.bypass_l1 = kind == 2;
    const L1Decision expected = plain.take(access, now), found = fast.take(access, now);
    REQUIRE(found.outcome == expected.outcome);
    REQUIRE(found.stall == expected.stall);
    REQUIRE(found.fetch == expected.fetch);
    REQUIRE(found.sectors == expected.sectors);
    if (expected.outcome == L1Outcome::miss_new) fetches.push_back(expected.fetch);
    hits += expected.outcome == L1Outcome::hit;
    for (Address line = 0; line < 24 * 128; line += 128)
      REQUIRE(plain.design.contains(line, 0xf) == fast.design.contains(line, 0xf));
  }
  CHECK(plain.counters() == fast.counters());
  CHECK(hits > 100);
  CHECK(fast.fast_hits == (params.replacement == 0 ? hits : 0));  // others see the access
  CHECK(plain.fast_hits == 0);
}

template <class Params>
Params small(unsigned seed) {
  Params params;
  params.ways = 1 << seed % 3;
  params.size = Bytes(static_cast<std::uint64_t>(params.ways) * 128 * 4);
  params.set_index = SetIndex::Kind::plain;
  params.mshrs = 1 + static_cast<int>(seed % 5);
  params.merges = 1 + static_cast<int>(seed % 4);
  params.replacement = static_cast<int>(seed / 4 % static_cast<unsigned>(replacement_policies().size()));
  params.perfect = seed % 16 == 15;
  return params;
}

}  // namespace

TEST_CASE("hit() of a cache of whole lines does what lookup() does") {
  for (unsigned seed = 0; seed < 32; ++seed) check_stream<L1Private>(small<L1PrivateParams>(seed), seed);
}

TEST_CASE("hit() of a cache with sectors does what lookup() does") {
  for (unsigned seed = 0; seed < 32; ++seed) check_stream<L1Sectored>(small<L1SectoredParams>(seed), seed);
}
