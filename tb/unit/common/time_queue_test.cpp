#include "models/common/time_queue.h"

#include <algorithm>
#include <random>
#include <vector>

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("a ring of values grows and keeps their order") {
  RingQueue<int> queue(2);
  int next_in = 0, next_out = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 3; ++i) queue.push(next_in++);
    CHECK(queue.back() == next_in - 1);
    for (int i = 0; i < 2; ++i, queue.pop()) REQUIRE(queue.front() == next_out++);
    REQUIRE(queue.at(0) == next_out);
  }
  CHECK(queue.size() == 100);
}

TEST_CASE("a time queue gives events in order of their cycle, equal ones in order of the value") {
  TimeQueue<> queue;
  CHECK(queue.next() == never);
  queue.push(7, 1);
  queue.push(3, 2);
  queue.push(7, 0);
  CHECK(queue.size() == 3);
  CHECK(queue.next() == 3);
  CHECK(queue.pop().value == 2);
  CHECK(queue.pop().value == 0);
  const TimeQueue<>::Event last = queue.pop();
  CHECK(last.at == 7);
  CHECK(last.value == 1);
  CHECK(queue.empty());
}

TEST_CASE("a stable time queue gives equal ones in order of coming") {
  TimeQueue<true> queue;
  for (const std::uint16_t value : {5, 1, 3}) queue.push(9, value);
  queue.push(8, 4);
  for (const std::uint16_t value : {4, 5, 1, 3}) CHECK(queue.pop().value == value);
  CHECK(queue.next() == never);
}

TEST_CASE("a time queue gives what a sorted list gives, whatever the order of coming") {
  constexpr std::uint64_t seed = 99;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  TimeQueue<> queue;
  TimeQueue<true> stable;
  using Pair = std::pair<Cycle, std::uint16_t>;
  std::vector<Pair> list, in_turn;
  const auto earlier = [](const Pair& one, const Pair& other) { return one.first < other.first; };
  for (int i = 0; i < 20000; ++i) {
    if (list.empty() || random() % 100 < 52) {
      const Pair event{static_cast<Cycle>(i) + random() % 40, static_cast<std::uint16_t>(random())};
      queue.push(event.first, event.second);
      stable.push(event.first, event.second);
      list.insert(std::upper_bound(list.begin(), list.end(), event), event);
      in_turn.insert(std::upper_bound(in_turn.begin(), in_turn.end(), event, earlier), event);
    } else {
      REQUIRE(queue.next() == list.front().first);
      REQUIRE(queue.pop().value == list.front().second);
      REQUIRE(stable.next() == in_turn.front().first);
      REQUIRE(stable.pop().value == in_turn.front().second);
      list.erase(list.begin());
      in_turn.erase(in_turn.begin());
    }
  }
  CHECK(queue.size() == list.size());
}
