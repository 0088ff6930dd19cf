#include "models/llc_slice/llc_slice_core.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>

#include "models/common/faults.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

std::unique_ptr<AddressMap> map_of(int channels, int slices) {
  AddressMapParams params;
  params.channels = channels;
  params.slices_per_channel = slices;
  return make_address_map(params);
}

LlcSliceParams tiny(LlcSliceParams::Write write = LlcSliceParams::Write::back) {
  LlcSliceParams params;
  params.ways = 2;
  params.size = Bytes(4 * 128);  // 2 sets
  params.set_index = SetIndex::Kind::plain;
  params.write = write;
  params.mshrs = 2;
  params.merges = 3;
  params.write_queue = 2;
  return params;
}

Access make(Address line, AccessClass access_class = AccessClass::load, std::uint8_t sectors = 0xf) {
  Access access;
  access.line = line;
  access.access_class = access_class;
  access.sectors = sectors;
  return access;
}

struct Slice {
  explicit Slice(const LlcSliceParams& params) : map(map_of(1, 1)), core(params, *map) {}
  /// Begin, and fill at once when a fetch is needed.
  LlcFilled serve(Access& access) {
    const LlcDecision decision = core.begin(access, 0);
    return decision.outcome == LlcOutcome::miss_new ? core.fill(decision.mshr, 0xf) : LlcFilled{};
  }
  std::unique_ptr<AddressMap> map;
  LlcSliceCore core;
};

}  // namespace

TEST_CASE("a partial store that misses fetches its line and makes it dirty") {
  Slice slice(tiny());
  Access store = make(0, AccessClass::store, 0x1);
  const LlcDecision decision = slice.core.begin(store, 0);
  CHECK(decision.outcome == LlcOutcome::miss_new);
  LlcFilled filled = slice.core.fill(decision.mshr, 0xf);
  CHECK(&filled.waiters.pop() == &store);
  CHECK(slice.core.dirty(0));
}

TEST_CASE("a store of a whole line allocates without a fetch") {
  Slice slice(tiny());
  Access store = make(0, AccessClass::store);
  CHECK(slice.core.begin(store, 0).outcome == LlcOutcome::done);
  CHECK(slice.core.dirty(0));
  CHECK(slice.core.stats().fetches == 0);
  CHECK(slice.core.stats().write_allocations == 1);
}

TEST_CASE("atomics execute at the slice and make the line dirty") {
  Slice slice(tiny());
  Access load = make(0), atomic = make(0, AccessClass::atomic, 0x2);
  slice.serve(load);
  CHECK_FALSE(slice.core.dirty(0));
  CHECK(slice.core.begin(atomic, 0).outcome == LlcOutcome::hit);
  CHECK(slice.core.dirty(0));
  CHECK(slice.core.stats().atomic_hits == 1);
}

TEST_CASE("a dirty victim is written back whole, a clean one is not") {
  Slice slice(tiny());  // lines 0, 256 and 512 share set 0
  Access store = make(0, AccessClass::store, 0x1), b = make(256), c = make(512), d = make(768);
  slice.serve(store);
  slice.serve(b);
  const LlcFilled dirty = slice.serve(c);
  CHECK(dirty.victim.line == 0);
  CHECK(dirty.victim.sectors == 0xf);
  CHECK_FALSE(slice.serve(d).victim);  // 256 was clean
  CHECK(slice.core.stats().evictions == 2);
  CHECK(slice.core.stats().dirty_evictions == 1);
}

TEST_CASE("a fill whose dirty victim finds no room in the write queue must wait") {
  Slice slice(tiny());
  std::deque<Access> stores;
  for (const Address line : {0, 256, 128, 384}) {  // fills both sets with dirty lines
    stores.push_back(make(line, AccessClass::store));
    slice.core.begin(stores.back(), 0);
  }
  for (const Address line : {512, 640}) {  // two victims fill the write queue
    stores.push_back(make(line, AccessClass::store));
    CHECK(slice.core.begin(stores.back(), 0).write);
  }
  Access load = make(768);
  const int mshr = slice.core.begin(load, 0).mshr;
  CHECK_FALSE(slice.core.can_fill(mshr));
  Access more = make(896, AccessClass::store);
  CHECK(slice.core.begin(more, 0).stall == LlcStall::write_queue);
  slice.core.write_departed();
  CHECK(slice.core.can_fill(mshr));
}

TEST_CASE("stalls name what is missing") {
  Slice slice(tiny());
  Access a = make(0), b = make(128), c = make(256), d = make(0), e = make(0), f = make(0);
  slice.core.begin(a, 0);
  slice.core.begin(b, 0);
  CHECK(slice.core.begin(c, 0).stall == LlcStall::mshr_full);
  slice.core.begin(d, 0);
  slice.core.begin(e, 0);
  CHECK(slice.core.begin(f, 0).stall == LlcStall::merge_limit);
  slice.core.fill(slice.core.mshrs().find(0), 0xf);
  CHECK(slice.core.begin(f, 0, false).stall == LlcStall::reply_queue);
  CHECK(slice.core.begin(c, 0, false).outcome == LlcOutcome::miss_new);  // a miss needs no reply yet
  CHECK(slice.core.stats().accesses == 5);
}

TEST_CASE("write-through: memory gets every store, nothing becomes dirty, misses do not allocate") {
  Slice slice(tiny(LlcSliceParams::Write::through));
  Access load = make(0), hit = make(0, AccessClass::store, 0x3), miss = make(128, AccessClass::store);
  slice.serve(load);
  const LlcDecision first = slice.core.begin(hit, 0);
  CHECK(first.outcome == LlcOutcome::hit);
  CHECK(first.write.line == 0);
  CHECK(first.write.sectors == 0x3);
  CHECK(slice.core.begin(miss, 0).write.line == 128);
  CHECK(slice.core.dirty_lines(every_application) == 0);
  CHECK_FALSE(slice.core.contains(128));
  Access third = make(0, AccessClass::store);
  CHECK(slice.core.begin(third, 0).stall == LlcStall::write_queue);  // two writes wait already
  slice.core.write_departed();
  slice.core.write_departed();
  Access atomic = make(256, AccessClass::atomic, 0x4);
  const LlcFilled filled = slice.serve(atomic);
  CHECK(filled.through.line == 256);
  CHECK(filled.through.sectors == 0x4);
}

TEST_CASE("a flush writes back every dirty line once, then drops all lines") {
  Slice slice(tiny());
  Access a = make(0, AccessClass::store), b = make(128), c = make(384, AccessClass::store);
  for (Access* access : {&a, &b, &c}) slice.serve(*access);
  std::set<Address> written;
  MemoryWrite write;
  while (slice.core.flush_step(LlcFlush::all, every_application, write)) {
    CHECK(written.insert(write.line).second);
    slice.core.write_departed();
  }
  CHECK(written == std::set<Address>{0, 384});
  CHECK(slice.core.valid_lines() == 0);
  CHECK(slice.core.stats().flush_writes == 2);
  CHECK(slice.core.stats().flushed_lines == 3);
}

TEST_CASE("write policy, lines and counts go by application") {
  Slice slice(tiny());
  Access mine = make(0, AccessClass::store);
  Access other = make(128, AccessClass::store);
  other.application = 1;
  slice.serve(mine);
  slice.serve(other);
  Access read = make(256);
  read.application = 1;
  const LlcDecision fetched = slice.core.begin(read, 0);
  REQUIRE(fetched.outcome == LlcOutcome::miss_new);
  CHECK(slice.core.dirty_lines(only_application(0)) == 1);
  CHECK(slice.core.fetches(only_application(0)) == 0);
  CHECK(slice.core.fetches(only_application(1)) == 1);
  CHECK(slice.core.counted(only_application(1)).accesses == 2);
  CHECK(slice.core.counted(every_application).accesses == 3);
  slice.core.fill(fetched.mshr, 0xf);

  MemoryWrite write;
  REQUIRE(slice.core.flush_step(LlcFlush::all, only_application(0), write));
  CHECK(write.application == 0);
  CHECK_FALSE(slice.core.flush_step(LlcFlush::all, only_application(0), write));
  CHECK_FALSE(slice.core.contains(0));
  CHECK(slice.core.dirty(128));

  slice.core.set_write_through(only_application(0), true);
  Access again = make(0, AccessClass::store);
  CHECK(slice.core.begin(again, 0).write);
}

TEST_CASE("a slice whose parameters ask for write-through writes through whatever the control needs") {
  Slice slice(tiny(LlcSliceParams::Write::through));
  slice.core.set_write_through(every_application, false);
  Access store = make(0, AccessClass::store);
  CHECK(slice.core.begin(store, 0).write);
}

TEST_CASE("the lines of one slice fill all its sets evenly, shared or private") {
  for (const auto kind : {AddressMapParams::Kind::bits, AddressMapParams::Kind::pae}) {
    AddressMapParams map_params;
    map_params.kind = kind;
    const auto map = make_address_map(map_params);  // 8 channels of 8 slices
    for (const auto index_kind : {SetIndex::Kind::plain, SetIndex::Kind::hashed}) {
      const LlcSetIndex index(48, index_kind, *map);
      std::vector<int> shared(48), whole_channel(48);
      for (Address line = 0; line < 48 * KiB * 128; line += 128) {
        const Location where = map->locate(line);
        if (where.channel != 3) continue;
        ++whole_channel.at(index(line));
        if (where.slice == 5) ++shared.at(index(line));
      }
      // 49152 lines: 6144 a channel = 128 in each of 48 sets, 768 a slice = 16 in each.
      CHECK(*std::min_element(shared.begin(), shared.end()) == 16);
      CHECK(*std::max_element(shared.begin(), shared.end()) == 16);
      CHECK(*std::min_element(whole_channel.begin(), whole_channel.end()) == 128);
      CHECK(*std::max_element(whole_channel.begin(), whole_channel.end()) == 128);
    }
  }
}

TEST_CASE("random traffic: dirty data is written exactly when it leaves, laws hold") {
  for (const auto policy : {LlcSliceParams::Write::back, LlcSliceParams::Write::through}) {
    constexpr std::uint64_t seed = 23;
    CAPTURE(seed, static_cast<int>(policy));
    std::mt19937_64 random(seed);
    LlcSliceParams params = tiny(policy);
    params.mshrs = 4;
    Slice slice(params);
    LlcSliceCore& core = slice.core;
    std::deque<Access> pool(100000);
    std::size_t next = 0;
    std::vector<int> fetching;
    std::set<Address> newer;  // lines whose newest bytes are not in memory
    std::uint64_t waiting = 0, answered = 0;
    const auto wrote = [&](const MemoryWrite& write) {
      if (!write) return;
      if (policy == LlcSliceParams::Write::back) {
        REQUIRE(newer.count(write.line) == 1);
      }
      newer.erase(write.line);
    };
    const auto fill = [&](int mshr) {
      REQUIRE_FALSE(core.contains(core.mshrs().number(mshr) * 128));
      const LlcFilled filled = core.fill(mshr, 0xf);
      wrote(filled.victim);
      for (AccessFifo rest = filled.waiters; !rest.empty();) {
        Access& waiter = rest.pop();
        ++answered;
        if (carries_request_data(waiter.access_class)) newer.insert(waiter.line);
      }
      wrote(filled.through);
    };
    for (int step = 0; step < 60000; ++step) {
      Access& access = pool[next];
      access = make((random() % 16) * 128);
      const auto kind = random() % 6;
      if (kind == 0) access.access_class = AccessClass::atomic;
      if (kind <= 2) access.sectors = static_cast<std::uint8_t>(1 + random() % 15);
      if (kind == 1 || kind == 2 || kind == 3) access.access_class = AccessClass::store;
      const std::uint64_t accesses = core.stats().accesses, lines = core.valid_lines();
      const int writes = core.writes_queued();
      const LlcDecision decision = core.begin(access, 0, random() % 8 != 0);
      if (decision.outcome == LlcOutcome::stall) {
        REQUIRE(core.stats().accesses == accesses);
        REQUIRE(core.valid_lines() == lines);
        REQUIRE(core.writes_queued() == writes);
      } else {
        ++next;
        if (decision.outcome == LlcOutcome::hit || decision.outcome == LlcOutcome::done) {
          if (carries_request_data(access.access_class)) newer.insert(access.line);
          wrote(decision.write);
        } else {
          ++waiting;
          if (decision.outcome == LlcOutcome::miss_new) fetching.push_back(decision.mshr);
        }
      }
      if (core.writes_queued() > 0 && random() % 2 == 0) core.write_departed();
      if (!fetching.empty() && core.can_fill(fetching.back()) && random() % 3 == 0) {
        fill(fetching.back());
        fetching.pop_back();
      }
      REQUIRE(core.dirty_lines(every_application) == newer.size());
    }
    while (core.writes_queued() > 0) core.write_departed();
    for (const int mshr : fetching) {
      fill(mshr);
      while (core.writes_queued() > 0) core.write_departed();
    }
    MemoryWrite write;
    while (core.flush_step(LlcFlush::all, every_application, write)) {
      wrote(write);
      core.write_departed();
    }
    CHECK(newer.empty());
    CHECK(answered == waiting);
    const LlcSliceStats& s = core.stats();
    CHECK(s.accesses == next);
    CHECK(s.accesses == s.hits + s.misses + s.merges);
    CHECK(s.misses == s.fetches + s.write_allocations + s.write_arounds);
    CHECK(s.memory_writes == s.dirty_evictions + s.write_throughs + s.flush_writes);
    CHECK(s.fills == s.fetches);
    CHECK(s.evictions >= s.dirty_evictions);
  }
}

TEST_CASE("faults of the slice's parameters") {
  LlcSliceParams params;
  params.lookup = 121;
  CHECK_THROWS_WITH(require_valid(params, "llc"), "llc.lookup: is 121; allowed: 0 to latency = 120");
  params = {};
  params.size = Bytes(100000);
  CHECK_THROWS_AS(require_valid(params, "llc"), ConfigError);
}

// Line n of the first of four slices, in set n of the slice (even n).
static Address line_of(int n) {
  return static_cast<Address>(n / 2 * 4 * 256 + n % 2 * 128);
}

TEST_CASE("a store to a line that a read-only load has brought is an error of the analysis, and survives") {
  const auto map = map_of(1, 4);
  LlcSliceParams params;
  params.size = Bytes(16 * 128);
  for (const bool expected : {true, false}) {
    LlcSliceCore slice(params, *map);
    if (expected) slice.expect_replicas(every_application, 0);
    Access read = make(line_of(0), AccessClass::read_only_load);
    const LlcDecision miss = slice.begin(read, 0);
    slice.fill(miss.mshr, 0xf);
    Access store = make(line_of(0), AccessClass::store);
    CHECK(slice.begin(store, 0).outcome == LlcOutcome::hit);
    CHECK(slice.dirty(line_of(0)));
    CHECK(slice.begin(store, 0).outcome == LlcOutcome::hit);  // named once
    CHECK(slice.stats().read_only_stores == (expected ? 1U : 0U));
    Address line = 1;
    CHECK(slice.take_read_only_store(line) == expected);
    CHECK(line == (expected ? line_of(0) : 1));
    CHECK_FALSE(slice.take_read_only_store(line));
    // A store that joins the fetch of a read-only load is found when the line comes.
    Access other = make(line_of(4), AccessClass::read_only_load);
    const int mshr = slice.begin(other, 0).mshr;
    Access joins = make(line_of(4), AccessClass::store);
    CHECK(slice.begin(joins, 0).outcome == LlcOutcome::miss_merged);
    slice.fill(mshr, 0xf);
    CHECK(slice.stats().read_only_stores == (expected ? 2U : 0U));
    // What one kernel only read, the next may write.
    Access earlier = make(line_of(8), AccessClass::read_only_load);
    slice.fill(slice.begin(earlier, 0).mshr, 0xf);
    slice.forget_read_only(every_application);
    Access later = make(line_of(8), AccessClass::store);
    CHECK(slice.begin(later, 0).outcome == LlcOutcome::hit);
    CHECK(slice.stats().read_only_stores == (expected ? 2U : 0U));
  }
}

TEST_CASE("a write-back keeps the lines, clean") {
  const auto map = map_of(1, 4);
  LlcSliceParams params;
  params.size = Bytes(16 * 128);
  LlcSliceCore slice(params, *map);
  for (int n = 0; n < 3; ++n) {
    Access store = make(line_of(n), AccessClass::store);
    CHECK(slice.begin(store, 0).outcome == LlcOutcome::done);
  }
  MemoryWrite write;
  int written = 0;
  for (; slice.flush_step(LlcFlush::none, every_application, write); slice.write_departed()) ++written;
  CHECK(written == 3);
  CHECK(slice.valid_lines() == 3);
  CHECK(slice.dirty_lines(every_application) == 0);
  CHECK(slice.stats().write_backs == 1);
  CHECK(slice.stats().flushes == 0);
}

TEST_CASE("a slice that drops all lines writes nothing and finds nothing") {
  Slice slice(tiny());
  Access load = make(0), store = make(128, AccessClass::store);
  slice.serve(load);
  slice.serve(store);
  CHECK(slice.core.valid_lines() == 2);
  CHECK(slice.core.dirty_lines(every_application) == 1);
  slice.core.drop_all();
  CHECK(slice.core.valid_lines() == 0);
  CHECK(slice.core.writes_queued() == 0);
  CHECK(slice.core.stats().memory_writes == 0);
  CHECK(slice.core.stats().flushed_lines == 2);
  Access again = make(128);
  CHECK(slice.core.begin(again, 10).outcome == LlcOutcome::miss_new);
}
