// The short way of merging lanes into one line must say what the long one says, or leave the case to it.
#include <random>
#include <set>

#include "models/common/coalesce.h"
#include "tb/support/catch.h"
#include "traces/record/access_counts.h"

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
    REQUIRE(int{lines.lines[0].sectors} == int{one.sectors});
  }
  CHECK(taken > 10000);
}

TEST_CASE("spare words are those of touched sectors that no lane touches") {
  constexpr unsigned seed = 20261123;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  constexpr std::uint8_t widths[] = {1, 2, 4, 8, 16};
  for (int n = 0; n < 20000; ++n) {
    WarpInstruction i;
    i.op = OpClass::load;
    i.address_kind = random() % 2 == 0 ? AddressKind::stride : AddressKind::list;
    i.active_mask = static_cast<std::uint32_t>(random() | 1);
    i.width = widths[random() % 5];
    i.stride = static_cast<std::int32_t>(random() % 300) - 100;
    i.address = 0x7f0000000000 + random() % 512;
    CtaTrace cta;
    if (i.address_kind == AddressKind::list) {
      i.address = 0;
      for (int lane = 0; lane < 32; ++lane)
        cta.addresses.push_back(random() % 16 == 0 ? 0 : 0x7f0000000000 + random() % 2048);
    }
    const unsigned line_bytes = 32U << random() % 4;
    LineAccesses lines;
    coalesce(i, cta, line_bytes, lines);
    count_spare_words(i, cta, line_bytes, lines);
    std::set<Address> words;
    std::array<Address, 32> addresses;
    const int lanes = lane_addresses(i, cta, addresses);
    for (int lane = 0; lane < lanes; ++lane)
      for (unsigned byte = 0; byte < i.width && addresses[static_cast<std::size_t>(lane)] != 0; ++byte)
        words.insert((addresses[static_cast<std::size_t>(lane)] + byte) / word_bytes);
    std::size_t counted = 0;
    for (const LineAccess& line : lines)
      counted += static_cast<std::size_t>(__builtin_popcount(line.sectors)) * (sector_bytes / word_bytes) -
                 line.spare_words;
    REQUIRE(counted == words.size());
  }
}

TEST_CASE("parts of lines are those that some lane touches") {
  constexpr unsigned seed = 20261124;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  constexpr std::uint8_t widths[] = {1, 2, 4, 8, 16};
  for (int n = 0; n < 20000; ++n) {
    WarpInstruction i;
    i.op = OpClass::load;
    i.address_kind = AddressKind::stride;
    i.active_mask = static_cast<std::uint32_t>(random() | 1);
    i.width = widths[random() % 5];
    i.stride = static_cast<std::int32_t>(random() % 300) - 100;
    i.address = 0x7f0000000000 + random() % 512;
    const CtaTrace cta;
    const unsigned line_bytes = 32U << random() % 3;
    LineAccesses lines;
    coalesce(i, cta, line_bytes, lines);
    find_parts(i, cta, line_bytes, lines);
    std::set<Address> wanted, found;
    std::array<Address, 32> addresses;
    const int lanes = lane_addresses(i, cta, addresses);
    for (int lane = 0; lane < lanes; ++lane)
      for (unsigned byte = 0; byte < i.width; ++byte)
        wanted.insert((addresses[static_cast<std::size_t>(lane)] + byte) / part_bytes);
    for (const LineAccess& line : lines)
      for (unsigned part = 0; part < 16; ++part)
        if ((line.parts >> part & 1) != 0) found.insert(line.line / part_bytes + part);
    REQUIRE(found == wanted);
  }
}

TEST_CASE("a record counts the lines that coalesce finds") {
  constexpr unsigned seed = 20261124;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  constexpr std::uint32_t masks[] = {~0U, 1, 0xffff0000, 0x55555555, 0};
  constexpr std::int32_t strides[] = {0, 4, 36, 127, 128, 132, 4096, -4, -128, -4096, 1 << 30, -(1 << 30)};
  for (int n = 0; n < 100000; ++n) {
    WarpInstruction i;
    i.op = random() % 2 == 0 ? OpClass::load : OpClass::store;
    i.address_kind = random() % 2 == 0 ? AddressKind::stride : AddressKind::list;
    i.active_mask = masks[random() % 5];
    i.width = static_cast<std::uint8_t>(1U << random() % 5);
    i.stride = strides[random() % 12];
    i.address = random() % 16 == 0 ? random() % 4096 : 0x7f0000000000 + random() % 512;
    if (random() % 2 == 0) i.address &= ~Address{15};
    if (random() % 64 == 0) i.address = ~Address{0} - random() % 4096;  // lanes may pass the end
    CtaTrace cta;
    if (i.address_kind == AddressKind::list) {
      i.address = random() % 4;
      const Address spread = std::uint64_t{256} << random() % 12;
      for (int lane = 0; lane < 36; ++lane)
        cta.addresses.push_back(random() % 16 == 0 ? 0 : 0x7f0000000000 + random() % spread);
    }
    LineAccesses lines;
    coalesce(i, cta, traces::record::AccessCounts::line_bytes, lines);
    traces::record::AccessCounts counts;
    counts.add(i, cta.addresses.data());
    INFO("kind " << int(i.address_kind) << ", address " << i.address << ", stride " << i.stride << ", width "
                 << int{i.width} << ", mask " << i.active_mask);
    REQUIRE(counts.accesses == 1);
    REQUIRE(counts.lines == static_cast<std::uint64_t>(lines.count));
  }
}

TEST_CASE("a record counts the lines of rows that coalesce finds") {
  constexpr unsigned seed = 20261125;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  constexpr std::int64_t steps[] = {0, 1, 4, 16, 60, 64, 128, 132, 512, 4096, -4, -256};
  for (int n = 0; n < 50000; ++n) {
    traces::record::LaneForm form;
    form.columns = static_cast<std::uint8_t>(1 + random() % 5);
    form.a = static_cast<Address>(steps[random() % 12]);
    form.b = static_cast<Address>(steps[random() % 12]);
    WarpInstruction i;
    i.op = OpClass::load;
    i.address_kind = AddressKind::list;
    i.active_mask = ~0U;
    i.width = static_cast<std::uint8_t>(1U << random() % 5);
    CtaTrace cta;
    const Address first = random() % 16 == 0 ? random() % 4096 : 0x7f0000000000 + random() % 512;
    for (unsigned lane = 0; lane < 32; ++lane) cta.addresses.push_back(first + form.offset(lane));
    INFO("first " << first << ", columns " << int{form.columns} << ", steps " << form.a << " and " << form.b
                  << ", width " << int{i.width});
    REQUIRE(traces::record::are_grid(cta.addresses.data(), form));
    LineAccesses lines;
    coalesce(i, cta, traces::record::AccessCounts::line_bytes, lines);
    traces::record::AccessCounts counts;
    counts.add_grid(i, cta.addresses.data(), form, traces::record::AccessCounts::shape_of(i));
    REQUIRE(counts.lines == static_cast<std::uint64_t>(lines.count));
    cta.addresses[random() % 31 + 1] += 1;
    REQUIRE(!traces::record::are_grid(cta.addresses.data(), form));
  }
}
