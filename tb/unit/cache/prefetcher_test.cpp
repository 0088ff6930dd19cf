// Prefetchers line by line, and what becomes of the lines that they name.
#include <set>
#include <vector>

#include "models/cache/prefetch_unit.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

using Outcome = PrefetchOutcome;
using Lines = std::vector<std::uint64_t>;

PrefetchParams params_of(const char* name, int degree = 2, int distance = 1) {
  PrefetchParams params;
  params.prefetcher = PrefetcherRow::table().find(name);
  REQUIRE(params.prefetcher > 0);
  params.prefetch_degree = degree;
  params.prefetch_distance = distance;
  return params;
}

struct Policy {
  explicit Policy(const PrefetchParams& params)
      : prefetcher(PrefetcherRow::table().at(params.prefetcher).make(params)) {}
  Lines after(std::uint64_t line, Outcome outcome = Outcome::miss, std::uint16_t warp = 0,
              std::uint32_t pc = 0x10, std::uint16_t sm = 0) {
    prefetcher->observe({line, pc, sm, warp, outcome});
    Lines lines;
    for (std::uint64_t next = 0; prefetcher->next(next);) lines.push_back(next);
    return lines;
  }
  std::unique_ptr<Prefetcher> prefetcher;
};

/// A cache that has what a test says.
struct ToyCache final : PrefetchedCache {
  bool holds_some(Address line, std::uint8_t sectors) const override {
    return sectors != 0 && held.count(line) != 0;
  }
  bool has_or_fetches(Address line, std::uint8_t) const override {
    return held.count(line) != 0 || fetched.count(line) != 0;
  }
  std::uint64_t number_of(Address line) const override { return line / 128; }
  bool line_of(std::uint64_t number, Address, Address& line) const override {
    line = number * 128;
    return number < 1000;
  }
  std::set<Address> held, fetched;
};

struct UnitOfCache {
  explicit UnitOfCache(const PrefetchParams& params) : unit(params, cache, stats) {}
  void demand(Address line, Outcome outcome, std::uint8_t sectors = 0xf) {
    Access access;
    access.line = line;
    access.sectors = sectors;
    unit.expect(line);
    unit.observe(access, line, sectors, outcome, true);
  }
  /// The front of the queue is looked up and fetched.
  Address issue(std::uint8_t sectors = 0xf) {
    const Address line = unit.front().line;
    unit.issued(sectors);
    cache.fetched.insert(line);
    return line;
  }
  void arrive(Address line, std::uint8_t sectors = 0xf) {
    cache.fetched.erase(line);
    cache.held.insert(line);
    unit.arrived(line, sectors);
  }
  void check() {
    unit.settle();
    CHECK(unit.imbalance().empty());
    struct Set final : StatSet {
      explicit Set(const PrefetchStats& of) : stats(of) {}
      void for_each_stat(StatVisitor& v) const override { stats.for_each_prefetch_stat(v); }
      const PrefetchStats& stats;
    };
    for (const std::string& law : tb::broken_laws(Set(stats))) FAIL_CHECK(law);
  }
  ToyCache cache;
  PrefetchStats stats;
  PrefetchUnit unit;
};

}  // namespace

TEST_CASE("next_line goes on behind misses and first uses") {
  Policy policy(params_of("next_line", 2, 1));
  CHECK(policy.after(10) == Lines{11, 12});
  CHECK(policy.after(11, Outcome::first_use) == Lines{12, 13});
  CHECK(policy.after(11, Outcome::hit).empty());
  CHECK(policy.after(30, Outcome::merge).empty());
  Policy further(params_of("next_line", 1, 4));
  CHECK(further.after(10) == Lines{14});
}

TEST_CASE("stride names lines when a load has had a distance twice in a row") {
  Policy policy(params_of("stride", 2, 1));
  CHECK(policy.after(0).empty());
  CHECK(policy.after(4).empty());
  CHECK(policy.after(8) == Lines{12, 16});
  CHECK(policy.after(8).empty());  // the same line tells nothing
  CHECK(policy.after(12, Outcome::hit) == Lines{16, 20});
  // Another distance costs confidence, 3 of 3, before it counts: 12 -> 13, 3 -> 2; 13 -> 17 is as before.
  CHECK(policy.after(13).empty());
  CHECK(policy.after(17) == Lines{21, 25});
  // Three in a row make 1 the distance, and the fourth is the second of it.
  CHECK(policy.after(18).empty());
  CHECK(policy.after(19).empty());
  CHECK(policy.after(20).empty());
  CHECK(policy.after(21) == Lines{22, 23});
}

TEST_CASE("stride tells warps, loads and SMs apart, and goes down as well as up") {
  PrefetchParams params = params_of("stride", 1, 2);
  params.prefetch_table = 1024;
  Policy policy(params);
  for (const std::uint64_t line : {100, 90}) CHECK(policy.after(line, Outcome::miss, 1).empty());
  CHECK(policy.after(95, Outcome::miss, 2).empty());
  CHECK(policy.after(85, Outcome::miss, 1, 0x20).empty());
  CHECK(policy.after(85, Outcome::miss, 1, 0x10, 3).empty());
  CHECK(policy.after(80, Outcome::miss, 1) == Lines{60});  // two strides of -10
}

TEST_CASE("a table of one entry keeps one load only") {
  PrefetchParams params = params_of("stride");
  params.prefetch_table = 1;
  Policy policy(params);
  policy.after(0);
  policy.after(4);
  CHECK(policy.after(7, Outcome::miss, 9).empty());
  CHECK(policy.after(8).empty());  // forgotten
  CHECK(policy.after(12).empty());
  CHECK(policy.after(16) == Lines{20, 24});
}

TEST_CASE("stream follows misses in both directions") {
  PrefetchParams params = params_of("stream", 2, 3);
  params.prefetch_window = 4;
  params.prefetch_table = 2;
  Policy policy(params);
  CHECK(policy.after(100).empty());
  CHECK(policy.after(102).empty());                // up, once
  CHECK(policy.after(500).empty());                // too far: the second stream
  CHECK(policy.after(103) == Lines{106, 107});     // up, twice
  CHECK(policy.after(104, Outcome::hit).empty());  // hits are no steps
  CHECK(policy.after(106, Outcome::first_use) == Lines{109, 110});
  CHECK(policy.after(499).empty());
  CHECK(policy.after(496) == Lines{493, 492});
  CHECK(policy.after(106).empty());  // the same line
  CHECK(policy.after(105).empty());  // it turns
  CHECK(policy.after(900).empty());  // a third stream takes the place of the second, used longest ago
  CHECK(policy.after(495).empty());  // ... which then takes that of the first
  CHECK(policy.after(901).empty());
  CHECK(policy.after(902) == Lines{905, 906});
}

TEST_CASE("a prefetched line is useful, late or useless, once") {
  UnitOfCache one(params_of("next_line", 3));
  one.demand(0, Outcome::miss);  // names 128, 256, 384
  CHECK(one.unit.waiting() == 3);
  for (const Address line : {128, 256, 384}) CHECK(one.issue() == line);
  CHECK(one.unit.under_way() == 3);
  one.arrive(128);
  one.demand(128, Outcome::hit);  // useful; names 256 and 384, which are under way, and 512
  CHECK(one.stats.useful == 1);
  CHECK(one.stats.dropped_there == 2);
  one.demand(256, Outcome::merge);  // late; names 384, 512 in the queue, 640
  CHECK(one.stats.late == 1);
  CHECK(one.stats.dropped_there == 4);
  one.arrive(256);
  one.arrive(384);
  one.demand(256, Outcome::hit);
  CHECK(one.stats.useful == 1);  // it has been counted
  one.cache.held.erase(384);
  one.demand(384, Outcome::miss);
  CHECK(one.stats.useless == 1);
  CHECK(one.stats.issued == 3);
  one.check();
}

TEST_CASE("a flush makes useless what was not used, under way too") {
  UnitOfCache one(params_of("next_line", 2));
  one.demand(0, Outcome::miss);
  one.issue();
  one.issue();
  one.arrive(128);
  one.demand(2560, Outcome::miss);  // names two that wait
  one.cache.held.clear();
  one.unit.flush();
  CHECK(one.stats.useless == 1);
  CHECK(one.stats.dropped_full == 2);
  CHECK(one.unit.waiting() == 0);
  one.unit.arrived(256, 0xf);  // its fill is not kept
  one.check();
  CHECK(one.stats.useless == 2);
}

TEST_CASE("the queue drops what has no room, and lines that are none") {
  PrefetchParams params = params_of("next_line", 4);
  params.prefetch_queue = 2;
  params.prefetch_mshrs = 1;
  UnitOfCache one(params);
  one.demand(998 * 128, Outcome::miss);  // 999 is the last line of the toy
  CHECK(one.stats.candidates == 4);
  CHECK(one.stats.dropped_there == 3);
  one.demand(0, Outcome::miss);
  CHECK(one.stats.dropped_full == 3);
  CHECK(one.unit.wants());
  one.issue();
  CHECK_FALSE(one.unit.wants());  // one MSHR only
  one.arrive(999 * 128);
  CHECK(one.unit.wants());
  one.check();
}

TEST_CASE("a miss of a line that left for an unused prefetch is polluting") {
  UnitOfCache one(params_of("next_line", 1));
  one.demand(0, Outcome::miss);
  one.unit.displaced(5120, one.issue());
  one.arrive(128);
  one.demand(5120, Outcome::miss);
  CHECK(one.stats.polluting == 1);
  one.demand(5120, Outcome::miss);
  CHECK(one.stats.polluting == 1);
  // A line that leaves for a prefetch that somebody waits for would have left all the same.
  CHECK(one.issue() == 5248);
  one.demand(5248, Outcome::merge);
  one.unit.displaced(7680, 5248);
  one.demand(7680, Outcome::miss);
  CHECK(one.stats.polluting == 1);
}

TEST_CASE("sectors of a line are used by accesses that ask for them") {
  UnitOfCache one(params_of("next_line", 1));
  one.demand(0, Outcome::miss, 0x3);
  CHECK(one.unit.front().sectors == 0x3);
  one.issue(0x3);
  one.arrive(128, 0x3);
  one.demand(128, Outcome::miss, 0xc);  // other sectors
  CHECK(one.stats.useful == 0);
  one.demand(128, Outcome::miss, 0x6);  // one of them
  CHECK(one.stats.useful == 1);
  one.check();
}
