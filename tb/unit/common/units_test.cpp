#include "models/common/units.h"

#include <random>

#include "tb/support/catch.h"

using namespace strata;

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
