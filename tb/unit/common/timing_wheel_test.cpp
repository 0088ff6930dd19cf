#include "models/common/timing_wheel.h"

#include <map>
#include <random>

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
