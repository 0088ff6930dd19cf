#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "models/common/time_queue.h"
#include "models/common/timing_wheel.h"
#include "models/common/turn_ring.h"
#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("an wheel names the next cycle with a turn, near and far") {
  TimingWheel wheel;
  std::uint64_t* const word = wheel.turns(wheel.add_word());
  CHECK(wheel.next() == never);
  wheel.book(word, 3, 5);
  wheel.book(word, 63, 5);
  wheel.book(word, 3, 5);
  wheel.book(word, 1, 10'000);
  CHECK(wheel.next() == 5);
  wheel.begin(5);
  CHECK(wheel.under_way());
  CHECK(word[TimingWheel::place_of(5)] == (std::uint64_t{1} << 63 | std::uint64_t{1} << 3));
  word[TimingWheel::place_of(5)] = 0;
  wheel.end();
  CHECK_FALSE(wheel.under_way());
  CHECK(wheel.first() == 6);
  CHECK(wheel.next() == 10'000);
  wheel.book(word, 2, 5 + TimingWheel::horizon);  // the last near one, in the place behind that of 5
  CHECK(wheel.next() == 5 + TimingWheel::horizon);
}

TEST_CASE("words of several sheets have turns of their own") {
  TimingWheel wheel;
  std::vector<std::uint64_t*> words;
  for (std::size_t word = 0; word < 2 * TimingWheel::row_words + 1; ++word) {
    REQUIRE(wheel.add_word() == word);
    words.push_back(wheel.turns(word));
  }
  CHECK(wheel.words() == words.size());
  for (std::size_t word = 0; word < words.size(); ++word) {
    CHECK(words[word] == wheel.turns(word));  // where it lay from the first
    wheel.book(words[word], word % 64, 7);
  }
  wheel.begin(7);
  for (std::size_t word = 0; word < words.size(); ++word)
    CHECK(words[word][TimingWheel::place_of(7)] == std::uint64_t{1} << word % 64);
}

TEST_CASE("turns come as a plain set would name them") {
  constexpr std::uint64_t seed = 20261126;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  TimingWheel wheel;
  std::uint64_t* const word = wheel.turns(wheel.add_word());
  std::map<Cycle, std::uint64_t> model;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t number = random() % 64;
    const Cycle reach = random() % 20 == 0 ? 3000 : random() % 4 == 0 ? 600 : 12;
    const Cycle cycle = wheel.first() + random() % reach;
    wheel.book(word, number, cycle);
    model[cycle] |= std::uint64_t{1} << number;
    if (random() % 3 == 0) continue;
    const Cycle now = wheel.next();
    REQUIRE(now == model.begin()->first);
    wheel.begin(now);
    REQUIRE(word[TimingWheel::place_of(now)] == model.begin()->second);
    word[TimingWheel::place_of(now)] = 0;
    model.erase(model.begin());
  }
}

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

TEST_CASE("a ring of turns names the next cycle that has any, round and round") {
  TurnRing<128> ring(1);
  CHECK(ring.next(0) == never);
  ring.set(0, 3);
  ring.set(0, 100);
  CHECK(ring.next(0) == 3);
  CHECK(ring.next(3) == 100);  // the turns of 3 itself do not count
  CHECK(ring.take(3) != nullptr);
  CHECK(ring.take(3) == nullptr);
  ring.set(0, 130);  // in the place of 2
  CHECK(ring.next(3) == 100);
  CHECK(ring.take(100) != nullptr);
  CHECK(ring.next(100) == 130);
  CHECK(ring.next(3) == 130);  // 127 cycles ahead
  CHECK_FALSE(ring.empty());
  CHECK(ring.take(130) != nullptr);
  CHECK(ring.empty());
}

TEST_CASE("turns come once each, in order of their numbers, and later than the horizon at the horizon") {
  TurnRing<64> ring(100);
  CHECK(ring.words() == 2);
  CHECK(ring.book(70, 5, 0) == 5);
  CHECK(ring.book(3, 5, 0) == 5);
  CHECK(ring.book(70, 5, 0) == 5);
  CHECK(ring.book(9, 0, 0) == 1);  // not after now
  CHECK(ring.book(1, 500, 0) == 63);
  CHECK(ring.next(0) == 1);
  CHECK(ring.take(2) == nullptr);
  std::uint64_t* turns = ring.take(5);
  REQUIRE(turns != nullptr);
  CHECK(turns[0] == std::uint64_t{1} << 3);
  CHECK(turns[1] == std::uint64_t{1} << 6);
  CHECK(ring.take(5) == nullptr);
}

TEST_CASE("a ring of turns gives what a map of sets gives") {
  constexpr std::uint64_t seed = 17;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  TurnRing<512> ring(200);
  std::map<Cycle, std::set<std::size_t>> plain;
  Cycle now = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::size_t number = random() % 200;
    const Cycle cycle = now + 1 + random() % (random() % 50 == 0 ? 900 : 40);
    plain[ring.book(number, cycle, now)].insert(number);
    if (random() % 3 == 0) continue;
    REQUIRE(ring.next(now) == plain.begin()->first);
    now = ring.next(now);
    std::uint64_t* const turns = ring.take(now);
    REQUIRE(turns != nullptr);
    std::set<std::size_t> seen;
    for (std::size_t n = 0; n < 64 * ring.words(); ++n)
      if ((turns[n / 64] >> n % 64 & 1) != 0) seen.insert(n);
    std::fill_n(turns, ring.words(), std::uint64_t{0});
    REQUIRE(seen == plain.begin()->second);
    plain.erase(plain.begin());
    if (plain.empty()) REQUIRE(ring.empty());
  }
}
