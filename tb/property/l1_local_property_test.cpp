// L1s that keep stores to local memory: whatever a load gets must be what was stored last.
#include <array>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "models/l1/l1_local.h"
#include "tb/property/parts.h"
#include "tb/support/catch.h"
#include "tb/support/long_mode.h"

using namespace strata;
using namespace strata::tb;

namespace {

constexpr std::uint64_t lines = 24;

/// Follows an L1 with a version of each sector: of the last store, in memory, in the L1 and in what fetches
/// bring. Memory does everything in the order in which it leaves the L1.
template <class Organization>
class Followed {
 public:
  Followed(const typename Organization::Params& params, std::uint64_t seed)
      : line_(params.line),
        sectors_(static_cast<unsigned>(params.line / sector_bytes)),
        l1(params),
        random(seed) {}

  void access() {
    const std::uint64_t line = random() % lines;
    if (free_.empty()) free_.push_back(&pool_.emplace_back());
    Access& access = *free_.back();
    access = {};
    access.line = line * line_;
    access.local = line % 3 != 0;
    const auto kind = random() % 12;
    if (kind < 5) access.access_class = AccessClass::store;
    if (kind == 5 && !access.local) access.access_class = AccessClass::atomic;
    access.bypass_l1 = random() % 12 == 0;
    access.sectors = any_sectors();
    const std::uint8_t here = present(line);
    const std::uint64_t dirty = l1.dirty_sectors();
    const L1Decision decision = l1.lookup(access, 0, random() % 8 != 0);
    ++outcomes[decision.outcome];
    ++stalls[decision.stall];
    if (decision.outcome == L1Outcome::stall) {
      must(l1.dirty_sectors() == dirty && present(line) == here && write_back() == 0,
           "a stall changes nothing");
      return;
    }
    if (decision.outcome == L1Outcome::forward) write_back();
    const bool loads = !carries_request_data(access.access_class);
    if (decision.outcome == L1Outcome::miss_new) {
      Fetch& fetch = fetches_.emplace_back(Fetch{decision.fetch, line, decision.sectors, {}});
      for (unsigned c = 0; c < sectors_; ++c) fetch.brings[c] = memory_[line][c];
    }
    for (unsigned c = 0; c < sectors_; ++c) {
      if ((access.sectors >> c & 1U) == 0) continue;
      unsigned& newest = newest_[line][c];
      if (!loads) {
        ++newest;
        if (decision.outcome == L1Outcome::forward) memory_[line][c] = newest;
        if ((present(line) >> c & 1U) != 0) l1_[line][c] = newest;
      } else if (decision.outcome == L1Outcome::forward) {
        must(memory_[line][c] == newest, "a load past the L1 finds the last store");
      } else if ((here >> c & 1U) != 0) {
        must(l1_[line][c] == newest, "a load that hits finds the last store");
      } else {
        must(decision.outcome != L1Outcome::hit, "a hit has all sectors");
        must(fetched(line, c) == newest, "a fetch brings the last store");
      }
    }
    must((decision.outcome == L1Outcome::kept) ==
             (access.local && access.access_class == AccessClass::store && !access.bypass_l1),
         "stores to local memory stay, and no others");
    if (decision.outcome == L1Outcome::miss_new || decision.outcome == L1Outcome::miss_merged)
      free_.pop_back();
    write_back();
  }

  void fill() {
    if (fetches_.empty()) return;
    const std::size_t index = random() % fetches_.size();
    const Fetch fetch = fetches_[index];
    fetches_.erase(fetches_.begin() + static_cast<std::ptrdiff_t>(index));
    const std::uint8_t before = present(fetch.line);
    AccessFifo served = l1.fill(fetch.number);
    while (!served.empty()) free_.push_back(&served.pop());
    const unsigned fresh = present(fetch.line) & ~before;
    for (unsigned c = 0; c < sectors_; ++c) {
      if ((fresh >> c & 1U) == 0) continue;
      must((fetch.sectors >> c & 1U) != 0, "only what was fetched comes");
      l1_[fetch.line][c] = fetch.brings[c];
      must(l1_[fetch.line][c] == newest_[fetch.line][c], "what a fill leaves is the last store");
    }
    write_back();
  }

  /// `ended`: so have the threads; what only the L1 has is lost.
  void flush(bool ended) {
    if (!ended) l1.write_back_all();
    write_back();
    l1.flush();
    must(write_back() == 0, "a flush writes nothing");
    for (std::uint64_t line = 0; ended && line < lines; ++line)
      for (unsigned c = 0; c < sectors_; ++c) newest_[line][c] = memory_[line][c];
    must(l1.dirty_sectors() == 0, "a flush leaves nothing");
  }

  void check_counters() {
    const L1Stats& s = l1.stats();
    must(s.local_dirtied_sectors == s.local_written_sectors + s.local_dropped_sectors + l1.dirty_sectors(),
         "what was made dirty is written, dropped or here");
    must(s.local_written_sectors == written_, "each dirty sector is written once");
  }
  void end() {
    while (!fetches_.empty()) fill();
    CHECK(l1.fetching() == 0);
    CHECK(free_.size() == pool_.size());
    check_counters();
  }

  std::map<L1Outcome, std::uint64_t> outcomes;
  std::map<L1Stall, std::uint64_t> stalls;

 private:
  using Versions = std::array<unsigned, 8>;
  struct Fetch {
    int number;
    std::uint64_t line;
    std::uint8_t sectors;
    Versions brings;
  };

  std::uint8_t any_sectors() {
    const unsigned all = (1U << sectors_) - 1;
    return static_cast<std::uint8_t>(random() % 3 == 0 ? all : 1 + random() % all);
  }
  std::uint8_t present(std::uint64_t line) const {
    unsigned here = 0;
    for (unsigned c = 0; c < sectors_; ++c)
      if (l1.contains(line * line_, static_cast<std::uint8_t>(1U << c))) here |= 1U << c;
    return static_cast<std::uint8_t>(here);
  }
  // By the last fetch that has asked for it.
  unsigned fetched(std::uint64_t line, unsigned sector) {
    for (auto fetch = fetches_.rbegin(); fetch != fetches_.rend(); ++fetch)
      if (fetch->line == line && (fetch->sectors >> sector & 1U) != 0) return fetch->brings[sector];
    must(false, "a load that misses waits for a fetch of each sector");
    return 0;
  }
  int write_back() {
    int count = 0;
    for (L1WriteBack out; l1.take_write_back(out); ++count) {
      const std::uint64_t line = out.line / line_;
      for (unsigned c = 0; c < sectors_; ++c) {
        if ((out.sectors >> c & 1U) == 0) continue;
        must(l1_[line][c] == newest_[line][c], "what is written is the last store");
        memory_[line][c] = l1_[line][c];
        ++written_;
      }
    }
    return count;
  }

  std::uint64_t line_;
  unsigned sectors_;
  std::array<Versions, lines> newest_{}, memory_{}, l1_{};
  std::deque<Access> pool_;
  std::vector<Access*> free_;
  std::vector<Fetch> fetches_;
  std::uint64_t written_ = 0;

 public:
  Organization l1;
  std::mt19937_64 random;
};

/// Two sets of three ways, and few registers: everything stalls now and then.
template <class Params>
Params small(std::uint64_t line = 128) {
  Params params;
  params.local = L1Params::Local::write_back;
  params.line = Bytes(line);
  params.ways = 3;
  params.size = Bytes(2 * 3 * line);
  params.set_index = SetIndex::Kind::plain;
  params.mshrs = 5;
  params.merges = 3;
  return params;
}

template <class Organization>
void follow(const typename Organization::Params& params, std::uint64_t seed, bool reserves) {
  Followed<Organization> one(params, seed);
  for (std::uint64_t i = accesses_of_property(100'000); i > 0; --i) {
    one.access();
    if (one.random() % 2 == 0) one.fill();
    if (one.random() % 3000 == 0) one.flush(one.random() % 2 == 0);
    if (i % 64 == 0) one.check_counters();
  }
  one.end();
  for (const L1Outcome outcome : {L1Outcome::hit, L1Outcome::miss_new, L1Outcome::miss_merged,
                                  L1Outcome::forward, L1Outcome::kept, L1Outcome::stall})
    CHECK(one.outcomes[outcome] > 0);
  for (const L1Stall stall : {L1Stall::merge_limit, L1Stall::miss_queue}) CHECK(one.stalls[stall] > 0);
  if (reserves) CHECK(one.stalls[L1Stall::set_full] > 0);
  const L1Stats& s = one.l1.stats();
  CHECK(s.local_store_hits > 0);
  CHECK(s.local_allocations > 0);
  CHECK(s.local_dropped_sectors > 0);
}

}  // namespace

TEST_CASE("an L1 of whole lines that keeps local stores never loses one") {
  for (const auto write : {L1PrivateParams::Write::evict, L1PrivateParams::Write::through})
    for (const int replacement : {0, 1, 3}) {
      const std::uint64_t seed = 3 + static_cast<std::uint64_t>(replacement);
      CAPTURE(seed, replacement, static_cast<int>(write));
      auto params = small<L1PrivateParams>(replacement == 1 ? 256 : 128);
      params.write = write;
      params.replacement = replacement;
      follow<L1WithLocal<L1PrivateBySectors>>(params, seed, false);
    }
}

TEST_CASE("a sectored L1 that keeps local stores never loses one") {
  for (const Allocation allocation : {Allocation::on_fill, Allocation::on_miss})
    for (const auto write : {L1PrivateParams::Write::evict, L1PrivateParams::Write::through})
      for (const std::uint64_t sector : {32, 64, 128}) {
        const std::uint64_t seed = 40 + sector;
        CAPTURE(seed, sector, static_cast<int>(allocation), static_cast<int>(write));
        auto params = small<L1SectoredParams>(sector == 64 ? 256 : 128);
        params.write = write;
        params.sector = Bytes(sector);
        params.allocation = allocation;
        follow<L1WithLocal<L1Sectored>>(params, seed, allocation == Allocation::on_miss);
      }
}

TEST_CASE("a prioritized L1 that keeps local stores never loses one, whatever it lets pass") {
  using Bypass = L1PrioritizedParams::Bypass;
  for (const Bypass bypass : {Bypass::none, Bypass::set_full, Bypass::stalls})
    for (const std::uint64_t sector : {32, 128}) {
      const std::uint64_t seed = 60 + sector;
      CAPTURE(seed, sector, static_cast<int>(bypass));
      auto params = small<L1PrioritizedParams>();
      params.sector = Bytes(sector);
      params.bypass = bypass;
      follow<L1WithLocal<L1Prioritized>>(params, seed, bypass == Bypass::none);
    }
}
