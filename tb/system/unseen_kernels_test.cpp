// Kernels that nobody wrote for the interpreter, as three compilations of tb/data/ptx/unseen.cu, against
// references that are written here from the definitions.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tb/system/unseen_run.h"

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
