// When the banks of an L1 take accesses, worked by hand, and against a bank-by-bank simulation.
#include "models/l1/l1_banks.h"

#include <random>
#include <set>

#include "models/l1/l1_private.h"
#include "models/l1/l1_tag_split.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

L1Banks banks(int count, std::uint64_t bytes, Bytes line = Bytes{128}, int port_cycles = 1) {
  L1PrivateParams params;
  params.banks = count;
  params.bytes_per_cycle.count = bytes;
  params.port_cycles = port_cycles;
  return L1Banks(params, line);
}

}  // namespace

TEST_CASE("an L1 that gives a line a cycle has no banks to look at") {
  CHECK(banks(1, 0).plain());
  CHECK(banks(1, 128).plain());
  CHECK(banks(1, 256).plain());
  CHECK_FALSE(banks(1, 64).plain());
  CHECK_FALSE(banks(4, 128).plain());
}

// Four banks of 32 B: byte 0 to 31 of every 128 lies in bank 0. A line takes all four, for a cycle.
TEST_CASE("accesses to different banks begin together, others one after the other") {
  L1Banks four = banks(4, 128);
  four.occupy(0, 0b0001, 10);
  CHECK(four.free(0x1000, 0b0001) == 11);
  CHECK(four.free(0x1000, 0b0010) == 0);
  four.occupy(0x1000, 0b0110, 10);
  CHECK(four.free(0x2000, 0b1000) == 0);
  CHECK(four.free(0x2000, 0b1100) == 11);
  four.occupy(0x2000, 0b1111, 11);
  CHECK(four.free(0x3000, 0b1000) == 12);
}

// Two banks of 32 B: a line of 128 B takes two words of each, so two cycles; with port_cycles 3, six.
TEST_CASE("a bank gives one word after the other") {
  L1Banks two = banks(2, 64);
  two.occupy(0, 0b1111, 5);
  CHECK(two.free(0, 0b0001) == 7);
  two.occupy(0, 0b0101, 7);  // both in bank 0
  CHECK(two.free(0, 0b0001) == 9);
  CHECK(two.free(0, 0b0010) == 7);
  L1Banks slow = banks(2, 64, Bytes{128}, 3);
  slow.occupy(0, 0b1111, 5);
  CHECK(slow.free(0, 0b0010) == 11);
}

// Two banks that hold lines in turn: half a line takes its bank as long as a whole one.
TEST_CASE("words of a line each are given as a whole") {
  L1Banks lines = banks(2, 256);
  lines.occupy(0, 0b0001, 1);
  CHECK(lines.free(0, 0b1000) == 2);
  CHECK(lines.free(128, 0b1111) == 0);
}

TEST_CASE("banks take what a simulation byte by byte lets them take") {
  const unsigned seed = 20261123;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int n = 0; n < 300; ++n) {
    const int count = 1 << random() % 5;
    const std::uint64_t word = std::uint64_t{32} << random() % 3, line = std::uint64_t{32} << random() % 4;
    const int port_cycles = 1 + static_cast<int>(random() % 3);
    L1Banks tested = banks(count, word * static_cast<unsigned>(count), Bytes{line}, port_cycles);
    if (tested.plain()) continue;
    std::vector<Cycle> free(static_cast<std::size_t>(count));
    Cycle now = 0;
    for (int i = 0; i < 200; ++i, now += random() % 3) {
      const Address at = random() % 64 * line;
      const auto sectors = static_cast<std::uint8_t>(1 + random() % ((1U << line / 32) - 1));
      std::set<std::uint64_t> words;
      for (std::uint64_t byte = 0; byte < line; ++byte)
        if ((sectors >> byte / 32 & 1) != 0) words.insert((at + byte) / word);
      Cycle expected = 0;
      for (const std::uint64_t w : words) expected = std::max(expected, free[w % free.size()]);
      REQUIRE(tested.free(at, sectors) == expected);
      now = std::max(now, expected);
      for (const std::uint64_t w : words) {
        Cycle& its = free[w % free.size()];
        its = std::max(its, now) + static_cast<Cycle>(port_cycles);
      }
      tested.occupy(at, sectors, now);
    }
  }
}

TEST_CASE("banks that do not divide what an L1 gives in a cycle are refused by name") {
  const auto faults = [](auto params, int count, std::uint64_t bytes) {
    params.banks = count;
    params.bytes_per_cycle.count = bytes;
    return params.validate();
  };
  CHECK(faults(L1PrivateParams(), 4, 0).empty());
  CHECK(faults(L1PrivateParams(), 8, 256).empty());
  const Faults three = faults(L1PrivateParams(), 3, 128);
  REQUIRE(three.size() == 1);
  CHECK(three[0].where.file == "banks");
  CHECK_THAT(three[0].message, tb::has_text("is 3, which does not divide $.bytes_per_cycle=128 B") &&
                                   tb::has_text("nearest: 2"));
  const Faults eight = faults(L1TagSplitParams(), 8, 0);
  REQUIRE(eight.size() == 1);
  CHECK_THAT(eight[0].message, tb::has_text("$.line=128 B") && tb::has_text("nearest: 4"));
}
