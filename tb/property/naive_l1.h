#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "models/l1/cache_design.h"
#include "tb/support/catch.h"

namespace strata::tb {

/// Sectors of a line, one by one.
using Sectors = std::vector<bool>;

/// Where sectors lie: what docs/blocks/l1.md says of an organization, as plainly as possible.
class NaiveStore {
 public:
  virtual ~NaiveStore() = default;
  virtual bool present(std::uint64_t line, int sector) const = 0;
  /// An access asks for these; those that are here, or have room reserved, have been used.
  virtual void use(std::uint64_t line, const Sectors& asked) = 0;
  /// Reserves `fresh` sectors without evicting any of `asked`; false: impossible, and nothing has
  /// changed.
  virtual bool reserve(std::uint64_t line, const Sectors& asked, const Sectors& fresh) = 0;
  virtual void arrive(std::uint64_t line, const Sectors& sectors) = 0;
  virtual void drop(std::uint64_t line, const Sectors& sectors) = 0;
  virtual void clear() = 0;
};

/// An L1 that fetches sectors: MSHRs as lists, everything searched from end to end.
class NaiveL1 {
 public:
  struct Rules {
    int line_sectors = 4;
    int mshrs = 32;
    int merges = 8;
    bool whole_lines = false;    // mode: coarse
    bool evict_sectors = false;  // evict: sectors
  };
  struct Answer {
    L1Outcome outcome;
    L1Stall stall = L1Stall::none;
    Sectors fetched = {};
    int fetch = -1;  // number among all fetches of this L1
  };

  NaiveL1(const Rules& rules, NaiveStore& store) : rules_(rules), store_(store) {}
  Answer load(std::uint64_t line, Sectors asked, int access, bool room);
  Answer pass(std::uint64_t line, const Sectors& sectors, bool writes, bool room);
  /// Who leaves, in order.
  std::vector<int> fill(int fetch);
  void flush();

 private:
  struct Waiter {
    int access;
    Sectors missing;
  };
  struct Register {
    bool stale = false;
    int joined = 0;
    std::vector<Waiter> waiters;
    std::map<int, Sectors> fetches;
    Sectors under_way(int sectors) const;
  };
  Rules rules_;
  NaiveStore& store_;
  std::map<std::uint64_t, Register> registers_;  // by line
  int fetches_ = 0;
};

/// Accesses of a trial; STRATA_L1_ACCESSES asks for more.
inline long l1_accesses(long usual) {
  const char* text = std::getenv("STRATA_L1_ACCESSES");
  return text == nullptr ? usual : std::atol(text);
}

/// A random stream through an organization and its specification: loads, stores, atomics, bypassing loads,
/// fills in any order, flushes, a miss queue that is full at times. Every decision, every fetch and every
/// access that leaves must be the same.
template <class L1, class Params>
class ChunkL1Trial {
 public:
  ChunkL1Trial(L1& l1, const Params& params, NaiveStore& store, std::uint64_t seed, bool whole_lines = false)
      : l1_(l1),
        params_(params),
        whole_lines_(whole_lines),
        naive_(rules(params, whole_lines), store),
        random_(seed) {
    const auto sets = params.sets();
    // A few tags far apart, each with lines of neighbouring tags, in a few sets.
    for (std::uint64_t far = 0; far < 3; ++far)
      for (std::uint64_t near = 0; near < 6; ++near)
        for (std::uint64_t set = 0; set < 4; ++set) lines_.push_back((far << 18 | near) * sets + set % sets);
  }

  void step() {
    const auto what = random_() % 100;
    if (what < 30 && !fetches_.empty()) return fill();
    if (what == 99 && random_() % 50 == 0) {
      l1_.flush();
      return naive_.flush();
    }
    Access& access = fresh_access();
    access.line = lines_[random_() % lines_.size()] * params_.line;
    const auto all = (1U << (params_.line / sector_bytes)) - 1;
    access.sectors = static_cast<std::uint8_t>(random_() % 3 == 0 ? all : 1 + random_() % all);
    if (params_.chunk < sector_bytes && random_() % 4 != 0) name_parts(access);
    if (what >= 90) {
      access.access_class = what < 96 ? AccessClass::store : AccessClass::atomic;
      if (what == 97) access.access_class = AccessClass::load;
      access.bypass_l1 = what == 97;
    }
    const bool room = random_() % 16 != 0;
    const bool twice = random_() % 8 == 0;  // a stall may be tried again: nothing has changed
    begin(access, room);
    if (twice && stalled_) begin(access, room);
  }

  long decisions[6] = {};
  long stalls[6] = {};

 private:
  static NaiveL1::Rules rules(const Params& params, bool whole_lines) {
    NaiveL1::Rules rules;
    rules.line_sectors = params.line_chunks();
    rules.mshrs = params.mshrs;
    rules.merges = params.merges;
    rules.evict_sectors = params.evict == Params::Evict::chunks;
    rules.whole_lines = whole_lines;
    return rules;
  }
  /// Some parts of each of its chunks.
  void name_parts(Access& access) {
    for (unsigned i = 0; i < 4; ++i)
      if ((access.sectors >> i & 1) != 0)
        access.parts = static_cast<PartMask>(access.parts | (1 + random_() % 15) << 4 * i);
  }
  /// Byte by byte.
  Sectors sectors_in(unsigned small, unsigned parts = 0) const {
    Sectors chunks(static_cast<std::size_t>(params_.line_chunks()));
    for (unsigned byte = 0; byte < params_.line; ++byte)
      if ((parts != 0 ? parts >> byte / part_bytes & 1 : small >> byte / sector_bytes & 1) != 0)
        chunks[byte / params_.chunk] = true;
    return chunks;
  }
  Access& fresh_access() {
    if (free_.empty()) {
      accesses_.emplace_back();
      free_.push_back(static_cast<int>(accesses_.size()) - 1);
    }
    Access& access = accesses_[static_cast<std::size_t>(free_.back())];
    access = Access();
    access.load_slot = 0;
    access.pc = static_cast<std::uint32_t>(free_.back());
    return access;
  }
  void begin(Access& access, bool room) {
    const std::uint64_t line = access.line / params_.line;
    const Sectors asked = sectors_in(access.sectors, access.parts);
    const bool load = access.access_class == AccessClass::load && !access.bypass_l1;
    const NaiveL1::Answer wanted =
        load ? naive_.load(line, asked, static_cast<int>(access.pc), room)
             : naive_.pass(line, asked, access.access_class != AccessClass::load, room);
    if (load && !whole_lines_ && access.parts == 0)
      REQUIRE(l1_.contains(access.line, access.sectors) == (wanted.outcome == L1Outcome::hit));
    const L1Decision decision = l1_.lookup(access, 0, room);
    REQUIRE(decision.outcome == wanted.outcome);
    REQUIRE(decision.stall == wanted.stall);
    ++decisions[static_cast<int>(decision.outcome)];
    ++stalls[static_cast<int>(decision.stall)];
    stalled_ = decision.outcome == L1Outcome::stall;
    if (decision.outcome == L1Outcome::miss_new) {
      const PartMask parts = decision.parts;
      REQUIRE((parts != 0) == (params_.chunk < sector_bytes));
      REQUIRE(sectors_in(decision.sectors, parts) == wanted.fetched);
      for (unsigned i = 0; i < 4 && parts != 0; ++i)
        REQUIRE(((parts >> 4 * i & 0xf) != 0) == ((decision.sectors >> i & 1) != 0));
      REQUIRE(decision.fetch >= 0);
      REQUIRE(decision.fetch < l1_.fetches());
      REQUIRE(fetches_.emplace(decision.fetch, wanted.fetch).second);
    }
    if (decision.outcome == L1Outcome::miss_merged) REQUIRE(fetches_.count(decision.fetch) == 1);
    if (decision.outcome == L1Outcome::miss_new || decision.outcome == L1Outcome::miss_merged)
      free_.pop_back();
  }
  void fill() {
    auto which = fetches_.begin();
    std::advance(which, random_() % fetches_.size());
    const std::vector<int> wanted = naive_.fill(which->second);
    AccessFifo left = l1_.fill(which->first);
    fetches_.erase(which);
    REQUIRE(l1_.fetching() == static_cast<int>(fetches_.size()));
    for (const int access : wanted) {
      REQUIRE_FALSE(left.empty());
      REQUIRE(static_cast<int>(left.pop().pc) == access);
      free_.push_back(access);
    }
    REQUIRE(left.empty());
  }

  L1& l1_;
  Params params_;
  bool whole_lines_;
  NaiveL1 naive_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> lines_;
  std::deque<Access> accesses_;
  std::vector<int> free_;
  std::map<int, int> fetches_;  // in flight: the L1's, the specification's
  bool stalled_ = false;
};

}  // namespace strata::tb
