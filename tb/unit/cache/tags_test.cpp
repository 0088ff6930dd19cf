#include <algorithm>
#include <cstring>
#include <list>
#include <random>
#include <set>
#include <vector>

#include "models/cache/set_index.h"
#include "models/cache/tag_array.h"
#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("a line stays in its way, and the one used longest ago is evicted") {
  TagArray tags(1, 3);
  for (const std::uint64_t number : {10, 11, 12})
    CHECK_FALSE(tags.insert(0, TagEntry(number, 0, false)).valid());
  const int way10 = tags.find(0, 10), way11 = tags.find(0, 11), way12 = tags.find(0, 12);
  CHECK(tags.victim(0) == way10);  // in order of use: 12 11 10
  tags.hit(0, way10);              // 10 12 11
  CHECK(tags.find(0, 10) == way10);
  CHECK(tags.find(0, 12) == way12);
  CHECK(tags.victim(0) == way11);
  CHECK(tags.victim(0, only_way(way10) | only_way(way12)) == way12);  // the others are reserved
  CHECK(tags.last_victim(0, only_way(way11) | only_way(way12)) == way12);
  CHECK(tags.insert(0, TagEntry(13, 0, true)).number() == 11);  // 13 10 12
  CHECK(tags.find(0, 13) == way11);
  tags.invalidate(0, way10);  // 13 12 -
  CHECK(tags.find(0, 10) == TagArray::absent);
  CHECK(tags.find(0, 12) == way12);
  CHECK(tags.victim(0) == way10);
  CHECK(tags.valid_lines() == 2);
  CHECK(tags.count([](const TagEntry& entry) { return entry.dirty(); }) == 1);
  CHECK(tags.drop([](const TagEntry& entry) { return entry.number() == 12; }) == 1);
  CHECK(tags.find(0, 12) == TagArray::absent);
  tags.invalidate_all();
  CHECK(tags.find(0, 13) == TagArray::absent);
  CHECK(tags.valid_lines() == 0);
}

TEST_CASE("the order of use that lies beside few tags is never taken for one of them") {
  for (int ways = 1; ways <= 8; ++ways) {
    TagArray tags(2, ways);
    for (std::uint64_t step = 0; step < 40; ++step) {
      for (std::uint32_t set = 0; set < 2; ++set) {
        tags.insert(set, TagEntry(1000 + step, 0, false));
        if (step >= 8 && step % 3 == 0) tags.hit(set, tags.victim(set));
        std::uint64_t order;  // as a tag: the number lies above 16 bits
        std::memcpy(&order, tags.order(set), sizeof order);
        INFO(ways << " ways, step " << step);
        CHECK(tags.find(set, order >> 16) == TagArray::absent);
        CHECK(tags.find(set, TagEntry(order >> 16, 0, false)) == TagArray::absent);
      }
      CHECK(tags.valid_lines() == 2 * std::min(step + 1, static_cast<std::uint64_t>(ways)));
    }
    tags.invalidate_all();
    CHECK(tags.valid_lines() == 0);
  }
}

TEST_CASE("an entry keeps number, owner and dirtiness apart") {
  TagEntry entry((std::uint64_t{1} << 47) - 5, 200, false);
  entry.set_dirty(true);
  CHECK(entry.owner() == 200);
  entry.set_owner(7);
  CHECK(entry.dirty());
  CHECK(entry.is((std::uint64_t{1} << 47) - 5));
  entry.set_dirty(false);
  CHECK(entry == TagEntry((std::uint64_t{1} << 47) - 5, 7, false));
  CHECK_FALSE(TagEntry{}.valid());
  CHECK_FALSE(TagEntry{}.dirty());
}

TEST_CASE("tags agree with a plain LRU model and hold no line twice") {
  constexpr std::uint64_t seed = 5;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  struct Line {
    std::uint64_t number;
    bool dirty;
    int way;
  };
  for (const int ways : {1, 2, 3, 4, 6, 7, 8, 9, 15, 16, 17, 48, 63, 64}) {
    CAPTURE(ways);
    constexpr std::uint32_t sets = 5;
    TagArray tags(sets, ways);
    std::vector<std::list<Line>> model(sets);  // front = most recently used
    for (int step = 0; step < 10000; ++step) {
      const std::uint64_t number = random() % (sets * static_cast<unsigned>(ways) * 2);
      const auto set = static_cast<std::uint32_t>(number % sets);
      auto& lru = model[set];
      const auto known =
          std::find_if(lru.begin(), lru.end(), [&](const Line& e) { return e.number == number; });
      const int way = tags.find(set, number);
      REQUIRE(way == (known == lru.end() ? TagArray::absent : known->way));
      if (static_cast<int>(lru.size()) == ways) REQUIRE(tags.victim(set) == lru.back().way);
      const bool dirty = random() % 3 == 0;
      if (known != lru.end() && random() % 8 == 0) {
        tags.invalidate(set, way);
        lru.erase(known);
      } else if (known != lru.end()) {
        TagEntry& entry = tags.hit(set, way);
        REQUIRE(entry.dirty() == known->dirty);
        entry.set_dirty(entry.dirty() || dirty);
        lru.push_front({number, known->dirty || dirty, way});
        lru.erase(known);
      } else {
        const TagEntry evicted = tags.insert(set, TagEntry(number, 0, dirty));
        REQUIRE(evicted.valid() == (static_cast<int>(lru.size()) == ways));
        if (evicted.valid()) {
          REQUIRE(evicted == TagEntry(lru.back().number, 0, lru.back().dirty));
          REQUIRE(tags.find(set, number) == lru.back().way);
          lru.pop_back();
        }
        lru.push_front({number, dirty, tags.find(set, number)});
      }
      if (lru.empty()) continue;
      const WayMask some = random();  // of the lines in these ways the first and the last of the order
      WayMask among = 0;
      const Line* newest = nullptr;
      const Line* oldest = nullptr;
      for (const Line& line : lru) {
        if ((some & only_way(line.way)) == 0) continue;
        among |= only_way(line.way);
        if (newest == nullptr) newest = &line;
        oldest = &line;
      }
      if (among == 0) continue;
      REQUIRE(tags.victim(set, among) == oldest->way);
      REQUIRE(tags.last_victim(set, among) == newest->way);
    }
    for (std::uint32_t set = 0; set < sets; ++set) {
      std::set<std::uint64_t> lines;
      for (int way = 0; way < ways; ++way)
        if (tags.entry(set, way).valid()) lines.insert(tags.entry(set, way).number());
      CHECK(lines.size() == model[set].size());
    }
  }
}

TEST_CASE("every set index fills all sets evenly with consecutive lines") {
  for (const auto kind : {SetIndex::Kind::plain, SetIndex::Kind::hashed, SetIndex::Kind::polynomial})
    for (const std::uint64_t sets : {1, 2, 3, 48, 64, 100, 1024}) {
      CAPTURE(sets, static_cast<int>(kind));
      const SetIndex index(sets, kind);
      std::vector<int> lines(sets);
      const std::uint64_t block = sets * 1024;  // whole turns of the modulo and of the fold
      for (std::uint64_t number = 0; number < block; ++number) ++lines.at(index(block * 5 + number));
      CHECK(*std::min_element(lines.begin(), lines.end()) == 1024);
      CHECK(*std::max_element(lines.begin(), lines.end()) == 1024);
    }
  // Plain: line 1000 of 48 sets is in set 1000 - 20 * 48 = 40.
  CHECK(SetIndex(48, SetIndex::Kind::plain)(1000) == 40);
  // Hashed, 64 sets: 0x1043 -> low bits 3, next 1, next 1: 3 ^ 1 ^ 1 = 3; 0x43 -> 3 ^ 1 = 2.
  CHECK(SetIndex(64, SetIndex::Kind::hashed)(0x1043) == 3);
  CHECK(SetIndex(64, SetIndex::Kind::hashed)(0x43) == 2);
}

TEST_CASE("a home of several counts its own lines") {
  // 40 homes: line 12345 is number 308 of home 25, in set 308 - 4 * 64 = 52.
  CHECK(SetIndex(64, SetIndex::Kind::plain, {40, 1})(12345) == 52);
  // 4 homes of 8 adjacent lines: line 1000 is the first of turn 125, the 31st of home 1: number 248, set 248
  // - 3
  // * 64.
  CHECK(SetIndex(64, SetIndex::Kind::plain, {4, 8})(1000) == 56);
  CHECK(SetIndex(64, SetIndex::Kind::plain, {4, 8})(1003) == 59);
  CHECK(SetIndex(1, SetIndex::Kind::plain, {40, 1})(12345) == 0);

  for (const HomeInterleave shared :
       {HomeInterleave{1, 1}, HomeInterleave{2, 1}, HomeInterleave{40, 1}, HomeInterleave{4, 8},
        HomeInterleave{6, 8}, HomeInterleave{3, 256}, HomeInterleave{4, 6}})
    for (const auto kind :
         {SetIndex::Kind::plain, SetIndex::Kind::hashed, SetIndex::Kind::polynomial, SetIndex::Kind::fermi})
      for (const std::uint64_t sets : {48, 64}) {
        if (!SetIndex::allows(sets, kind)) continue;
        CAPTURE(shared.homes, shared.run, sets, static_cast<int>(kind));
        const SetIndex index(sets, kind, shared), of_own(sets, kind);
        const auto homes = static_cast<std::uint64_t>(shared.homes),
                   run = static_cast<std::uint64_t>(shared.run);
        std::vector<std::uint64_t> own(homes);
        std::uint64_t wrong = 0;
        for (std::uint64_t line = 0; line < 50'000; ++line)
          wrong += index(line) != of_own(own[line / run % homes]++) ? 1U : 0U;
        CHECK(wrong == 0);
      }
}

// What homes are for: 64 sets, lines of one of 40 homes. Their numbers are multiples of 8 modulo 64.
TEST_CASE("without its homes a plain index leaves sets of a node empty") {
  std::set<std::uint32_t> blind, counted;
  for (std::uint64_t line = 7; line < 64 * 40; line += 40) {
    blind.insert(SetIndex(64, SetIndex::Kind::plain)(line));
    counted.insert(SetIndex(64, SetIndex::Kind::plain, {40, 1})(line));
  }
  CHECK(blind.size() == 8);
  CHECK(counted.size() == 64);
}

TEST_CASE("a hashed index spreads the stride that camps on one set of a plain one") {
  std::set<std::uint32_t> plain, hashed;
  for (std::uint64_t i = 0; i < 64; ++i) {
    plain.insert(SetIndex(64, SetIndex::Kind::plain)(i * 64));
    hashed.insert(SetIndex(64, SetIndex::Kind::hashed)(i * 64));
  }
  CHECK(plain.size() == 1);
  CHECK(hashed.size() == 64);
}

TEST_CASE("a polynomial index is the remainder of the line's number") {
  // 32 sets, x^5 + x^2 + 1: x^5 = x^2 + 1 = 5, x^6 = x^3 + x = 10, x^8 = x^3 + x^2 + 1 = 13.
  const SetIndex index(32, SetIndex::Kind::polynomial);
  CHECK(index(31) == 31);
  CHECK(index(32) == 5);
  CHECK(index(33) == 4);
  CHECK(index(64 + 32) == (10 ^ 5));
  CHECK(index(256 + 7) == (13 ^ 7));
  CHECK(SetIndex(1, SetIndex::Kind::polynomial)(12345) == 0);
  // Any power of two as a stride visits every set once in 32 lines, where folding five bits camps on one:
  // 33 times a multiple of 32.
  for (int shift = 0; shift < 30; ++shift) {
    std::set<std::uint32_t> sets;
    for (std::uint64_t i = 0; i < 32; ++i) sets.insert(index(i << shift));
    CHECK(sets.size() == 32);
  }
  std::set<std::uint32_t> folded, divided;
  for (std::uint64_t i = 0; i < 32; ++i) {
    folded.insert(SetIndex(32, SetIndex::Kind::hashed)(i * 33));
    divided.insert(index(i * 33));
  }
  CHECK(folded.size() == 1);
  CHECK(divided.size() == 32);
}

TEST_CASE("the hash of Fermi's L1 changes five bits of the set by five of the address") {
  const SetIndex small(32, SetIndex::Kind::fermi), large(64, SetIndex::Kind::fermi);
  // Addresses of lines of 128 B: bits 7 to 11 are the set; 13, 14, 15, 17 and 19 flip its bits 0 to 4.
  const auto line = [](std::uint64_t address) { return address >> 7; };
  CHECK(small(line(0xf80)) == 31);
  CHECK(small(line(1 << 12)) == 0);
  CHECK(large(line(1 << 12)) == 32);
  CHECK(small(line(1 << 13)) == 1);
  CHECK(small(line(1 << 14)) == 2);
  CHECK(small(line(1 << 15)) == 4);
  CHECK(small(line(1 << 16)) == 0);
  CHECK(small(line(1 << 17)) == 8);
  CHECK(small(line(1 << 18)) == 0);
  CHECK(small(line(1 << 19)) == 16);
  CHECK(small(line(std::uint64_t{0xfff} << 20)) == 0);
  // 0xabcde80: bits 7 to 11 are 11101b = 29; bits 19, 17, 15, 14 and 13 are 1, 0, 1, 1 and 0: 10110b = 22. 29
  // ^ 22 = 11, and bit 12 is 1.
  CHECK(small(line(0xabcde80)) == 11);
  CHECK(large(line(0xabcde80)) == 32 + 11);
  // A column of 32 rows of 8 KiB: bits 13 to 17 count them, and all but bit 16 reach the set.
  std::set<std::uint32_t> plain, fermi;
  for (std::uint64_t row = 0; row < 32; ++row) {
    plain.insert(SetIndex(32, SetIndex::Kind::plain)(line(row << 13)));
    fermi.insert(small(line(row << 13)));
  }
  CHECK(plain.size() == 1);
  CHECK(fermi.size() == 16);
  for (const std::uint64_t sets : {32, 64}) {
    const SetIndex index(sets, SetIndex::Kind::fermi);
    std::vector<int> lines(sets);
    for (std::uint64_t number = 0; number < sets * 1024; ++number) ++lines.at(index(number));
    CHECK(*std::min_element(lines.begin(), lines.end()) == 1024);
    CHECK(*std::max_element(lines.begin(), lines.end()) == 1024);
  }
  CHECK_FALSE(SetIndex::allows(128, SetIndex::Kind::fermi));
  CHECK(SetIndex::allows(128, SetIndex::Kind::hashed));
}
