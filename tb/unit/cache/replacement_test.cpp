#include "models/cache/replacement.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>

#include "models/cache/tag_array.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

int row_of(std::string_view name) {
  const int row = replacement_policies().find(name);
  REQUIRE(row >= 0);
  return row;
}

/// A set of four ways; lines are named by letters, and go where the policy says.
struct Set {
  TagArray tags;
  explicit Set(std::string_view policy, std::uint64_t seed = 1) : tags(1, 4, row_of(policy), seed) {}
  void touch(std::string_view lines) {
    for (const char line : lines) {
      const auto number = static_cast<std::uint64_t>(line);
      const int way = tags.find(0, number);
      if (way == TagArray::absent)
        tags.insert(0, TagEntry(number, 0, false));
      else
        tags.hit(0, way);
    }
  }
  char next() const { return static_cast<char>(tags.entry(0, tags.victim(0)).number()); }
  WayMask ways(std::string_view lines) const {
    WayMask mask = 0;
    for (const char line : lines) mask |= only_way(tags.find(0, static_cast<std::uint64_t>(line)));
    return mask;
  }
  char next_of(std::string_view lines) const {
    return static_cast<char>(tags.entry(0, tags.victim(0, ways(lines))).number());
  }
  void drop(char line) { tags.invalidate(0, tags.find(0, static_cast<std::uint64_t>(line))); }
  bool full() const { return tags.valid_lines() == 4; }
};

}  // namespace

TEST_CASE("the table of policies begins with LRU and names each once") {
  const auto& rows = replacement_policies();
  CHECK(rows.at(0).name == "lru");
  for (const auto& row : rows) {
    CHECK(std::count_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == row.name; }) == 1);
    CHECK_FALSE(row.sentence.empty());
  }
}

TEST_CASE("lru: the line used longest ago is evicted") {
  Set set("lru");
  set.touch("abcd");
  CHECK(set.next() == 'a');
  set.touch("ab");  // b a d c
  CHECK(set.next() == 'c');
  set.touch("e");  // e b a d
  CHECK(set.next() == 'd');
  CHECK(set.next_of("eba") == 'a');  // d is reserved
  set.drop('b');
  set.touch("fg");  // the empty way, then d: g f e a
  CHECK(set.next() == 'a');
}

// Way:             0 1 2 3; a bit set means used.
TEST_CASE("nru: the first line not used since all others were") {
  Set set("nru");
  set.touch("abcd");
  // LRU order fills way 3 first: d c b a lie in ways 0 to 3 and all are used; the first candidate goes.
  CHECK(set.next() == 'd');
  CHECK(set.next_of("ba") == 'b');
  set.touch("e");  // e takes way 0, the other bits fall: 1 0 0 0
  CHECK(set.next() == 'c');
  set.touch("c");  // 1 1 0 0
  CHECK(set.next() == 'b');
  set.touch("a");  // 1 1 0 1
  CHECK(set.next() == 'b');
  CHECK(set.next_of("ea") == 'e');  // none of them is unused
  set.drop('e');
  set.touch("f");  // the empty way 0, whose bit had fallen: 1 1 0 1
  CHECK(set.next() == 'b');
  set.touch("b");  // 1 1 1 1
  CHECK(set.next() == 'f');
}

TEST_CASE("nru_random: any of those not used since all others were") {
  std::string seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Set set("nru_random", seed);
    set.touch("abcd");  // a is alone when it comes: its bit falls at once
    CHECK(set.next() == 'a');
    set.touch("abc");  // all have theirs now, and all fall; b and c set theirs again
    const char next = set.next();
    CHECK((next == 'a' || next == 'd'));
    if (seen.find(next) == std::string::npos) seen += next;
    const char other = set.next_of("bc");  // without a candidate that is not used: any
    CHECK((other == 'b' || other == 'c'));
  }
  CHECK(seen.size() == 2);
}

// Intervals by way.
TEST_CASE("srrip: the first line least expected back") {
  Set set("srrip");
  set.touch("abcd");         // d c b a: 2 2 2 2
  CHECK(set.next() == 'd');  // all would age by one: the first
  set.touch("cb");           // 2 0 0 2
  CHECK(set.next() == 'd');
  CHECK(set.next_of("cba") == 'a');
  set.touch("e");  // all age to 3 1 1 3, and e comes at 2: 2 1 1 3
  CHECK(set.next() == 'a');
  set.touch("f");  // no line ages: 2 1 1 2
  CHECK(set.next() == 'e');
  set.touch("ef");  // 0 1 1 0
  CHECK(set.next() == 'c');
  set.touch("g");  // by two: 2 3 3 2, g at 2: 2 2 3 2
  CHECK(set.next() == 'b');
  set.drop('g');
  set.touch("h");  // an empty way ages no line: 2 2 3 2
  CHECK(set.next() == 'b');
}

// Ways of a policy alone. One access fills several, and has found others: each expected answer is worked out
// from bits or intervals by way, as they are after it.
namespace {

constexpr WayMask all_of(std::initializer_list<int> ways) {
  WayMask mask = 0;
  for (const int way : ways) mask |= only_way(way);
  return mask;
}

std::unique_ptr<Replacement> policy_of(std::string_view name, int ways, std::uint64_t seed = 1) {
  return replacement_policies().at(row_of(name)).make({1, ways, seed});
}

}  // namespace

TEST_CASE("nru: bits fall once for an access, and not those of what it uses") {
  const auto nru = policy_of("nru", 4);
  nru->fills(0, all_of({0, 1, 2, 3}), 0, {});  // 1 1 1 1
  nru->fills(0, all_of({3}), 0, {});           // 0 0 0 1
  nru->hit(0, 1, {});                          // 0 1 0 1
  // Room for three: 0, 2, and then the first that is left, 1, since none without the bit is.
  CHECK(nru->victim(0, all_of({0, 1, 2, 3})) == 0);
  CHECK(nru->victim(0, all_of({1, 2, 3})) == 2);
  CHECK(nru->victim(0, all_of({1, 3})) == 1);
  nru->fills(0, all_of({0, 1, 2}), 0, {});  // all fall but those of the access: 1 1 1 0
  CHECK(nru->victim(0, all_of({0, 1, 2, 3})) == 3);
  nru->hit(0, 3, {});  // 1 1 1 1
  // 2 and 3 are read by the access that fills 0: 1 0 1 1.
  nru->fills(0, all_of({0}), all_of({2, 3}), {});
  CHECK(nru->victim(0, all_of({0, 1, 2, 3})) == 1);
}

TEST_CASE(
    "nru_random: an access that fills all of a set leaves no bit, one that fills a part leaves its own") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto nru = policy_of("nru_random", 4, seed);
    nru->fills(0, all_of({0, 1}), 0, {});  // all ways with lines have the bit: both fall: 0 0 - -
    nru->fills(0, all_of({2, 3}), 0, {});  // 0 0 1 1
    const int first = nru->victim(0, all_of({0, 1, 2, 3}));
    CHECK((first == 0 || first == 1));
    nru->hit(0, 0, {});  // 1 0 1 1
    CHECK(nru->victim(0, all_of({0, 1, 2, 3})) == 1);
    // The access that fills 1 reads 0: all have the bit after it, and all fall, also that of 1.
    nru->fills(0, all_of({1}), all_of({0}), {});
    nru->hits(0, all_of({0, 2, 3}), {});  // 1 0 1 1
    CHECK(nru->victim(0, all_of({0, 1, 2, 3})) == 1);
  }
}

TEST_CASE("srrip: a set ages once for an access, and not what it uses") {
  const auto srrip = policy_of("srrip", 4);
  srrip->fills(0, all_of({0, 1, 2, 3}), 0, {});  // empty ways age no line: 2 2 2 2
  srrip->hit(0, 3, {});                          // 2 2 2 0
  // Room for 0 and 1: 3 is not yet at 3 when both are; all age by one, the new ones are at 2.
  srrip->fills(0, all_of({0, 1}), 0, {});  // 2 2 3 1
  CHECK(srrip->victim(0, all_of({0, 1, 2, 3})) == 2);
  CHECK(srrip->victim(0, all_of({0, 1, 3})) == 0);
  srrip->hits(0, all_of({0, 1}), {});             // 0 0 3 1
  srrip->fills(0, all_of({2}), all_of({3}), {});  // no line ages, 3 is hit: 0 0 2 0
  // Room for 2 and then, of 0 0 0, for the first: all age by three.
  srrip->fills(0, all_of({0, 2}), all_of({3}), {});  // 2 3 2 0
  CHECK(srrip->victim(0, all_of({0, 1, 2, 3})) == 1);
  CHECK(srrip->victim(0, all_of({0, 2, 3})) == 0);
  srrip->hit(0, 1, {});                          // 2 0 2 0
  CHECK(srrip->victim(0, all_of({1, 3})) == 1);  // 3 was read by the access that made all age
}

TEST_CASE("lru: what an access finds and what it fills was used last") {
  const auto lru = policy_of("lru", 4);
  lru->fills(0, all_of({0, 1, 2, 3}), 0, {});   // 3 2 1 0
  lru->fills(0, all_of({0}), all_of({1}), {});  // 0 1 3 2
  CHECK(lru->victim(0, all_of({0, 1, 2, 3})) == 2);
  CHECK(lru->victim(0, all_of({0, 1, 3})) == 3);
  CHECK(lru->victim(0, all_of({0, 1})) == 1);
}

TEST_CASE("random: each line goes as often, the same again with the same seed") {
  std::array<int, 2> differences{};
  std::array<int, 4> gone{};
  Set one("random", 7), same("random", 7), other("random", 8);
  for (Set* set : {&one, &same, &other}) set->touch("abcd");
  for (int i = 0; i < 4000; ++i) {
    const int way = one.tags.victim(0);
    REQUIRE(one.tags.victim(0) == way);  // asking changes nothing
    ++gone[static_cast<std::size_t>(way)];
    differences[0] += same.tags.victim(0) != way;
    differences[1] += other.tags.victim(0) != way;
    const WayMask rest = first_ways(4) & ~only_way(way);
    REQUIRE((only_way(one.tags.victim(0, rest)) & rest) != 0);
    for (Set* set : {&one, &same, &other})
      set->tags.insert(0, TagEntry(1000 + static_cast<std::uint64_t>(i), 0, false));
  }
  for (const int count : gone) CHECK(count == Approx(1000).margin(120));  // four standard deviations: 110
  CHECK(differences[0] == 0);
  CHECK(differences[1] == Approx(3000).margin(120));
}

TEST_CASE("whatever the policy: empty ways first, reserved ones stay, an answer holds until the fill") {
  for (const ReplacementPolicy& policy : replacement_policies()) {
    CAPTURE(policy.name);
    Set set(policy.name);
    set.touch("abc");
    CHECK_FALSE(set.full());
    set.touch("d");
    CHECK(set.full());
    set.touch("abacab");
    for (const std::string_view others : {"abc", "bd", "c"}) {
      const char next = set.next_of(others);
      CHECK(others.find(next) != std::string_view::npos);
      CHECK(set.next_of(others) == next);
    }
    set.drop('c');
    CHECK_FALSE(set.tags.entry(0, set.tags.victim(0)).valid());
    set.touch("e");
    CHECK(set.full());
    const char goes = set.next();
    CHECK(set.tags.insert(0, TagEntry('f', 0, false)).number() == static_cast<std::uint64_t>(goes));
    set.tags.invalidate_all();
    set.touch("wxyz");
    CHECK(set.full());
  }
}
