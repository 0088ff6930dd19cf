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
    for (const auto kind : {SetIndex::Kind::plain, SetIndex::Kind::hashed, SetIndex::Kind::polynomial})
      for (const std::uint64_t sets : {48, 64}) {
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
