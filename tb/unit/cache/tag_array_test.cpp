#include "models/cache/tag_array.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <random>
#include <set>
#include <vector>

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("a line stays in its way, and the one used longest ago makes room") {
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
