// Lines of 128 B in four sectors; sectors and sectors are the same.
#include <initializer_list>
#include <utility>

#include "models/common/faults.h"
#include "models/llc_slice/llc_slice_core.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

std::unique_ptr<AddressMap> one_slice() {
  AddressMapParams params;
  params.channels = params.slices_per_channel = 1;
  return make_address_map(params);
}

/// Two sets of two ways.
LlcSliceParams sectored(Allocation allocation = Allocation::on_fill) {
  LlcSliceParams params;
  params.ways = 2;
  params.size = Bytes(4 * 128);
  params.sector = Bytes(32);
  params.allocation = allocation;
  params.set_index = SetIndex::Kind::plain;
  params.write_queue = 2;
  return params;
}

struct Slice {
  explicit Slice(const LlcSliceParams& params) : map(one_slice()), core(params, *map) {}
  LlcDecision begin(Access& access) { return core.begin(access, 0); }
  /// A load of these sectors of a line, with its fill.
  void bring(std::uint64_t line, std::uint8_t sectors) {
    Access load;
    load.line = line * 128;
    load.sectors = sectors;
    const LlcDecision decision = begin(load);
    if (decision.outcome == LlcOutcome::miss_new) core.fill(decision.mshr, decision.sectors);
  }
  std::unique_ptr<AddressMap> map;
  LlcSliceCore core;
};

Access make(std::uint64_t line, std::uint8_t sectors, AccessClass access_class = AccessClass::load) {
  Access access;
  access.line = line * 128;
  access.sectors = sectors;
  access.access_class = access_class;
  return access;
}

}  // namespace

TEST_CASE("a miss fetches the sectors that it asks for, and a miss on a line that is here the rest") {
  Slice slice(sectored());
  Access first = make(0, 0x1), more = make(0, 0x7), again = make(0, 0x5);
  const LlcDecision miss = slice.begin(first);
  CHECK(miss.outcome == LlcOutcome::miss_new);
  CHECK(miss.sectors == 0x1);
  slice.core.fill(miss.mshr, 0x1);
  CHECK(slice.core.contains(0, 0x1));
  CHECK_FALSE(slice.core.contains(0, 0x2));
  const LlcDecision rest = slice.begin(more);
  CHECK(rest.outcome == LlcOutcome::miss_new);
  CHECK(rest.sectors == 0x6);
  slice.core.fill(rest.mshr, 0x6);
  CHECK(slice.begin(again).outcome == LlcOutcome::hit);
  const LlcSliceStats& s = slice.core.stats();
  CHECK(s.misses == 2);
  CHECK(s.sector_misses == 1);
  CHECK(s.fetches == 2);
  CHECK(s.fetched_sectors == 3);
  CHECK(slice.core.valid_lines() == 1);
  CHECK(s.evictions == 0);
}

TEST_CASE("an access waits for a fetch of others and one of its own, whichever comes first") {
  for (const bool own_first : {false, true}) {
    Slice slice(sectored());
    Access others = make(0, 0x3), both = make(0, 0x6), joined = make(0, 0x2);
    const LlcDecision first = slice.begin(others);
    const LlcDecision second = slice.begin(both);  // sector 1 is in flight
    CHECK(second.outcome == LlcOutcome::miss_new);
    CHECK(second.sectors == 0x4);
    CHECK(second.mshr == first.mshr);
    CHECK(slice.begin(joined).outcome == LlcOutcome::miss_merged);
    LlcFilled filled = slice.core.fill(first.mshr, own_first ? 0x4 : 0x3);
    if (own_first) {
      CHECK(filled.waiters.empty());
      filled = slice.core.fill(first.mshr, 0x3);
      CHECK(filled.waiters.size() == 3);
      CHECK(&filled.waiters.pop() == &others);
      CHECK(&filled.waiters.pop() == &both);
    } else {
      CHECK(filled.waiters.size() == 2);
      CHECK(&filled.waiters.pop() == &others);
      CHECK(&filled.waiters.pop() == &joined);
      filled = slice.core.fill(first.mshr, 0x4);
      CHECK(&filled.waiters.pop() == &both);
    }
    CHECK(slice.core.idle());
    CHECK(slice.core.contains(0, 0x7));
  }
}

// In 32 B sectors of stores, those for which something was fetched or written past the slice apart.
TEST_CASE("write hits are counted as Nsight Compute does: an allocation without a fetch is one") {
  const auto counts = [](const LlcSliceParams& params, std::initializer_list<Access> accesses) {
    Slice slice(params);
    for (Access access : accesses) {
      const LlcDecision decision = slice.begin(access);
      if (decision.outcome == LlcOutcome::miss_new) slice.core.fill(decision.mshr, decision.sectors);
      if (decision.write) slice.core.write_departed();
    }
    return std::pair(slice.core.stats().store_hit_sectors, slice.core.stats().store_sectors);
  };
  using Counts = std::pair<std::uint64_t, std::uint64_t>;
  constexpr auto store = AccessClass::store;
  // FillUnits of 32 B: allocated, there, and one of each.
  CHECK(counts(sectored(), {make(0, 0x3, store), make(0, 0x1, store), make(0, 0x6, store)}) == Counts{5, 5});
  // FillUnits of 64 B: sector 0 is half of one, which is fetched; sectors 2 and 3 are a whole one. Then all
  // is there.
  LlcSliceParams halves = sectored();
  halves.sector = Bytes(64);
  CHECK(counts(halves, {make(0, 0xd, store), make(0, 0xf, store)}) == Counts{2 + 4, 3 + 4});
  // Whole lines: a part of one is fetched for, all of one is not.
  LlcSliceParams lines = sectored();
  lines.sector = Bytes(0);
  CHECK(counts(lines, {make(0, 0x3, store), make(2, 0xf, store), make(0, 0x1, store)}) ==
        Counts{0 + 4 + 1, 7});
  // What passes is a hit where it finds its sector. Loads and atomics do not count.
  LlcSliceParams through = sectored();
  through.write = LlcSliceParams::Write::through;
  CHECK(counts(through, {make(0, 0x1), make(0, 0x3, store), make(0, 0x1, store),
                         make(0, 0x1, AccessClass::atomic)}) == Counts{1 + 1, 3});
}

// The load fetches sector 0; the store brings all of it, and waits only so that the fill comes first.
TEST_CASE("a store that joins a fetch and needs nothing of it is a write hit") {
  Slice slice(sectored());
  Access load = make(0, 0x1), store = make(0, 0x1, AccessClass::store);
  const LlcDecision miss = slice.begin(load);
  CHECK(slice.begin(store).outcome == LlcOutcome::miss_merged);
  slice.core.fill(miss.mshr, 0x1);
  CHECK(slice.core.stats().store_hit_sectors == 1);
  CHECK(slice.core.stats().store_sectors == 1);
}

TEST_CASE("a store of whole sectors needs no fetch, and only what is dirty is written back") {
  Slice slice(sectored());
  slice.bring(0, 0x1);
  Access store = make(0, 0x6, AccessClass::store);
  CHECK(slice.begin(store).outcome == LlcOutcome::done);
  CHECK(slice.core.stats().write_allocations == 1);
  CHECK(slice.core.stats().sector_misses == 1);
  CHECK(slice.core.contains(0, 0x7));
  slice.bring(2, 0x1);
  Access third = make(4, 0x8);  // lines 0, 2 and 4 share a set of two ways
  const LlcDecision miss = slice.begin(third);
  const LlcFilled filled = slice.core.fill(miss.mshr, miss.sectors);
  CHECK(filled.victim.line == 0);
  CHECK(filled.victim.sectors == 0x6);
  CHECK(slice.core.stats().written_sectors == 2);
}

TEST_CASE("a store of half a sector of 64 bytes fetches that sector, and brings the other itself") {
  LlcSliceParams params = sectored();
  params.sector = Bytes(64);
  Slice slice(params);
  Access store = make(0, 0x7, AccessClass::store), load = make(0, 0x2);
  const LlcDecision half =
      slice.begin(store);  // sectors 0 and 1: all of sector 0; sector 2: half of sector 1
  CHECK(half.outcome == LlcOutcome::miss_new);
  CHECK(half.sectors == 0xc);
  CHECK(slice.begin(load).outcome == LlcOutcome::miss_merged);  // waits for what the store brings
  LlcFilled filled = slice.core.fill(half.mshr, 0xc);
  CHECK(filled.waiters.size() == 2);
  CHECK(slice.core.contains(0, 0xf));
  CHECK(slice.core.stats().fetched_sectors == 1);
  MemoryWrite write;
  REQUIRE(slice.core.flush_step(LlcFlush::all, every_application, write));
  CHECK(write.sectors == 0xf);
}

TEST_CASE("allocation on a miss reserves the way: full sets stall, and victims leave at once") {
  Slice slice(sectored(Allocation::on_miss));
  Access dirty = make(0, 0x1, AccessClass::store), a = make(2, 0x1), b = make(4, 0x1), c = make(6, 0x1);
  CHECK(slice.begin(dirty).outcome == LlcOutcome::done);
  const LlcDecision into_empty = slice.begin(a);
  CHECK_FALSE(into_empty.write);
  const LlcDecision evicting = slice.begin(b);
  CHECK(evicting.outcome == LlcOutcome::miss_new);
  CHECK(evicting.write.line == 0);
  CHECK(evicting.write.sectors == 0x1);
  const LlcDecision full = slice.begin(c);  // both ways of the set are reserved
  CHECK(full.outcome == LlcOutcome::stall);
  CHECK(full.stall == LlcStall::set_full);
  Access whole = make(6, 0x1, AccessClass::store);
  CHECK(slice.begin(whole).stall == LlcStall::set_full);
  CHECK_FALSE(slice.core.fill(into_empty.mshr, 0x1).victim);
  CHECK(slice.begin(c).outcome == LlcOutcome::miss_new);
  CHECK(slice.core.stats().evictions == 2);
  CHECK(slice.core.stats().dirty_evictions == 1);
}

TEST_CASE("allocation on a miss pins a present line while more of it is in flight") {
  Slice slice(sectored(Allocation::on_miss));
  slice.bring(0, 0x1);
  slice.bring(2, 0x1);
  Access more = make(0, 0x2), touch = make(2, 0x1), other = make(4, 0x1);
  const LlcDecision under_way = slice.begin(more);
  CHECK(slice.begin(touch).outcome == LlcOutcome::hit);  // line 0 is the older one, but reserved
  slice.begin(other);
  CHECK(slice.core.contains(0, 0x1));
  CHECK_FALSE(slice.core.contains(2 * 128, 0x1));
  slice.core.fill(under_way.mshr, 0x2);
  CHECK(slice.core.contains(0, 0x3));
}

TEST_CASE("what has gone before the rest of its line comes is fetched again") {
  Slice slice(sectored());
  slice.bring(0, 0x1);
  Access more = make(0, 0x3);
  const LlcDecision under_way = slice.begin(more);
  CHECK(under_way.sectors == 0x2);
  slice.bring(2, 0x1);
  slice.bring(4, 0x1);  // line 0 is evicted
  CHECK_FALSE(slice.core.contains(0, 0x1));
  Access again = make(0, 0x1);
  const LlcDecision anew = slice.begin(again);
  CHECK(anew.outcome == LlcOutcome::miss_new);
  CHECK(anew.sectors == 0x1);
  CHECK(anew.mshr == under_way.mshr);
  LlcFilled filled = slice.core.fill(under_way.mshr, 0x2);
  CHECK(&filled.waiters.pop() == &more);  // it had sector 0 when it came
  filled = slice.core.fill(anew.mshr, 0x1);
  CHECK(&filled.waiters.pop() == &again);
  CHECK(slice.core.contains(0, 0x3));
}

TEST_CASE("requests of 32 bytes find their place in a line") {
  Slice slice(sectored());
  Access third = make(0, 0x1);
  third.line += 64;
  const LlcDecision miss = slice.begin(third);
  CHECK(miss.sectors == 0x4);
  slice.core.fill(miss.mshr, miss.sectors);
  Access whole_line = make(0, 0xf), again = third;
  CHECK(slice.begin(again).outcome == LlcOutcome::hit);
  CHECK(slice.begin(whole_line).sectors == 0xb);
}

TEST_CASE("sectors that a line cannot have are named") {
  LlcSliceParams params = sectored();
  params.sector = Bytes(256);
  CHECK_THROWS_WITH(require_valid(params, "llc"),
                    "llc.sector: is 256 B, more than a line; allowed: 0 (the whole line), or 32 B to "
                    "llc.line = 128 B");
  params.sector = Bytes(48);
  CHECK_THROWS_WITH(require_valid(params, "llc"),
                    "llc.sector: is 48; allowed: 0, or 32 to 256, a power of two");
}

TEST_CASE("where sectors have MSHRs of their own, each has as many merges") {
  LlcSliceParams params = sectored();
  params.merges = 2;
  params.mshr_sectors = 16;
  Slice slice(params);
  Access both = make(0, 0x3), second = make(0, 0x2), third = make(0, 0x6), other = make(0, 0x1),
         fresh = make(0, 0x4);
  const LlcDecision first = slice.begin(both);
  CHECK(first.outcome == LlcOutcome::miss_new);
  CHECK(slice.begin(second).outcome == LlcOutcome::miss_merged);
  CHECK(slice.begin(third).stall == LlcStall::merge_limit);  // two wait for sector 1
  CHECK(slice.begin(other).outcome == LlcOutcome::miss_merged);
  CHECK(slice.begin(fresh).outcome == LlcOutcome::miss_new);
  slice.core.fill(first.mshr, 0x2);
  CHECK(slice.begin(third).outcome == LlcOutcome::miss_merged);  // for sector 2 alone
}

TEST_CASE("MSHRs of single sectors bound what a slice fetches") {
  LlcSliceParams params = sectored();
  params.mshr_sectors = 5;
  Slice slice(params);
  Access four = make(0, 0xf), two = make(1, 0x3), one = make(1, 0x1),
         store = make(2, 0x3, AccessClass::store);
  const LlcDecision first = slice.begin(four);
  CHECK(first.outcome == LlcOutcome::miss_new);
  CHECK(slice.begin(two).stall == LlcStall::mshr_full);
  CHECK(slice.begin(one).outcome == LlcOutcome::miss_new);
  CHECK(slice.begin(store).outcome == LlcOutcome::done);  // needs no fetch
  slice.core.fill(first.mshr, first.sectors);
  CHECK(slice.begin(two).sectors == 0x2);
  CHECK(slice.core.stats().asked_sectors == 4 + 1 + 2 + 2);
  CHECK(slice.core.stats().missed_sectors == 4 + 1 + 2 + 1);
}

TEST_CASE("lines that a copy leaves are here, clean, where nothing dirty or reserved is in the way") {
  Slice slice(sectored());  // two sets of two ways, plain: even lines in set 0
  slice.core.warm(0);
  Access load = make(0, 0xf);
  CHECK(slice.begin(load).outcome == LlcOutcome::hit);
  CHECK(slice.core.stats().misses == 0);
  CHECK_FALSE(slice.core.dirty(0));
  Access stores[2] = {make(2, 0xf, AccessClass::store), make(4, 0xf, AccessClass::store)};
  for (Access& store : stores) slice.begin(store);  // both ways of set 0 are dirty, line 0 has gone
  CHECK_FALSE(slice.core.contains(0));
  slice.core.warm(0);
  CHECK_FALSE(slice.core.contains(0));
  CHECK(slice.core.contains(2 * 128));
  slice.core.warm(2 * 128);  // it is here
  CHECK(slice.core.dirty(2 * 128));
  CHECK(slice.core.stats().evictions == 1);
}
