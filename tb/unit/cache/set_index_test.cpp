#include "models/cache/set_index.h"

#include <algorithm>
#include <set>
#include <vector>

#include "tb/support/catch.h"

using namespace strata;

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
  // 4 homes of 8 neighbours: line 1000 is the first of turn 125, the 31st of home 1: number 248, set 248 - 3
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
