// What lt blocks keep their books with: calendars, histories of waits.
#include <map>
#include <random>
#include <set>

#include "models/tlm/slot_calendar.h"
#include "models/tlm/wait_history.h"
#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("a calendar gives the first free cycles, in pieces where it must") {
  SlotCalendar calendar(2);
  CHECK(calendar.book(10, 3) == 12);  // 10, 11, 12
  CHECK(calendar.book(20, 2) == 21);
  CHECK(calendar.find(10) == 13);
  CHECK(calendar.book(5, 7) == 14);   // 5 to 9, 13, 14
  CHECK(calendar.book(0, 20) == 31);  // 0 to 4, 15 to 19, 22 to 31
}

TEST_CASE("a calendar forgets what has passed and keeps what lies ahead of its window") {
  SlotCalendar calendar(2);             // 128 cycles
  CHECK(calendar.book(500, 4) == 503);  // beyond the window
  CHECK(calendar.book(500, 4) == 507);  // behind it
  calendar.slide(450);
  CHECK(calendar.find(500) == 508);
  CHECK(calendar.find(0) == 448);  // the window begins with the word of cycle 450
  calendar.take(450, 460);
  CHECK(calendar.find(450) == 460);
  calendar.slide(1000);
  CHECK(calendar.find(1000) == 1000);
}

TEST_CASE("a calendar books what a set of free cycles gives") {
  constexpr std::uint64_t seed = 4711;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  SlotCalendar calendar(16);  // 1024 cycles
  std::set<Cycle> taken;
  Cycle now = 0;
  for (int i = 0; i < 5000; ++i) {
    now += random() % 8;
    calendar.slide(now);
    const Cycle at = now + random() % 300;
    const auto count = static_cast<unsigned>(1 + random() % 4);  // 2.5 of 3.5 cycles
    Cycle last = at;
    for (unsigned left = count; left > 0; ++last)
      if (taken.insert(last).second) --left;
    REQUIRE(calendar.book(at, count) == last - 1);
  }
}

TEST_CASE("a history of waits hands out what was measured, load by load") {
  WaitHistory history;
  CHECK(history.promise(5) == 0);  // nothing is known
  history.learn(3, 10);
  CHECK(history.promise(3) == 10);
  CHECK(history.promise(9) == 10);  // the next smaller load that is known
  CHECK(history.promise(2) == 0);
  history.learn(3, 30);
  std::int64_t sum = 0;
  for (int i = 0; i < 10; ++i) sum += history.promise(3);
  CHECK(sum == 200);  // both in turn: their mean is kept
  history.learn(40, -5);
  CHECK(history.promise(41) == -5);  // 40 to 47 are one step
  CHECK(history.promise(48) == -5);
  CHECK(history.promise(39) != -5);
  for (int i = 0; i < 8; ++i) history.learn(3, 7);  // the old ones are forgotten
  for (int i = 0; i < 8; ++i) CHECK(history.promise(3) == 7);
  history.learn(1'000'000, 1);  // beyond the last step
  CHECK(history.promise(2'000'000) == 1);
}
