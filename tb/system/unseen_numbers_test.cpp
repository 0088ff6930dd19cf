// What the kernels of tb/data/ptx/unseen.cu compute with bits, wide words, conversions and halves.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tb/system/unseen_run.h"

using namespace strata;
using namespace strata::tb;

TEST_CASE("unseen: bit operations, byte permutations and packed products") {
  const Words a = random_values<std::uint32_t>(32, 1, 0xffffffff, 3),
              b = random_values<std::uint32_t>(32, 1, 0xffffffff, 4);
  Words want;
  for (std::size_t t = 0; t < 32; ++t) {
    const std::uint32_t x = a[t], y = b[t];
    const std::uint64_t both = std::uint64_t{y} << 32 | x;
    std::uint32_t reversed = 0, permuted = 0, differences = 0, forward = 0;
    std::uint32_t dp4 = 5, dp2 = 5;
    for (unsigned i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
    for (unsigned i = 0; i < 4; ++i) {
      permuted |= static_cast<std::uint32_t>(both >> 8 * (y >> 4 * i & 7) & 255) << 8 * i;
      forward |= static_cast<std::uint32_t>(both >> 8 * ((y & 3) + i) & 255) << 8 * i;
      const int p = static_cast<int>(x >> 8 * i & 255), q = static_cast<int>(y >> 8 * i & 255);
      differences |= static_cast<std::uint32_t>(std::abs(p - q)) << 8 * i;
      dp4 += static_cast<std::uint32_t>(static_cast<std::int8_t>(p) * static_cast<std::int8_t>(q));
    }
    for (unsigned i = 0; i < 2; ++i)
      dp2 += static_cast<std::uint32_t>(static_cast<std::int16_t>(x >> 16 * i) *
                                        static_cast<std::int8_t>(y >> (16 + 8 * i)));
    const unsigned clamped = std::min(y & 63, 32u);
    const auto set = [](std::uint32_t v) { return static_cast<std::uint32_t>(__builtin_popcount(v)); };
    // Seven bits from y mod 32 on; beyond bit 31 the sign fills up.
    const auto field = static_cast<std::int64_t>(static_cast<std::int32_t>(x)) >> (y & 31);
    const auto cut = static_cast<std::int32_t>(static_cast<std::uint32_t>(field) << 25) >> 25;
    want.insert(want.end(), {reversed, permuted, (y & 31) == 0 ? y : y << (y & 31) | x >> (32 - (y & 31)),
                             static_cast<std::uint32_t>(both >> clamped),
                             static_cast<std::uint32_t>(std::uint64_t{x} * y >> 32), dp4, dp2, differences,
                             (x > y ? x - y : y - x) + 9,
                             static_cast<std::uint32_t>(__builtin_ffs(static_cast<int>(x))) +
                                 100 * static_cast<std::uint32_t>(__builtin_clz(y)) + 10000 * set(x ^ y),
                             forward, static_cast<std::uint32_t>(cut)});
  }
  in_all("bits", [&](UnseenRun& run) {
    const Address x = run.memory.upload(a, "a"), y = run.memory.upload(b, "b"),
                  to = run.memory.upload(Words(want.size()), "out");
    run({1}, {32}, {x, y, to});
    CHECK(run.memory.load<std::uint32_t>(to, want.size()) == want);
  });
}

TEST_CASE("unseen: 128-bit integers by carry chains") {
  using Wide = unsigned __int128;
  const auto a = random_values<std::uint64_t>(64, 1, 0x7ffffffffffffffe);
  std::vector<std::uint64_t> want;
  for (std::size_t t = 0; t < 32; ++t) {
    const std::uint64_t x = a[t], y = a[t + 32];
    const Wide v = Wide{x} << 64 | y, w = (Wide{y} << 64 | x) >> 5;
    for (const Wide r : {v + w, v - w, v * w, v >> (x & 127)}) {
      want.push_back(static_cast<std::uint64_t>(r));
      want.push_back(static_cast<std::uint64_t>(r >> 64));
    }
  }
  in_all("wide", [&](UnseenRun& run) {
    const Address from = run.memory.upload(a, "a"),
                  to = run.memory.upload(std::vector<std::uint64_t>(want.size()), "out");
    run({1}, {32}, {from, to});
    CHECK(run.memory.load<std::uint64_t>(to, want.size()) == want);
  });
}

TEST_CASE("unseen: conversions round, saturate and handle NaN") {
  // Rows by hand: nearest (even), up, down, unsigned towards zero, saturated to [0, 1], three times as 64
  // bits; half nearest, half towards zero, bfloat towards zero.
  struct Row {
    float x;
    std::int32_t nearest, up, down;
    std::uint32_t whole, saturated;
    std::int32_t triple;
    std::uint16_t half, half_rz, brain_rz;
  };
  const std::vector<Row> rows = {
      {2.5f, 2, 3, 2, 2, 0x3f800000, 8, 0x4100, 0x4100, 0x4020},  // 7.5 to even: 8
      {-1.5f, -2, -1, -2, 0, 0, -4, 0xbe00, 0xbe00, 0xbfc0},      // -4.5 to even: -4
      {NAN, 0, 0, 0, 0, 0, 0, 0x7fff, 0x7fff, 0x7fff},            // NaN becomes 0; the low word of 2^63
      {3e9f, 2147483647, 2147483647, 2147483647, 3000000000u, 0x3f800000, 410065408, 0x7c00, 0x7bff, 0x4f32},
      {0.75f, 1, 1, 0, 0, 0x3f400000, 2, 0x3a00, 0x3a00, 0x3f40},     // 2.25: 2
      {1.0009f, 1, 2, 1, 1, 0x3f800000, 3, 0x3c01, 0x3c00, 0x3f80}};  // 1 + 0.92 of a half's last bit
  in_all("conversions", [&](UnseenRun& run) {
    Floats in(32, 0.0f);
    for (std::size_t i = 0; i < rows.size(); ++i) in[i] = rows[i].x;
    const Address from = run.memory.upload(in, "in"), to = run.memory.upload(Ints(32 * 6), "out"),
                  h = run.memory.upload(std::vector<std::uint16_t>(96), "h");
    run({1}, {32}, {from, to, h});
    const Ints o = run.memory.load<std::int32_t>(to, 32 * 6);
    const auto halves = run.memory.load<std::uint16_t>(h, 96);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      INFO("row " << i);
      const Row& r = rows[i];
      CHECK(Ints(&o[i * 6], &o[i * 6] + 5) == Ints{r.nearest, r.up, r.down,
                                                   static_cast<std::int32_t>(r.whole),
                                                   static_cast<std::int32_t>(r.saturated)});
      CHECK(o[i * 6 + 5] == r.triple);
      CHECK(halves[i * 3] == r.half);
      CHECK(halves[i * 3 + 1] == r.half_rz);
      CHECK(halves[i * 3 + 2] == r.brain_rz);
    }
  });
}

TEST_CASE("unseen: packed halves and bfloats") {
  // Low and high half: (2, 0.5) is 4000, 3800; a * a + 1 = (5, 1.25) = 4500, 3d00. 2 > 0.5 swaps: (1.25, 5).
  // Times a > 1 (1, 0): (1.25, 0). (0.5, 3): (1.25, 10), times (0, 1): (0, 10 = 4900). (3, 3): 10, 10, not
  // swapped.
  const Words in = {0x38004000, 0x42003800, 0x42004200}, want = {0x00003d00, 0x49000000, 0x49004900};
  in_all("halves", [&](UnseenRun& run) {
    Words all(32);
    std::copy(in.begin(), in.end(), all.begin());
    // 1.0 * 1.5 = 1.5 (3fc0), -3 * 1.5 = -4.5 (c090).
    std::vector<std::uint16_t> brain(32);
    brain[0] = 0x3f80;
    brain[1] = 0xc040;
    const Address d = run.memory.upload(all, "data"), b = run.memory.upload(brain, "brain");
    run({1}, {32}, {d, b});
    CHECK(run.memory.load<std::uint32_t>(d, 3) == want);
    const auto got = run.memory.load<std::uint16_t>(b, 2);
    CHECK(got[0] == 0x3fc0);
    CHECK(got[1] == 0xc090);
  });
}
