// Lines of 128 B in four sectors; sectors and sectors are the same.
#include "models/l1/l1_sectored.h"

#include "models/common/faults.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

/// One set of two ways.
L1SectoredParams tiny(Allocation allocation = Allocation::on_fill) {
  L1SectoredParams params;
  params.ways = 2;
  params.size = Bytes(2 * 128);
  params.allocation = allocation;
  params.mshrs = 4;
  params.merges = 3;
  return params;
}

Access make(std::uint64_t line, std::uint8_t sectors, AccessClass access_class = AccessClass::load) {
  Access access;
  access.line = line * 128;
  access.sectors = sectors;
  access.access_class = access_class;
  return access;
}

void bring(L1Sectored& l1, std::uint64_t line, std::uint8_t sectors) {
  Access load = make(line, sectors);
  const L1Decision decision = l1.lookup(load, 0, true);
  if (decision.outcome == L1Outcome::miss_new) l1.fill(decision.fetch);
}

}  // namespace

TEST_CASE("an L1 miss fetches the sectors that are neither here nor in flight") {
  L1Sectored l1(tiny());
  bring(l1, 0, 0x1);
  Access a = make(0, 0x3), b = make(0, 0x6), c = make(0, 0x4);
  const L1Decision first = l1.lookup(a, 0, true);
  CHECK(first.sectors == 0x2);
  const L1Decision second = l1.lookup(b, 0, true);
  CHECK(second.outcome == L1Outcome::miss_new);
  CHECK(second.sectors == 0x4);
  CHECK(second.fetch != first.fetch);
  CHECK(l1.fetching() == 2);
  CHECK(l1.lookup(c, 0, true).outcome == L1Outcome::miss_merged);
  AccessFifo served = l1.fill(second.fetch);
  CHECK(served.size() == 1);
  CHECK(&served.front() == &c);  // b waits for sector 1 too
  served = l1.fill(first.fetch);
  CHECK(served.size() == 2);
  CHECK(&served.front() == &a);
  CHECK(l1.contains(0, 0x7));
  CHECK_FALSE(l1.contains(0, 0xf));
  CHECK(l1.stats().sector_misses == 2);
  CHECK(l1.stats().fetched_sectors == 3);
}

TEST_CASE("a store drops its sectors and makes only those in flight stale") {
  L1Sectored l1(tiny());
  bring(l1, 0, 0x3);
  Access load = make(0, 0xc), store = make(0, 0x5, AccessClass::store), past = make(0, 0x4),
         other = make(0, 0x8);
  const L1Decision fetch = l1.lookup(load, 0, true);
  CHECK(l1.lookup(store, 0, true).outcome == L1Outcome::forward);
  CHECK_FALSE(l1.contains(0, 0x1));
  CHECK(l1.contains(0, 0x2));
  CHECK(l1.lookup(past, 0, true).outcome == L1Outcome::forward);  // sector 2 may be older than the store
  CHECK(l1.stats().ordering_bypasses == 1);
  CHECK(l1.lookup(other, 0, true).outcome == L1Outcome::miss_merged);
  CHECK(l1.fill(fetch.fetch).size() == 2);
  CHECK_FALSE(l1.contains(0, 0x4));
  CHECK(l1.contains(0, 0xa));
  CHECK(l1.stats().dropped_fills == 0);  // sector 3 is kept
}

TEST_CASE("an L1 that allocates on misses stalls where all ways of a set are reserved") {
  L1Sectored l1(tiny(Allocation::on_miss));
  bring(l1, 0, 0x1);
  Access a = make(1, 0x1), b = make(2, 0x1), c = make(3, 0x1);
  const L1Decision first = l1.lookup(a, 0, true);
  CHECK(l1.lookup(b, 0, true).outcome == L1Outcome::miss_new);
  CHECK_FALSE(l1.contains(0, 0x1));  // it was evicted at once
  CHECK(l1.stats().evictions == 1);
  const L1Decision full = l1.lookup(c, 0, true);
  CHECK(full.outcome == L1Outcome::stall);
  CHECK(full.stall == L1Stall::set_full);
  l1.fill(first.fetch);
  CHECK(l1.lookup(c, 0, true).outcome == L1Outcome::miss_new);
}

TEST_CASE("a reserved way whose fetch was overtaken is empty afterwards") {
  L1Sectored l1(tiny(Allocation::on_miss));
  Access load = make(0, 0x1), store = make(0, 0x1, AccessClass::store);
  const L1Decision fetch = l1.lookup(load, 0, true);
  l1.lookup(store, 0, true);
  CHECK(l1.fill(fetch.fetch).size() == 1);
  CHECK(l1.stats().dropped_fills == 1);
  CHECK(l1.valid_lines() == 0);
  bring(l1, 1, 0x1);
  bring(l1, 2, 0x1);
  CHECK(l1.stats().evictions == 0);
}

TEST_CASE("LAMAR stores a valid bit for each sector") {
  L1SectoredParams params;
  params.size = Bytes(16 * KiB);
  params.ways = 4;
  const auto valid_bits = [&] {
    std::uint64_t bits = 0;
    for (const StorageField& field : L1Sectored::storage(params))
      if (field.name == "valid sectors") bits = field.entries * field.bits;
    return bits;
  };
  CHECK(valid_bits() == 128 * 4);  // 128 lines of four sectors
  params.line_valid = true;
  CHECK(valid_bits() == 128 * (1 + 4));  // 0.0625 KB beyond whole lines, as ICS 2016 counts (Table 3)
  params.sector = Bytes(128);
  CHECK(valid_bits() == 128);
  params.sector = Bytes(256);
  CHECK_THROWS_WITH(require_valid(params, "l1"),
                    "l1.sector: is 256 B, more than a line; allowed: 0 (the whole line), or 32 B to "
                    "l1.line = 128 B");
}

TEST_CASE("where sectors have MSHRs of their own, each has as many merges") {
  L1SectoredParams params = tiny();
  params.merges = 2;
  params.mshr_sectors = 16;
  L1Sectored l1(params);
  Access both = make(0, 0x3), second = make(0, 0x2), third = make(0, 0x6), other = make(0, 0x1),
         fresh = make(0, 0x4);
  CHECK(l1.lookup(both, 0, true).outcome == L1Outcome::miss_new);
  CHECK(l1.lookup(second, 0, true).outcome == L1Outcome::miss_merged);
  CHECK(l1.lookup(third, 0, true).stall == L1Stall::merge_limit);  // two wait for sector 1
  CHECK(l1.lookup(other, 0, true).outcome == L1Outcome::miss_merged);
  CHECK(l1.lookup(fresh, 0, true).outcome == L1Outcome::miss_new);
}

TEST_CASE("MSHRs of single sectors bound the sectors in flight") {
  L1SectoredParams params = tiny();
  params.mshr_sectors = 5;
  L1Sectored l1(params);
  Access four = make(0, 0xf), two = make(1, 0x3), one = make(1, 0x1), merged = make(0, 0x8);
  const L1Decision first = l1.lookup(four, 0, true);
  CHECK(first.outcome == L1Outcome::miss_new);
  CHECK(l1.lookup(two, 0, true).stall == L1Stall::mshr_full);  // 4 + 2 > 5
  CHECK(l1.lookup(one, 0, true).outcome == L1Outcome::miss_new);
  CHECK(l1.lookup(two, 0, true).stall == L1Stall::mshr_full);  // sector 1 would be the sixth
  CHECK(l1.lookup(merged, 0, true).outcome == L1Outcome::miss_merged);
  l1.fill(first.fetch);
  CHECK(l1.lookup(two, 0, true).outcome == L1Outcome::miss_new);
  CHECK(l1.stats().asked_sectors == 4 + 1 + 1 + 2);
  CHECK(l1.stats().missed_sectors == 4 + 1 + 1);
  Access store = make(2, 0x3, AccessClass::store), known = make(0, 0x3, AccessClass::store);
  l1.lookup(store, 0, true);
  l1.lookup(known, 0, true);
  CHECK(l1.stats().asked_sectors == 8 + 4);
  CHECK(l1.stats().missed_sectors == 6 + 2);
  params.mshr_sectors = 3;
  CHECK_THROWS_WITH(require_valid(params, "l1"),
                    "l1.mshr_sectors: is 3, less than the 4 of a line; allowed: 0 (no limit), or 4 to 32768");
}
