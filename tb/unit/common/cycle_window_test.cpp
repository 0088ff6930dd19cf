#include "models/common/cycle_window.h"

#include <random>
#include <set>

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("a window of cycles: runs over words, what is free and what is taken") {
  CycleWindow window(2, 2);  // 128 cycles, two rows
  CHECK(window.end() == 128);
  window.set(1, 60, 70);
  CHECK_FALSE(window.test(0, 65));
  CHECK(window.test(1, 60));
  CHECK(window.first_free(1, 60) == 71);
  CHECK(window.first_taken(1, 0) == 60);
  CHECK(window.first_taken(1, 71) == 128);  // none: the end
  CHECK(window.first_free(1, 500) == 500);  // beyond it nothing is taken
}

TEST_CASE("a window that slides forgets, and one that grows keeps") {
  CycleWindow window(2);
  window.set(0, 10);
  window.set(0, 100);
  window.reach(300);
  CHECK(window.end() == 512);
  CHECK(window.test(0, 100));
  int gone = 0;
  window.slide(130, [&](const std::uint64_t* words) { gone += __builtin_popcountll(*words); });
  CHECK(gone == 2);
  CHECK(window.begin() == 128);
  CHECK(window.end() == 640);
  CHECK_FALSE(window.test(0, 522));  // the word that held cycle 10
  window.slide(10'000);              // all at once
  CHECK(window.first_taken(0, 10'000) == window.end());
}

TEST_CASE("a window holds what a set of cycles holds") {
  constexpr std::uint64_t seed = 5;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  CycleWindow window(1);
  std::set<Cycle> taken;
  Cycle now = 0;
  for (int i = 0; i < 5000; ++i) {
    now += random() % 6;
    window.slide(now);
    taken.erase(taken.begin(), taken.lower_bound(window.begin()));
    const Cycle first = now + random() % 200;
    const Cycle last = first + random() % 80;
    window.reach(last);
    if (random() % 4 == 0) {
      window.set(0, first, last);
      for (Cycle cycle = first; cycle <= last; ++cycle) taken.insert(cycle);
    }
    Cycle free = first;
    while (taken.count(free) != 0) ++free;
    REQUIRE(window.first_free(0, first) == free);
    const auto next = taken.lower_bound(first);
    REQUIRE(window.first_taken(0, first) == (next == taken.end() ? window.end() : *next));
  }
}
