// The short way of merging lanes into one line must say what the long one says, or leave the case to it.
#include <random>

#include "models/common/coalesce.h"
#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("coalesce_to_one agrees with coalesce on random strided accesses") {
  constexpr unsigned seed = 20261121;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const CtaTrace none;
  constexpr std::uint32_t masks[] = {~0U, 1, 0x80000000, 0xffff, 0x55555555, 0};
  constexpr std::uint8_t widths[] = {1, 2, 4, 8, 16};
  int taken = 0;
  for (int n = 0; n < 200000; ++n) {
    WarpInstruction i;
    i.op = OpClass::load;
    i.address_kind = random() % 16 == 0 ? AddressKind::none : AddressKind::stride;
    i.active_mask = masks[random() % 6];
    i.width = random() % 32 == 0 ? 0 : widths[random() % 5];
    i.stride = static_cast<std::int32_t>(random() % 80) - 16;
    i.address = random() % 32 == 0 ? 0 : 0x7f0000000000 + random() % 512;
    if (random() % 64 == 0) i.address = ~Address{0} - random() % 64;  // the range may wrap around
    const unsigned line_bytes = 32U << random() % 4;
    LineAccess one{};
    if (!coalesce_to_one(i, line_bytes, one)) continue;
    ++taken;
    LineAccesses lines;
    coalesce(i, none, line_bytes, lines);
    INFO("address " << i.address << ", stride " << i.stride << ", width " << int{i.width} << ", mask "
                    << i.active_mask << ", line " << line_bytes);
    REQUIRE(lines.count == 1);
    REQUIRE(lines.lines[0].line == one.line);
    REQUIRE(int{lines.lines[0].chunks} == int{one.chunks});
  }
  CHECK(taken > 10000);
}
