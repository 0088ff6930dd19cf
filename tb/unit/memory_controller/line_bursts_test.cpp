#include "models/memory_controller/line_bursts.h"

#include "tb/support/catch.h"

using namespace strata;

namespace {

LineBursts bursts(int bytes_per_CAS, std::uint64_t line = 128) {
  TimingSet timing;
  timing.bytes_per_CAS = bytes_per_CAS;
  return LineBursts(Bytes(line), timing);
}

}  // namespace

TEST_CASE("a request takes the column commands in which its sectors lie") {
  // 64 B a command: sectors 0 and 1, sectors 2 and 3.
  const LineBursts two = bursts(64);
  CHECK(two.count(0xf) == 2);
  CHECK(two.count(0x3) == 1);
  CHECK(two.count(0x6) == 2);
  CHECK(two.count(0x8) == 1);
  CHECK(two.column(0x8, 0) == 1);
  CHECK(two.column(0x6, 1) == 1);
  // 32 B: one each.
  const LineBursts four = bursts(32);
  CHECK(four.count(0xf) == 4);
  CHECK(four.count(0x9) == 2);
  CHECK(four.column(0x9, 0) == 0);
  CHECK(four.column(0x9, 1) == 3);
  // 16 B: two a sector.
  const LineBursts eight = bursts(16);
  CHECK(eight.count(0x5) == 4);
  CHECK(eight.column(0x5, 2) == 4);
  CHECK(eight.column(0x5, 3) == 5);
  // A line in one command.
  CHECK(bursts(128).count(0x1) == 1);
  CHECK(bursts(128).count(0xf) == 1);
}

TEST_CASE("a request that is smaller than a line lies somewhere in it") {
  Access access;
  access.line = 3 * 128 + 64;
  access.sectors = 0x1;
  const LineBursts four = bursts(32);
  CHECK(four.sectors_in(access) == 0x4);
  CHECK(four.column(four.sectors_in(access), 0) == 2);
}
