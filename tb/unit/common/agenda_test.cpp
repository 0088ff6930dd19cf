#include "models/common/agenda.h"

#include <map>
#include <random>

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("an agenda names the next cycle with a turn, near and far") {
  Agenda agenda;
  std::uint64_t* const word = agenda.turns(agenda.add_word());
  CHECK(agenda.next() == never);
  agenda.book(word, 3, 5);
  agenda.book(word, 63, 5);
  agenda.book(word, 3, 5);
  agenda.book(word, 1, 10'000);
  CHECK(agenda.next() == 5);
  agenda.begin(5);
  CHECK(agenda.under_way());
  CHECK(word[Agenda::place_of(5)] == (std::uint64_t{1} << 63 | std::uint64_t{1} << 3));
  word[Agenda::place_of(5)] = 0;
  agenda.end();
  CHECK_FALSE(agenda.under_way());
  CHECK(agenda.first() == 6);
  CHECK(agenda.next() == 10'000);
  agenda.book(word, 2, 5 + Agenda::horizon);  // the last near one, in the place behind that of 5
  CHECK(agenda.next() == 5 + Agenda::horizon);
}

TEST_CASE("words of several sheets have turns of their own") {
  Agenda agenda;
  std::vector<std::uint64_t*> words;
  for (std::size_t word = 0; word < 2 * Agenda::sheet_words + 1; ++word) {
    REQUIRE(agenda.add_word() == word);
    words.push_back(agenda.turns(word));
  }
  CHECK(agenda.words() == words.size());
  for (std::size_t word = 0; word < words.size(); ++word) {
    CHECK(words[word] == agenda.turns(word));  // where it lay from the first
    agenda.book(words[word], word % 64, 7);
  }
  agenda.begin(7);
  for (std::size_t word = 0; word < words.size(); ++word)
    CHECK(words[word][Agenda::place_of(7)] == std::uint64_t{1} << word % 64);
}

TEST_CASE("turns come as a plain set would name them") {
  constexpr std::uint64_t seed = 20261126;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  Agenda agenda;
  std::uint64_t* const word = agenda.turns(agenda.add_word());
  std::map<Cycle, std::uint64_t> model;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t number = random() % 64;
    const Cycle reach = random() % 20 == 0 ? 3000 : random() % 4 == 0 ? 600 : 12;
    const Cycle cycle = agenda.first() + random() % reach;
    agenda.book(word, number, cycle);
    model[cycle] |= std::uint64_t{1} << number;
    if (random() % 3 == 0) continue;
    const Cycle now = agenda.next();
    REQUIRE(now == model.begin()->first);
    agenda.begin(now);
    REQUIRE(word[Agenda::place_of(now)] == model.begin()->second);
    word[Agenda::place_of(now)] = 0;
    model.erase(model.begin());
  }
}
