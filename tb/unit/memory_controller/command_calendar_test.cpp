// The calendar of commands planned ahead, and the slots of requests and replies.
#include "models/memory_controller/command_calendar.h"

#include <algorithm>
#include <random>
#include <set>

#include "models/memory_controller/leave_calendar.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

/// The same, cycle by cycle.
struct PlainCalendar {
  TimingSet set;
  std::set<Cycle> rows;
  std::vector<std::pair<Cycle, std::size_t>> reads;

  bool fits(Cycle cycle, std::size_t group) const {
    if (set.command_bus == CommandBus::single && rows.count(cycle) != 0) return false;
    for (const auto& [at, other] : reads) {
      const Cycle apart = at < cycle ? cycle - at : at - cycle;
      const int least = std::max(set.nBL, group == other ? std::max(set.nCCDS, set.nCCDL) : set.nCCDS);
      if (apart < static_cast<Cycle>(least)) return false;
    }
    return true;
  }
  Cycle take_read(Cycle from, std::size_t group) {
    while (!fits(from, group)) ++from;
    reads.emplace_back(from, group);
    if (set.command_bus == CommandBus::single) rows.insert(from);
    return from;
  }
  Cycle next_row(Cycle from) const {
    while (rows.count(from) != 0) ++from;
    return from;
  }
};

void check_against_plain(const TimingSet& set, std::uint64_t seed, int count = 1000) {
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  CommandCalendar calendar(set);
  PlainCalendar plain{set, {}, {}};
  Cycle now = 0;
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    now += random() % 4;
    if (random() % 200 == 0) now += random() % 3000;  // beyond the window
    calendar.slide(now);
    const Cycle from = now + 1 + random() % (random() % 50 == 0 ? 2500 : 40);
    if (random() % 3 != 0) {
      const std::size_t group = random() % static_cast<std::size_t>(set.bank_groups);
      wrong += calendar.take_read(from, group) != plain.take_read(from, group);
    } else {
      const Cycle row = plain.next_row(from);
      wrong += calendar.next_row(from) != row;
      wrong += calendar.row_free(from) != (row == from);
      calendar.take_row(row);
      plain.rows.insert(row);
    }
    int busy = 0;
    for (Cycle cycle = now; cycle < now + 64; ++cycle) busy += static_cast<int>(plain.rows.count(cycle));
    wrong += calendar.busy(now) != busy;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("a calendar of a single command bus gives the cycles of a plain one") {
  check_against_plain({}, 1);
}

TEST_CASE("a calendar of a dual command bus gives the cycles of a plain one") {
  TimingSet set;
  set.command_bus = CommandBus::dual;
  set.nBL = 2;
  set.nCCDS = 2;
  set.nCCDL = 5;
  check_against_plain(set, 2);
}

TEST_CASE("reads may be farther apart than a word of the calendar") {
  TimingSet set;
  set.nCCDL = 90;
  set.nCCDS = 40;
  check_against_plain(set, 3, 100);
}

TEST_CASE("reads of a group are spread while others are planned, where their distances leave holes") {
  TimingSet set;
  set.nBL = set.nCCDS = 2;
  set.nCCDL = 3;
  CommandCalendar calendar(set);
  CHECK_FALSE(calendar.spread(10, 0));
  CHECK(calendar.distance(false) == 3);
  CHECK(calendar.distance(true) == 4);  // the next multiple of 2
  CHECK(calendar.take_read(10, 0) == 10);
  CHECK_FALSE(calendar.spread(10, 0));
  CHECK(calendar.spread(10, 1));
  CHECK(calendar.take_read(10, 1, true) == 12);
  CHECK(calendar.take_read(10, 1, true) == 16);  // 14 would be nearer than 4
  CHECK(calendar.take_read(10, 0, true) == 14);
  set.nCCDL = 4;
  CommandCalendar even(set);
  CHECK(even.take_read(10, 0) == 10);
  CHECK_FALSE(even.spread(10, 1));
}

TEST_CASE("entries leave when they said, one a cycle, whenever they are asked for") {
  LeaveCalendar calendar;
  std::set<Cycle> plain;
  std::mt19937_64 random(5);
  Cycle now = 0;
  Cycle last = 0;
  int wrong = 0;
  for (int i = 0; i < 20000; ++i) {
    now += random() % (random() % 100 == 0 ? 5000 : 4);
    if (random() % 3 != 0) {
      Cycle at = now + 1 + random() % (random() % 100 == 0 ? 3000 : 60);
      calendar.add(at, now);
      while (plain.count(at) != 0) ++at;
      plain.insert(at);
      last = std::max(last, at);
    } else if (random() % 10 == 0) {
      int left = 0;
      for (; !plain.empty() && *plain.begin() <= now; ++left) plain.erase(plain.begin());
      wrong += calendar.take(now) != left;
      wrong += calendar.next() != (plain.empty() ? never : *plain.begin());
    }
    wrong += calendar.count() != static_cast<int>(plain.size());
    wrong += calendar.last() != last;
  }
  CHECK(wrong == 0);
}
