#include "models/common/params.h"

#include <random>

#include "models/common/named.h"
#include "models/common/policy_table.h"
#include "models/common/stats.h"
#include "models/common/units.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

struct Sample final : ParamSet {
  int ways = 4;
  Bytes line{128};
  double share = 0.5;
  int kind = 0;
  bool crossed = false;
  void for_each_param(ParamVisitor& v) override {
    v.integer({"ways", "ways", "w"}, ways, {1, 16});
    v.bytes({"line", "bytes", "l"}, line, {32, 256, true});
    v.real({"share", "", "s"}, share, 0, 1);
    v.choice({"kind", "", "k"}, kind, {{0, "plain"}, {1, "hashed"}});
  }
  Faults validate() const override {
    return crossed ? Faults{param_fault("ways", "do not fit the line")} : Faults{};
  }
};

std::vector<std::string> messages(Sample sample) {
  std::vector<std::string> all;
  try {
    require_valid(sample, "l1");
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) all.push_back(to_text(fault));
  }
  return all;
}

}  // namespace

TEST_CASE("defaults are valid") {
  CHECK(messages({}).empty());
}

TEST_CASE("every fault is reported at once, with value and range") {
  Sample sample;
  sample.ways = 17;
  sample.line = Bytes(96);
  sample.share = 1.5;
  sample.kind = 2;
  sample.crossed = true;
  const auto all = messages(sample);
  REQUIRE(all.size() == 5);
  CHECK(all[0] == "l1.ways: is 17; allowed: 1 to 16");
  CHECK(all[1] == "l1.line: is 96; allowed: 32 to 256, a power of two");
  CHECK(all[2].find("l1.share: is 1.5") == 0);
  CHECK(all[3] == "l1.kind: is none of the choices; allowed: plain, hashed");
  CHECK(all[4] == "l1.ways: do not fit the line");
}

TEST_CASE("the ends of a range belong to it, nan to none") {
  Sample sample;
  sample.ways = 16;
  sample.line = Bytes(32);
  sample.share = 1;
  CHECK(messages(sample).empty());
  sample.share = 0.0 / 0.0;
  CHECK(messages(sample).size() == 1);
  sample = {};
  sample.ways = 0;
  CHECK(messages(sample).size() == 1);
}

namespace {

struct Shout {
  std::string_view name;
  std::string_view sentence;
  int (*make)();
};

int one() {
  return 1;
}
int two() {
  return 2;
}

}  // namespace

TEST_CASE("a table of policies keeps its own rows first and each name once") {
  PolicyTable<Shout> table = {{"quiet", "says nothing", one}};
  const Shout& first = table.at(0);
  const Shout loud{"loud", "says all", one};
  CHECK(table.find("loud") == -1);
  CHECK(table.fits(loud));
  table.add(loud);
  CHECK(table.find("loud") == 1);
  CHECK(table.fits(loud));  // the same row: its plug-in is loaded again
  table.add(loud);
  CHECK(table.size() == 2);
  CHECK_FALSE(table.fits({"loud", "of another plug-in", two}));
  CHECK_FALSE(table.fits({"quiet", "as Strata's", two}));
  CHECK(&first == &table.at(0));
  CHECK(table.names() == std::vector<std::string>{"quiet", "loud"});
  CHECK(table.sentences() == "says nothing (quiet); says all (loud)");
}

namespace {

enum class Fruit { apple, pear, plum };
constexpr Named<Fruit> fruits[] = {{Fruit::pear, "pear"}, {Fruit::plum, "plum"}, {Fruit::apple, "apple"}};
static_assert(names_all(fruits, Fruit::plum), "in any order");

constexpr Named<Fruit> no_plum[] = {{Fruit::pear, "pear"}, {Fruit::apple, "apple"}};
static_assert(!names_all(no_plum, Fruit::plum), "a value without a name");
constexpr Named<Fruit> two_pears[] = {{Fruit::pear, "pear"}, {Fruit::pear, "pair"}, {Fruit::apple, "apple"}};
static_assert(!names_all(two_pears, Fruit::plum), "a value with two names");
constexpr Named<Fruit> one_name[] = {{Fruit::pear, "pear"}, {Fruit::plum, "pear"}, {Fruit::apple, "apple"}};
static_assert(!names_all(one_name, Fruit::plum), "a name of two values");

}  // namespace

TEST_CASE("a table of names finds values by name and names by value") {
  CHECK(find_named(fruits, "plum")->value == Fruit::plum);
  CHECK(find_named(fruits, "plumb") == nullptr);
  CHECK(row_of_value(fruits, Fruit::apple).name == "apple");
  CHECK(list_of(fruits) == "pear, plum, apple");
  CHECK(names_of(fruits) == std::vector<std::string>{"pear", "plum", "apple"});
}

TEST_CASE("sizes are binary, whole and not negative") {
  CHECK(parse_bytes("48 KiB")->count == 49152);
  CHECK(parse_bytes("64KB")->count == 65536);
  CHECK(parse_bytes("6 MB")->count == 6 * MiB);
  CHECK(parse_bytes("2GiB")->count == 2 * GiB);
  CHECK(parse_bytes("128")->count == 128);
  CHECK(parse_bytes(" 128 B ")->count == 128);
  CHECK(parse_bytes("0.5 KiB")->count == 512);
  for (const char* bad : {"", "KiB", "-1", "1.5", "1.2.3 KiB", "64 kb", "64 KiBs", "1e3", "0x40", ".",
                          "9999999999 GiB", "99999999999999999999999999999999999999999"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_bytes(bad));
  }
}

TEST_CASE("frequencies need a unit and are whole hertz") {
  CHECK(parse_hertz("1400 MHz")->count == 1'400'000'000);
  CHECK(parse_hertz("1.4 GHz")->count == 1'400'000'000);
  CHECK(parse_hertz("0.001 kHz")->count == 1);
  for (const char* bad : {"1400", "1.5 Hz", "-1 MHz", "1 mhz", ""}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_hertz(bad));
  }
}

TEST_CASE("whole numbers and fractions") {
  CHECK(parse_integer("-12") == -12);
  CHECK(parse_integer(" 0x1F ") == 31);
  CHECK(parse_integer("9223372036854775807") == INT64_MAX);
  for (const char* bad : {"", "-", "12a", "0x", "1.0", "9223372036854775808", "--1"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_integer(bad));
  }
  CHECK(parse_real("0.25") == 0.25);
  CHECK(parse_real("-1e-3") == -0.001);
  for (const char* bad : {"", "nan", "inf", "1.0x", "1e999"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_real(bad));
  }
}

TEST_CASE("text of a quantity parses back to it") {
  constexpr std::uint64_t seed = 41;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  CHECK(to_text(Bytes(48 * KiB)) == "48 KiB");
  CHECK(to_text(Bytes(1025)) == "1025 B");
  CHECK(to_text(Hertz(1'400'000'000)) == "1400 MHz");
  CHECK(to_text(Hertz(1'500)) == "1500 Hz");
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t value = (random() >> (22 + random() % 40)) << (i % 3 * 10);
    CHECK(parse_bytes(to_text(Bytes(value)))->count == value);
    CHECK(parse_hertz(to_text(Hertz(value)))->count == value);
  }
}

using strata::add_stats;
using strata::StatVisitor;

namespace {

struct Tally final : strata::StatSet {
  std::uint64_t first = 0;
  std::uint64_t parts[2] = {};
  strata::Histogram depth;
  void for_each_stat(StatVisitor& v) const override {
    v.counter({"first", "events", "the first"}, first);
    for (const std::uint64_t& part : parts) v.counter({"part", "events", "a part"}, part);
    v.histogram({"depth", "entries", "how deep"}, depth);
    v.ratio({"share", "", "parts of the first"}, parts[0], first);
    v.law("first >= 0");
  }
};

}  // namespace

TEST_CASE("Sets of statistics add up counter by counter, histograms included") {
  Tally sum, other;
  sum.first = 1;
  sum.parts[1] = 20;
  sum.depth.add(4);
  other.first = 2;
  other.parts[0] = 5;
  other.parts[1] = 7;
  other.depth.add(9);
  other.depth.add(0);
  add_stats(sum, other);
  CHECK(sum.first == 3);
  CHECK(sum.parts[0] == 5);
  CHECK(sum.parts[1] == 27);
  CHECK(sum.depth.samples == 3);
  CHECK(sum.depth.total == 13);
  CHECK(sum.depth.maximum == 9);
  CHECK(other.first == 2);
  add_stats(sum, Tally());
  CHECK(sum.first == 3);
  CHECK(sum.depth.samples == 3);
}
