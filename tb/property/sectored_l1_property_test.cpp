// A sectored L1 against the L1 of whole lines, and against a plain model written from its description.
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>

#include "models/l1/l1_local.h"
#include "tb/property/parts.h"
#include "tb/support/catch.h"
#include "tb/support/long_mode.h"

using namespace strata;
using namespace strata::tb;

namespace {

/// What an L1 says of an access: `fetched` are the sectors of a new fetch.
struct Said {
  L1Outcome outcome = L1Outcome::hit;
  L1Stall stall = L1Stall::none;
  unsigned fetched = 0;
  bool operator==(const Said& other) const {
    return outcome == other.outcome && stall == other.stall && fetched == other.fetched;
  }
};

/// An L1 under test: accesses and fetches by number.
class Tested {
 public:
  virtual ~Tested() = default;
  virtual Said begin(std::size_t id, const Access& access, bool room) = 0;
  /// The fetch with this number, in order of their making, is here. Who is served.
  virtual std::vector<std::size_t> fill(std::size_t fetch) = 0;
  virtual void flush() = 0;
  virtual bool contains(Address line, std::uint8_t sectors) = 0;
};

template <class Organization>
class Real final : public Tested {
 public:
  explicit Real(const typename Organization::Params& params) : organization(params) {}
  Said begin(std::size_t id, const Access& access, bool room) override {
    Access& mine = pool_[id];
    mine = access;
    const L1Decision decision = organization.lookup(mine, 0, room);
    if (decision.outcome != L1Outcome::miss_new) return {decision.outcome, decision.stall, 0};
    fetches_.push_back(decision.fetch);
    return {decision.outcome, decision.stall, decision.sectors};
  }
  std::vector<std::size_t> fill(std::size_t fetch) override {
    AccessFifo waiters = organization.fill(fetches_[fetch]);
    std::vector<std::size_t> served;
    while (!waiters.empty()) {
      const Access& waiter = waiters.pop();
      for (const auto& [id, access] : pool_)
        if (&access == &waiter) served.push_back(id);
    }
    return served;
  }
  void flush() override { organization.flush(); }
  bool contains(Address line, std::uint8_t sectors) override { return organization.contains(line, sectors); }
  Organization organization;

 private:
  std::map<std::size_t, Access> pool_;
  std::vector<int> fetches_;
};

/// LRU over lists of lines, sets of numbers, a list of waiters.
class Slow final : public Tested {
 public:
  Slow(const L1SectoredParams& params, int sector_sectors)
      : params_(params), sector_(sector_sectors), sets_(params.sets()) {}

  Said begin(std::size_t id, const Access& access, bool room) override {
    const std::uint64_t number = access.line / params_.line;
    Parts asked;
    for (const int sector : parts_of(access.sectors)) asked.insert(sector / sector_);
    Line* line = find(number);
    if (access.access_class != AccessClass::load || access.bypass_l1) {
      if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
      return past(access, line, asked);
    }
    const Parts missing = line == nullptr ? asked : without(asked, line->valid);
    if (missing.empty()) {
      line->used = ++now_;
      return {};
    }
    const auto register_ = registers_.find(number);
    const bool joins = register_ != registers_.end();
    if (joins && meet(missing, register_->second.stale))
      return room ? Said{L1Outcome::forward} : Said{L1Outcome::stall, L1Stall::miss_queue};
    if (joins && is_full(register_->second, missing)) return {L1Outcome::stall, L1Stall::merge_limit};
    if (!joins && static_cast<int>(registers_.size()) == params_.mshrs)
      return {L1Outcome::stall, L1Stall::mshr_full};
    const Parts fresh = joins ? without(missing, register_->second.under_way) : missing;
    if (!fresh.empty() && !room) return {L1Outcome::stall, L1Stall::miss_queue};
    if (!fresh.empty() && line == nullptr && params_.allocation == Allocation::on_miss) {
      if (!has_room(number)) return {L1Outcome::stall, L1Stall::set_full};
      line = &place(number);
    }
    if (line != nullptr) line->used = ++now_;
    Register& taken = registers_[number];
    ++taken.joined;
    taken.waiters.push_back({id, missing});
    taken.under_way.insert(fresh.begin(), fresh.end());
    if (fresh.empty()) return {L1Outcome::miss_merged};
    if (line != nullptr && params_.allocation == Allocation::on_miss) line->reserved = true;
    fetches_.push_back({number, fresh});
    return {L1Outcome::miss_new, L1Stall::none, sectors_in(fresh)};
  }

  std::vector<std::size_t> fill(std::size_t fetch) override {
    const auto [number, sectors] = fetches_[fetch];
    Register& register_ = registers_.at(number);
    const Parts kept = without(sectors, register_.stale);
    Line* line = find(number);
    if (!kept.empty() && line == nullptr) line = &place(number);
    if (!kept.empty()) line->valid.insert(kept.begin(), kept.end());
    std::vector<std::size_t> served;
    std::vector<Waiter> staying;
    for (Waiter& waiter : register_.waiters) {
      waiter.waits = without(waiter.waits, sectors);
      if (waiter.waits.empty())
        served.push_back(waiter.id);
      else
        staying.push_back(waiter);
    }
    register_.waiters = staying;
    register_.under_way = without(register_.under_way, sectors);
    register_.stale = without(register_.stale, sectors);
    if (!register_.under_way.empty()) return served;
    registers_.erase(number);
    if (line != nullptr) line->reserved = false;
    if (line != nullptr && line->valid.empty()) erase(*line);
    return served;
  }

  void flush() override {
    for (std::vector<Line>& set : sets_) set.clear();
    for (auto& [number, register_] : registers_) register_.stale = register_.under_way;
  }

  bool contains(Address address, std::uint8_t sectors) override {
    const Line* line = find(address / params_.line);
    if (line == nullptr) return false;
    for (const int sector : parts_of(sectors))
      if (line->valid.count(sector / sector_) == 0) return false;
    return true;
  }

 private:
  struct Line {
    std::uint64_t number;
    Parts valid;
    long used;
    bool reserved;
  };
  struct Waiter {
    std::size_t id;
    Parts waits;
  };
  struct Register {
    Parts under_way, stale;
    std::vector<Waiter> waiters;
    int joined = 0;
  };

  // No other access may wait for the line, or for one of these sectors where they have their own MSHRs.
  bool is_full(const Register& fetch, const Parts& sectors) const {
    if (params_.mshr_sectors == 0) return fetch.joined == params_.merges;
    return std::any_of(sectors.begin(), sectors.end(), [&](int sector) {
      return params_.merges == std::count_if(fetch.waiters.begin(), fetch.waiters.end(),
                                             [&](const Waiter& one) { return one.waits.count(sector) != 0; });
    });
  }

  Said past(const Access& access, Line* line, const Parts& asked) {
    const bool store = access.access_class == AccessClass::store;
    if (line != nullptr && store && params_.write == L1PrivateParams::Write::through) {
      if (without(asked, line->valid).empty()) line->used = ++now_;
    } else if (line != nullptr) {
      line->valid = without(line->valid, asked);
      if (line->valid.empty() && !line->reserved) erase(*line);
    }
    const auto register_ = registers_.find(access.line / params_.line);
    if (access.access_class != AccessClass::load && register_ != registers_.end())
      for (const int sector : asked)
        if (register_->second.under_way.count(sector) != 0) register_->second.stale.insert(sector);
    return {L1Outcome::forward};
  }
  std::vector<Line>& set_of(std::uint64_t number) { return sets_[number % sets_.size()]; }
  Line* find(std::uint64_t number) {
    for (Line& line : set_of(number))
      if (line.number == number) return &line;
    return nullptr;
  }
  void erase(const Line& line) {
    std::vector<Line>& set = set_of(line.number);
    set.erase(set.begin() + (&line - set.data()));
  }
  Line* oldest(std::uint64_t number) {
    Line* found = nullptr;
    for (Line& line : set_of(number))
      if (!line.reserved && (found == nullptr || line.used < found->used)) found = &line;
    return found;
  }
  bool has_empty(std::uint64_t number) { return static_cast<int>(set_of(number).size()) < params_.ways; }
  bool has_room(std::uint64_t number) { return has_empty(number) || oldest(number) != nullptr; }
  Line& place(std::uint64_t number) {
    if (!has_empty(number)) erase(*oldest(number));
    set_of(number).push_back({number, {}, ++now_, false});
    return set_of(number).back();
  }
  unsigned sectors_in(const Parts& units) const {
    unsigned sectors = 0;
    for (const int unit : units) sectors |= ((1U << sector_) - 1) << (unit * sector_);
    return sectors;
  }

  L1SectoredParams params_;
  int sector_;  // sectors
  std::vector<std::vector<Line>> sets_;
  std::map<std::uint64_t, Register> registers_;
  std::vector<std::pair<std::uint64_t, Parts>> fetches_;
  long now_ = 0;
};

/// Where the plain model stalls a load, it goes past the cache, as far as `bypass` says.
class SlowPrioritized final : public Tested {
 public:
  using Bypass = L1PrioritizedParams::Bypass;
  SlowPrioritized(const L1SectoredParams& params, int sector_sectors, Bypass bypass)
      : slow_(params, sector_sectors), bypass_(bypass) {}
  Said begin(std::size_t id, const Access& access, bool room) override {
    const Said said = slow_.begin(id, access, room);
    const bool may = (bypass_ == Bypass::set_full && said.stall == L1Stall::set_full) ||
                     (bypass_ == Bypass::stalls && said.stall != L1Stall::none);
    if (!may || !room || access.access_class != AccessClass::load) return said;
    ++bypasses;
    return {L1Outcome::forward};
  }
  std::vector<std::size_t> fill(std::size_t fetch) override { return slow_.fill(fetch); }
  void flush() override { slow_.flush(); }
  bool contains(Address line, std::uint8_t sectors) override { return slow_.contains(line, sectors); }
  std::uint64_t bypasses = 0;

 private:
  Slow slow_;
  Bypass bypass_;
};

/// Both see the same accesses, fills and flushes, and must say the same. Returns how often each stall was
/// said.
std::map<L1Stall, std::uint64_t> compare(Tested& one, Tested& other, const L1PrivateParams& params,
                                         std::uint64_t seed, std::uint64_t accesses) {
  constexpr std::uint64_t lines = 24;
  std::mt19937_64 random(seed);
  std::map<L1Stall, std::uint64_t> stalls;
  std::vector<std::size_t> under_way, free_ids;
  std::size_t ids = 0, fetches = 0, waiting = 0;
  const auto fill = [&](std::size_t index) {
    const std::size_t fetch = under_way[index];
    under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(index));
    const std::vector<std::size_t> served = one.fill(fetch);
    must(served == other.fill(fetch), "who is served");
    waiting -= served.size();
    free_ids.insert(free_ids.end(), served.begin(), served.end());
  };
  const auto any_sectors = [&] {
    const unsigned all = (1U << params.line / 32) - 1;
    return static_cast<std::uint8_t>(random() % 3 == 0 ? all : 1 + random() % all);
  };
  while (accesses > 0) {
    if (free_ids.empty()) free_ids.push_back(ids++);
    const std::size_t id = free_ids.back();
    Access access;
    access.line = random() % lines * params.line;
    access.sectors = any_sectors();
    const auto kind = random() % 12;
    if (kind == 0) access.access_class = AccessClass::atomic;
    if (kind == 1 || kind == 2) access.access_class = AccessClass::store;
    access.bypass_l1 = kind == 3;
    const bool room = random() % 8 != 0;
    const Said said = one.begin(id, access, room);
    must(said == other.begin(id, access, room), "decision");
    ++stalls[said.stall];
    if (said.outcome == L1Outcome::miss_new) under_way.push_back(fetches++);
    if (said.outcome == L1Outcome::miss_new || said.outcome == L1Outcome::miss_merged) {
      ++waiting;
      free_ids.pop_back();
    }
    if (said.outcome != L1Outcome::stall) --accesses;
    if (!under_way.empty() && random() % 3 == 0) fill(random() % under_way.size());
    if (random() % 5000 == 0) {
      one.flush();
      other.flush();
    }
    const Address probed = random() % lines * params.line;
    const std::uint8_t sectors = any_sectors();
    must(one.contains(probed, sectors) == other.contains(probed, sectors), "what is here");
  }
  while (!under_way.empty()) fill(0);
  CHECK(waiting == 0);
  return stalls;
}

/// Two sets of three ways, and few registers: everything stalls now and then.
template <class Params>
Params small(L1PrivateParams::Write write) {
  Params params;
  params.ways = 3;
  params.size = Bytes(2 * 3 * 128);
  params.set_index = SetIndex::Kind::plain;
  params.write = write;
  params.mshrs = 7;
  params.merges = 3;
  return params;
}

}  // namespace

TEST_CASE("a sectored L1 with sectors of a line is the L1 of whole lines, access by access") {
  for (const auto write : {L1PrivateParams::Write::evict, L1PrivateParams::Write::through})
    for (const int replacement : {0, 1, 2, 3}) {
      const std::uint64_t seed = 7 + static_cast<std::uint64_t>(replacement);
      CAPTURE(seed, replacement, static_cast<int>(write));
      auto whole = small<L1PrivateParams>(write);
      auto params = small<L1SectoredParams>(write);
      whole.replacement = params.replacement = replacement;
      params.sector = Bytes(replacement % 2 == 0 ? 128 : 0);
      Real<L1Private> known(whole);
      Real<L1Sectored> sectored(params);
      compare(known, sectored, params, seed, accesses_of_property(100'000));
      L1PrivateStats& was = known.organization.stats();
      L1SectoredStats& is = sectored.organization.stats();
      CHECK(was.evictions == is.evictions);
      CHECK(was.write_evictions == is.write_evictions);
      CHECK(was.write_hits == is.write_hits);
      CHECK(was.dropped_fills == is.dropped_fills);
      CHECK(was.ordering_bypasses == is.ordering_bypasses);
      CHECK(was.flushed_lines == is.flushed_lines);
    }
}

TEST_CASE(
    "an L1 of whole lines that keeps local stores is L1Private where there are none, access by access") {
  for (const auto write : {L1PrivateParams::Write::evict, L1PrivateParams::Write::through}) {
    const std::uint64_t seed = 21;
    CAPTURE(seed, static_cast<int>(write));
    const auto params = small<L1PrivateParams>(write);
    Real<L1Private> known(params);
    Real<L1WithLocal<L1PrivateBySectors>> keeping(params);
    compare(known, keeping, params, seed, accesses_of_property(100'000));
    const L1Stats& was = known.organization.stats();
    const L1Stats& is = keeping.organization.stats();
    CHECK(was.evictions == is.evictions);
    CHECK(was.write_evictions == is.write_evictions);
    CHECK(was.write_hits == is.write_hits);
    CHECK(was.dropped_fills == is.dropped_fills);
    CHECK(was.ordering_bypasses == is.ordering_bypasses);
    CHECK(was.flushed_lines == is.flushed_lines);
    CHECK(is.local_stores + is.local_dirtied_sectors == 0);
  }
}

TEST_CASE("a sectored L1 does what a plain model of sectors does, access by access") {
  for (const Allocation allocation : {Allocation::on_fill, Allocation::on_miss})
    for (const auto write : {L1PrivateParams::Write::evict, L1PrivateParams::Write::through})
      for (const int sector : {1, 2, 4}) {
        const std::uint64_t seed = 40 + static_cast<std::uint64_t>(sector);
        CAPTURE(seed, sector, static_cast<int>(allocation), static_cast<int>(write));
        auto params = small<L1SectoredParams>(write);
        params.sector = Bytes(static_cast<std::uint64_t>(sector) * 32);
        params.allocation = allocation;
        params.mshr_sectors = sector == 2 ? 64 : 0;  // more than all MSHRs have: merges count by sector
        Real<L1Sectored> sectored(params);
        Slow slow(params, sector);
        auto stalls = compare(sectored, slow, params, seed, accesses_of_property(100'000));
        CHECK((stalls[L1Stall::set_full] > 0) == (allocation == Allocation::on_miss));
        for (const L1Stall stall : {L1Stall::mshr_full, L1Stall::merge_limit, L1Stall::miss_queue})
          CHECK(stalls[stall] > 0);
        CHECK(sectored.organization.fetching() == 0);
        CHECK((sectored.organization.stats().sector_misses > 0) == (sector < 4));
      }
}

TEST_CASE("a prioritized L1 lets loads pass that a plain model of sectors stalls, access by access") {
  using Bypass = L1PrioritizedParams::Bypass;
  for (const Bypass bypass : {Bypass::none, Bypass::set_full, Bypass::stalls})
    for (const int sector : {1, 4}) {
      const std::uint64_t seed = 60 + static_cast<std::uint64_t>(sector);
      CAPTURE(seed, sector, static_cast<int>(bypass));
      auto params = small<L1PrioritizedParams>(L1PrivateParams::Write::evict);
      params.sector = Bytes(static_cast<std::uint64_t>(sector) * 32);
      params.bypass = bypass;
      Real<L1Prioritized> prioritized(params);
      SlowPrioritized slow(params, sector, bypass);
      auto stalls = compare(prioritized, slow, params, seed, accesses_of_property(100'000));
      CHECK((slow.bypasses > 0) == (bypass != Bypass::none));
      CHECK((stalls[L1Stall::set_full] > 0) == (bypass == Bypass::none));
      CHECK(stalls[L1Stall::miss_queue] > 0);
      CHECK(prioritized.organization.stats().stall_bypasses == slow.bypasses);
    }
}
