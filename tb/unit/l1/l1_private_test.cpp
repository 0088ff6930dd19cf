#include "models/l1/l1_private.h"

#include <deque>
#include <map>
#include <random>

#include "models/common/faults.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

L1PrivateParams tiny(int ways = 2, int mshrs = 2, int merges = 2) {
  L1PrivateParams params;
  params.ways = ways;
  params.size = Bytes(static_cast<std::uint64_t>(ways) * 128 * 2);  // 2 sets
  params.set_index = SetIndex::Kind::plain;
  params.mshrs = mshrs;
  params.merges = merges;
  return params;
}

Access make(Address line, AccessClass access_class = AccessClass::load) {
  Access access;
  access.line = line;
  access.access_class = access_class;
  return access;
}

}  // namespace

TEST_CASE("a miss, a merge, a fill and a hit") {
  L1Private core(tiny());
  Access first = make(0x1000), second = make(0x1000), third = make(0x1000);
  const L1Decision miss = core.lookup(first, 0, true);
  CHECK(miss.outcome == L1Outcome::miss_new);
  CHECK(core.lookup(second, 1, true).outcome == L1Outcome::miss_merged);
  const L1Decision stall = core.lookup(third, 2, true);  // two waiters at most
  CHECK(stall.outcome == L1Outcome::stall);
  CHECK(stall.stall == L1Stall::merge_limit);
  AccessFifo waiters = core.fill(miss.fetch);
  CHECK(&waiters.pop() == &first);
  CHECK(&waiters.pop() == &second);
  CHECK(waiters.empty());
  CHECK(core.lookup(third, 3, true).outcome == L1Outcome::hit);
}

TEST_CASE("no MSHR and no place in the miss queue stall without a trace") {
  L1Private core(tiny());
  Access a = make(0), b = make(128), c = make(256), d = make(384, AccessClass::store);
  CHECK(core.lookup(a, 0, false).stall == L1Stall::miss_queue);
  CHECK(core.fetching() == 0);
  core.lookup(a, 0, true);
  core.lookup(b, 0, true);
  CHECK(core.lookup(c, 0, true).stall == L1Stall::mshr_full);
  CHECK(core.lookup(c, 0, false).stall == L1Stall::mshr_full);
  CHECK(core.lookup(d, 0, false).stall == L1Stall::miss_queue);
  CHECK(core.lookup(d, 0, true).outcome == L1Outcome::forward);
  CHECK(core.fetching() == 2);
}

TEST_CASE("the least recently used line is replaced") {
  L1Private core(tiny());  // lines 0, 256, 512 share set 0
  const auto load = [&](Address line) {
    Access access = make(line);
    const L1Decision decision = core.lookup(access, 0, true);
    if (decision.outcome == L1Outcome::miss_new) core.fill(decision.fetch);
    return decision.outcome;
  };
  load(0);
  load(256);
  CHECK(load(0) == L1Outcome::hit);
  load(512);  // replaces 256
  CHECK(core.contains(0));
  CHECK_FALSE(core.contains(256));
  CHECK(core.stats().evictions == 1);
}

TEST_CASE("stores evict, write-through keeps, atomics and bypassing loads drop the line") {
  for (const auto write : {L1PrivateParams::Write::evict, L1PrivateParams::Write::through}) {
    L1PrivateParams params = tiny(4);
    params.write = write;
    L1Private core(params);
    const auto bring = [&] {
      Access access = make(0);
      const L1Decision decision = core.lookup(access, 0, true);
      if (decision.outcome == L1Outcome::miss_new) core.fill(decision.fetch);
    };
    bring();
    Access store = make(0, AccessClass::store);
    CHECK(core.lookup(store, 0, true).outcome == L1Outcome::forward);
    CHECK(core.contains(0) == (write == L1PrivateParams::Write::through));
    bring();
    Access atomic = make(0, AccessClass::atomic);
    CHECK(core.lookup(atomic, 0, true).outcome == L1Outcome::forward);
    CHECK_FALSE(core.contains(0));
    bring();
    Access strong = make(0);
    strong.bypass_l1 = true;
    CHECK(core.lookup(strong, 0, true).outcome == L1Outcome::forward);
    CHECK_FALSE(core.contains(0));
    CHECK(core.stats().write_hits == 1);
    CHECK(core.stats().write_evictions == (write == L1PrivateParams::Write::evict ? 3 : 2));
  }
}

TEST_CASE("a store overtakes the fetch of its line: the fill is not kept and later loads do not join it") {
  L1Private core(tiny());
  Access load = make(0), store = make(0, AccessClass::store), later = make(0), last = make(0);
  const L1Decision miss = core.lookup(load, 0, true);
  core.lookup(store, 1, true);
  CHECK(core.lookup(later, 2, true).outcome == L1Outcome::forward);
  CHECK(core.stats().ordering_bypasses == 1);
  AccessFifo waiters = core.fill(miss.fetch);
  CHECK(waiters.size() == 1);
  CHECK_FALSE(core.contains(0));
  CHECK(core.stats().dropped_fills == 1);
  CHECK(core.lookup(last, 3, true).outcome == L1Outcome::miss_new);
}

TEST_CASE("a flush drops every line, and those that are being fetched are not kept") {
  L1Private core(tiny());
  Access a = make(0), b = make(128), later = make(128), last = make(128);
  core.fill(core.lookup(a, 0, true).fetch);
  const int fetch = core.lookup(b, 0, true).fetch;
  core.flush();
  CHECK(core.valid_lines() == 0);
  CHECK(core.stats().flushed_lines == 1);
  CHECK(core.lookup(later, 0, true).outcome ==
        L1Outcome::forward);  // it must not get what was asked for before
  CHECK(core.fill(fetch).size() == 1);
  CHECK(core.fetching() == 0);
  CHECK(core.valid_lines() == 0);
  CHECK(core.stats().dropped_fills == 1);
  CHECK(core.lookup(last, 0, true).outcome == L1Outcome::miss_new);
}

// Loads never leave a perfect L1, whatever they ask for; stores pass it as they do any other.
TEST_CASE("every load of a perfect L1 hits") {
  L1PrivateParams params = tiny();
  params.perfect = true;
  L1Private core(params);
  for (Address line = 0; line < 64 * 128; line += 128) {
    Access load = make(line);
    CHECK(core.lookup(load, 0, false).outcome == L1Outcome::hit);
    CHECK(core.contains(line));
  }
  Access store = make(0, AccessClass::store), after = make(0);
  CHECK(core.lookup(store, 0, true).outcome == L1Outcome::forward);
  CHECK(core.lookup(after, 0, true).outcome == L1Outcome::hit);
  CHECK(core.fetching() == 0);
}

TEST_CASE("storage by field follows from the parameters") {
  L1PrivateParams params;  // 64 sets of 6 lines of 128 B: addresses of 47 bits leave tags of 47 - 7 - 6
  std::map<std::string, std::uint64_t> bits;
  for (const StorageField& field : L1Private::storage(params)) bits[field.name] = field.entries * field.bits;
  CHECK(bits["data"] == 384 * 1024);
  CHECK(bits["tag"] == 384 * 34);
  CHECK(bits["replacement"] == 64 * 6 * 3);  // lru: the place of each line in the order
  CHECK(bits["MSHR: line, in use, stale"] == 64 * 42);
  CHECK(bits["MSHR: warp, load and sectors of a waiter"] == 64 * 8 * 15);
  params.replacement = 1;  // nru
  CHECK(L1Private::storage(params)[3].bits == 6);
  params.ways = 3;
  params.size = Bytes(5 * 3 * 128);  // the tag tells apart what 5 sets do not: as with 4
  CHECK(L1Private::storage(params)[1].bits == 47 - 7 - 2);
}

TEST_CASE("any number of sets works") {
  L1PrivateParams params;
  params.size = Bytes(3 * 5 * 128);
  params.ways = 3;  // 5 sets
  params.set_index = SetIndex::Kind::plain;
  L1Private core(params);
  for (Address line = 0; line < 15 * 128; line += 128) {
    Access access = make(line);
    core.fill(core.lookup(access, 0, true).fetch);
  }
  CHECK(core.valid_lines() == 15);
  CHECK(core.stats().evictions == 0);
}

TEST_CASE("faults of the L1's size name the change that keeps it, else the nearest legal size") {
  L1PrivateParams params;  // 6 ways of 128 B
  params.size = Bytes(50000);
  CHECK_THROWS_WITH(require_valid(params, "l1"),
                    "l1.size: is 50000 B; allowed: a multiple of ways x line = 768 B, "
                    "e.g. 49920 B");
  params.size = Bytes(64 * KiB);  // 512 lines
  CHECK_THROWS_WITH(
      require_valid(params, "l1"),
      "l1.size: is 64 KiB, which goes with l1.ways=8; allowed with 6: a multiple of ways x line "
      "= 768 B, e.g. 65280 B");
  params.size = Bytes(512);  // 4 lines
  CHECK_THROWS_WITH(
      require_valid(params, "l1"),
      "l1.size: is 512 B, which goes with l1.ways=4; allowed with 6: a multiple of ways x line = "
      "768 B, e.g. 768 B");
  params.size = Bytes(12 * MiB);
  params.ways = 1;
  CHECK_THROWS_WITH(
      require_valid(params, "l1"),
      "l1.size: makes 98304 sets, which goes with l1.ways=2; allowed: at most 65535, e.g. 8388480 B");
  params = {};
  params.set_index = SetIndex::Kind::fermi;  // 48 KiB of 6 ways: 64 sets
  CHECK(params.validate().empty());
  params.size = Bytes(96 * KiB);
  CHECK_THROWS_WITH(
      require_valid(params, "l1"),
      "l1.set_index: is fermi, but l1.size=96 KiB with l1.ways=6 makes 128 sets; allowed: 32 or 64 "
      "sets, with so many ways l1.size=24 KiB or 48 KiB; or plain, hashed, polynomial");
  params = {};
  params.ways = 0;
  CHECK_THROWS_AS(require_valid(params, "l1"), ConfigError);
}

TEST_CASE("random traffic: stalls change nothing, every access is answered once, laws hold") {
  constexpr std::uint64_t seed = 17;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  L1Private core(tiny(3, 4, 3));
  std::deque<Access> pool(200000);
  std::size_t next = 0;
  std::vector<int> fetching;
  std::uint64_t waiting = 0, answered = 0, hits = 0, misses = 0;
  for (int step = 0; step < 150000; ++step) {
    Access& access = pool[next];
    access = make((random() % 24) * 128);
    const unsigned kind = static_cast<unsigned>(random() % 10);
    if (kind == 0) access.access_class = AccessClass::store;
    if (kind == 1) access.access_class = AccessClass::atomic;
    access.bypass_l1 = kind == 2;
    const bool present = core.contains(access.line), room = random() % 4 != 0;
    const std::uint64_t lines = core.valid_lines();
    const int in_use = core.fetching();
    const L1Decision decision = core.lookup(access, 0, room);
    const bool plain = kind > 2;
    REQUIRE((decision.outcome == L1Outcome::hit) == (plain && present));
    REQUIRE((room || (decision.outcome != L1Outcome::miss_new && decision.outcome != L1Outcome::forward)));
    if (decision.outcome == L1Outcome::stall) {
      REQUIRE(core.valid_lines() == lines);
      REQUIRE(core.fetching() == in_use);
    } else {
      ++next;
    }
    if (decision.outcome == L1Outcome::hit) ++hits;
    if (decision.outcome == L1Outcome::miss_new) {
      REQUIRE(decision.sectors == 0xf);
      fetching.push_back(decision.fetch);
      ++misses;
    }
    if (decision.outcome == L1Outcome::miss_new || decision.outcome == L1Outcome::miss_merged) ++waiting;
    if (!fetching.empty() && random() % 4 == 0) {
      std::swap(fetching[random() % fetching.size()], fetching.back());
      answered += static_cast<std::uint64_t>(core.fill(fetching.back()).size());
      fetching.pop_back();
    }
  }
  for (const int fetch : fetching) answered += static_cast<std::uint64_t>(core.fill(fetch).size());
  CHECK(answered == waiting);
  CHECK(misses >= core.stats().evictions + core.stats().dropped_fills);
  CHECK(core.stats().dropped_fills > 0);
  CHECK(core.stats().ordering_bypasses > 0);
  CHECK(hits > 1000);
}
