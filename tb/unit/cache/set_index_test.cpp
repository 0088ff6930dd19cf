#include "models/cache/set_index.h"

#include <algorithm>
#include <set>
#include <vector>

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("every set index fills all sets evenly with consecutive lines") {
  for (const auto kind : {SetIndex::Kind::plain, SetIndex::Kind::hashed})
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

TEST_CASE("a hashed index spreads the stride that camps on one set of a plain one") {
  std::set<std::uint32_t> plain, hashed;
  for (std::uint64_t i = 0; i < 64; ++i) {
    plain.insert(SetIndex(64, SetIndex::Kind::plain)(i * 64));
    hashed.insert(SetIndex(64, SetIndex::Kind::hashed)(i * 64));
  }
  CHECK(plain.size() == 1);
  CHECK(hashed.size() == 64);
}
