// Kernels that were not written for the interpreter, as three compilations of tb/data/ptx/unseen.cu, against
// references that are written here from the definitions.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tb/support/catch.h"
#include "traces/ptx/ptx.h"

namespace strata::tb {

using namespace traces;
using Words = std::vector<std::uint32_t>;
using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

inline const std::vector<std::string> compilations = {"unseen_sm80", "unseen_sm90_O0", "unseen_sm100"};

/// One kernel of one compilation with its memory.
struct UnseenRun {
  std::shared_ptr<const PtxProgram> program;
  std::string kernel;
  GlobalMemory memory;

  UnseenRun(const std::string& file, const std::string& name)
      : program(PtxProgram::load("tb/data/ptx/" + file + ".ptx", {name})), kernel(name) {}
  void operator()(Dim3 grid, Dim3 block, std::vector<PtxArgument> arguments, std::uint32_t shared = 0) {
    PtxLaunch l;
    l.program = program;
    l.kernel = kernel;
    l.grid = grid;
    l.block = block;
    l.dynamic_shared_bytes = shared;
    l.arguments = std::move(arguments);
    execute(l, memory);
  }
};

/// The kernel in every compilation.
inline void in_all(const std::string& kernel, const std::function<void(UnseenRun&)>& body) {
  for (const std::string& file : compilations) {
    INFO(file);
    UnseenRun run(file, kernel);
    body(run);
  }
}

template <class T>
std::vector<T> random_values(std::size_t n, std::int64_t low, std::int64_t high, unsigned seed = 7) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& v : values)
    v = static_cast<T>(low +
                       static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1)));
  return values;
}

}  // namespace strata::tb

using namespace strata;
using namespace strata::tb;

TEST_CASE("unseen: transpose with a padded tile") {
  const int w = 70, h = 41;
  Floats in(static_cast<std::size_t>(w * h)), want(in.size());
  std::iota(in.begin(), in.end(), 0.5f);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      want[static_cast<std::size_t>(x * h + y)] = in[static_cast<std::size_t>(y * w + x)];
  in_all("transpose", [&](UnseenRun& run) {
    const Address from = run.memory.upload(in, "in"), to = run.memory.upload(Floats(in.size()), "out");
    run({3, 2}, {32, 8}, {to, from, w, h});
    CHECK(run.memory.load<float>(to, want.size()) == want);
  });
}

TEST_CASE("unseen: convolution with constant weights that the host sets") {
  const int n = 300;
  const Floats weights = {0.1f, -0.2f, 0.5f, 0.25f, 0.0625f};
  Floats in(n), want(n);
  for (int i = 0; i < n; ++i) in[static_cast<std::size_t>(i)] = static_cast<float>(i * i % 17) * 0.3f;
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = -2; k <= 2; ++k)
      sum = std::fma(weights[static_cast<std::size_t>(k + 2)],
                     in[static_cast<std::size_t>(std::min(std::max(i + k, 0), n - 1))], sum);
    want[static_cast<std::size_t>(i)] = sum;
  }
  in_all("convolve", [&](UnseenRun& run) {
    run.memory.add_variables(*run.program);
    run.memory.store(run.memory.symbol("weights"), weights);
    const Address from = run.memory.upload(in, "in"), to = run.memory.upload(Floats(n), "out");
    run({3}, {128}, {from, to, n});
    CHECK(run.memory.load<float>(to, n) == want);
  });
}

TEST_CASE("unseen: bitonic sort in dynamic shared memory") {
  const Words in = random_values<std::uint32_t>(256, 0, 0xffffffff);
  Words want = in;
  std::sort(want.begin(), want.end());
  in_all("bitonic_sort", [&](UnseenRun& run) {
    const Address keys = run.memory.upload(in, "keys");
    run({1}, {256}, {keys}, 1024);
    CHECK(run.memory.load<std::uint32_t>(keys, 256) == want);
  });
}

TEST_CASE("unseen: scan by shuffles in a function that is not inlined") {
  const Ints in = random_values<std::int32_t>(256, -50, 100);
  Ints want(256);
  std::partial_sum(in.begin(), in.end(), want.begin());
  in_all("block_scan", [&](UnseenRun& run) {
    const Address from = run.memory.upload(in, "in"), to = run.memory.upload(Ints(256), "out");
    run({1}, {256}, {from, to});
    CHECK(run.memory.load<std::int32_t>(to, 256) == want);
  });
}

TEST_CASE("unseen: tiles of cooperative groups, each with its own member mask") {
  const Ints in = random_values<std::int32_t>(64, 0, 99);
  Ints want(64 * 7);
  for (std::size_t t = 0; t < 64; ++t) {
    const std::size_t tile = t / 8 * 8;
    std::int32_t* const o = &want[t * 7];
    o[1] = in[tile];
    o[3] = 1;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::int32_t v = in[tile + i];
      o[0] += v;
      o[1] = std::max(o[1], v);
      o[2] |= v > 90 ? 1 : 0;
      o[3] &= v > 5 ? 1 : 0;
      o[4] |= (v & 1) << i;
      o[5] |= static_cast<std::int32_t>(v % 3 == in[t] % 3) << i;
    }
    o[6] = in[tile + ((t - tile) ^ 3)];
  }
  in_all("tiles", [&](UnseenRun& run) {
    const Address from = run.memory.upload(in, "in"), to = run.memory.upload(Ints(want.size()), "out");
    run({1}, {64}, {from, to});
    CHECK(run.memory.load<std::int32_t>(to, want.size()) == want);
  });
}

TEST_CASE("unseen: atomics of integers, floats and halves") {
  const Words in = random_values<std::uint32_t>(96, 0, 0xffffffff);
  Words want(12);
  std::array<std::uint64_t, 2> longs{};
  want[1] = ~0u;
  for (const std::uint32_t v : in) {
    want[0] += v;
    want[1] = std::min(want[1], v);
    want[2] = static_cast<std::uint32_t>(
        std::max(static_cast<std::int32_t>(want[2]), static_cast<std::int32_t>(v)));
    want[3] ^= v;
    want[4] = want[4] >= 37 ? 0 : want[4] + 1;
    want[5] = want[5] == 0 || want[5] > 41 ? 41 : want[5] - 1;
    ++want[6 + (v & 3)];
    want[11] = std::max(want[11], v & 0xffff);
    longs[0] = std::max(longs[0], std::uint64_t{v} * v);
    longs[1] += std::uint64_t{v} << 16;
  }
  // 96 times 0.25 is 24.0. The four sums of shared memory are stored into words 6 to 9.
  want[10] = 0x41c00000;
  in_all("atomics", [&](UnseenRun& run) {
    Words start(12);
    start[1] = ~0u;
    const Address g = run.memory.upload(start, "g"),
                  l = run.memory.upload(std::vector<std::uint64_t>(2), "l"),
                  h = run.memory.upload(Words(1), "h"), a = run.memory.upload(in, "in");
    run({1}, {96}, {g, l, h, a});
    CHECK(run.memory.load<std::uint32_t>(g, 12) == want);
    CHECK(run.memory.load<std::uint64_t>(l, 2) == std::vector<std::uint64_t>(longs.begin(), longs.end()));
    // Halves: 96 = 1.5 * 2^6 is 0x5600, 48 is 0x5200.
    CHECK(run.memory.load<std::uint32_t>(h, 1)[0] == 0x52005600);
  });
}

TEST_CASE("unseen: calls with structures, local arrays, switches and early returns") {
  const Ints in = random_values<std::int32_t>(64, 0, 1000);
  Ints want(64);
  for (int t = 0; t < 64; ++t) {
    std::array<std::int32_t, 16> local;
    for (int i = 0; i < 16; ++i)
      local[static_cast<std::size_t>(i)] = in[static_cast<std::size_t>((t * 7 + i * 3) & 63)];
    const auto collatz = [](int n) {
      int steps = 0;
      for (; n != 1; n = n % 2 != 0 ? 3 * n + 1 : n / 2)
        if (++steps > 60) return -1;
      return steps;
    };
    const std::int32_t by_case[] = {*std::min_element(local.begin(), local.end()),
                                    *std::max_element(local.begin(), local.end()),
                                    local[2] * 2,
                                    local[2] * 2,
                                    collatz(t + 1),
                                    -local[3],
                                    local[static_cast<std::size_t>(t % 6)] * (t % 6),
                                    99,
                                    1234};
    want[static_cast<std::size_t>(t)] = by_case[local[5] % 9];
  }
  in_all("calls", [&](UnseenRun& run) {
    const Address from = run.memory.upload(in, "in"), to = run.memory.upload(Ints(64), "out");
    run({1}, {64}, {from, to});
    CHECK(run.memory.load<std::int32_t>(to, 64) == want);
  });
}

TEST_CASE("unseen: walks of a tree with breaks and continues in divergent lanes") {
  const std::int32_t nodes = 127;
  Ints children(2 * nodes);
  for (std::int32_t i = 0; i < nodes; ++i)
    for (std::int32_t k = 0; k < 2; ++k)
      children[static_cast<std::size_t>(2 * i + k)] = 2 * i + 1 + k < nodes ? 2 * i + 1 + k : -1;
  const Ints value = random_values<std::int32_t>(nodes, 0, 50),
             limit = random_values<std::int32_t>(96, 0, 3000, 9);
  Ints want(96);
  for (std::size_t t = 0; t < 96; ++t) {
    std::vector<std::int32_t> stack = {0};
    while (!stack.empty()) {
      const auto node = static_cast<std::size_t>(stack.back());
      stack.pop_back();
      want[t] += value[node];
      if (want[t] > limit[t]) break;
      if (children[2 * node + 1] >= 0) stack.push_back(children[2 * node + 1]);
      if (children[2 * node] < 0 || value[node] % 7 == 3) continue;
      stack.push_back(children[2 * node]);
    }
  }
  in_all("tree_sum", [&](UnseenRun& run) {
    const Address c = run.memory.upload(children, "children"), v = run.memory.upload(value, "value"),
                  l = run.memory.upload(limit, "limit"), to = run.memory.upload(Ints(96), "out");
    run({1}, {96}, {c, v, l, to});
    CHECK(run.memory.load<std::int32_t>(to, 96) == want);
  });
}

TEST_CASE("unseen: the last thread block adds up, found by a device variable") {
  const Ints in = random_values<std::int32_t>(1000, -9, 99);
  in_all("last_block", [&](UnseenRun& run) {
    const Address from = run.memory.upload(in, "in"), partial = run.memory.upload(Ints(7), "partial"),
                  to = run.memory.upload(Ints(1), "out");
    run({7}, {32}, {from, partial, to, std::int32_t{1000}});
    CHECK(run.memory.load<std::int32_t>(to, 1)[0] == std::accumulate(in.begin(), in.end(), 0));
  });
}

TEST_CASE("unseen: named barriers of half a thread block, and barriers that count") {
  const Ints in = random_values<std::int32_t>(128, 0, 99);
  const auto odd =
      static_cast<std::int32_t>(std::count_if(in.begin(), in.end(), [](int v) { return v % 2 != 0; }));
  const std::int32_t five = std::count(in.begin(), in.end(), 5) != 0 ? 1 : 0;
  Ints want(128);
  for (std::size_t t = 0; t < 128; ++t) want[t] = in[t / 64 * 64 + 63 - t % 64] + 1000 * odd + 100000 * five;
  in_all("named_barriers", [&](UnseenRun& run) {
    const Address from = run.memory.upload(in, "in"), to = run.memory.upload(Ints(128), "out");
    run({1}, {128}, {from, to});
    CHECK(run.memory.load<std::int32_t>(to, 128) == want);
  });
}

TEST_CASE("unseen: a texture gives its texels") {
  in_all("textured", [&](UnseenRun& run) {
    Floats texels(64);
    std::iota(texels.begin(), texels.end(), 0.5f);
    PtxTexture t;
    t.data = run.memory.upload(texels, "texels");
    t.size = {32, 2, 1};
    t.row_bytes = 128;
    const Address out = run.memory.allocate(128, "out");
    run({1}, {32}, {run.memory.add_texture(t), out});
    CHECK(run.memory.load<float>(out, 32) == Floats(texels.begin(), texels.begin() + 32));
  });
}

TEST_CASE("unseen: a file gives the kernels that are wanted") {
  for (const std::string& file : compilations) {
    INFO(file);
    const std::string path = "tb/data/ptx/" + file + ".ptx";
    CHECK(PtxProgram::load(path)->kernels().size() == 15);
    const auto program = PtxProgram::load(path, {"wide", "tiles"});
    CHECK(program->kernels().size() == 2);
    CHECK(program->entries().size() == 15);
  }
}

// What the kernels of tb/data/ptx/unseen.cu compute with bits, wide words, conversions and halves.

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
