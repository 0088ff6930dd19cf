// Kernels of tb/data/ptx/modern.cu, compiled by nvcc 13, against references that are written here.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/ptx/ptx.h"

using namespace strata;
using namespace strata::traces;

namespace {

/// The kernel of both compilations with its memory.
struct Run {
  std::shared_ptr<const PtxProgram> program;
  std::string kernel;
  GlobalMemory memory;
  bool cooperative = false;
  void operator()(Dim3 grid, Dim3 block, std::vector<PtxArgument> arguments) {
    PtxLaunch l;
    l.program = program;
    l.kernel = kernel;
    l.grid = grid;
    l.block = block;
    l.arguments = std::move(arguments);
    l.cooperative = cooperative;
    execute(l, memory);
  }
};

void in_all(const std::string& kernel, const std::function<void(Run&)>& body) {
  for (const char* file : {"modern_sm80", "modern_sm90"}) {
    INFO(file);
    Run run;
    run.program = PtxProgram::load(std::string("tb/data/ptx/") + file + ".ptx", {kernel});
    run.kernel = kernel;
    body(run);
  }
}

/// f16 of whole numbers below 2048.
std::uint16_t half(int n) {
  if (n == 0) return 0;
  int exponent = 0;
  std::frexp(std::abs(n), &exponent);
  const int fraction = (std::abs(n) << (11 - exponent)) & 0x3ff;
  return static_cast<std::uint16_t>((n < 0 ? 0x8000 : 0) | (exponent + 14) << 10 | fraction);
}

}  // namespace

TEST_CASE("modern: wmma multiplies matrices of halves") {
  const int n = 48;
  std::vector<std::uint16_t> a, b;
  std::vector<float> want(static_cast<std::size_t>(n * n));
  const auto left = [](int i, int k) { return (i * 7 + k * 3) % 11 - 5; };
  const auto right = [](int k, int j) { return (k * 5 + j) % 13 - 6; };
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      a.push_back(half(left(i, k)));
      b.push_back(half(right(k, i)));  // by columns
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int k = 0; k < n; ++k) sum += left(i, k) * right(k, j);
      want[static_cast<std::size_t>(i * n + j)] = static_cast<float>(2 * sum);
    }
  in_all("wmma_gemm", [&](Run& run) {
    const Address x = run.memory.upload(a, "a"), y = run.memory.upload(b, "b"),
                  z = run.memory.allocate(static_cast<std::uint64_t>(n * n) * 4, "c");
    run({3, 3}, {32}, {x, y, z, n});
    CHECK(run.memory.load<float>(z, static_cast<std::size_t>(n * n)) == want);
  });
}

TEST_CASE("modern: copies that do not wait fill the stages of a pipeline") {
  const int rounds = 5;
  std::vector<float> in(static_cast<std::size_t>(rounds) * 64 * 4), want(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  for (std::size_t r = 0; r < rounds; ++r)
    for (std::size_t t = 0; t < 64; ++t)
      for (std::size_t c = 0; c < 4; ++c)
        want[(r * 64 + t) * 4 + c] = in[(r * 64 + 63 - t) * 4 + c] + (c == 0 ? 1.0f : 0.0f);
  in_all("staged", [&](Run& run) {
    const Address x = run.memory.upload(in, "in"), y = run.memory.allocate(in.size() * 4, "out");
    run({1}, {64}, {x, y, rounds});
    CHECK(run.memory.load<float>(y, in.size()) == want);
  });
}

TEST_CASE("modern: barriers in shared memory count phases") {
  std::vector<std::int32_t> in(192), want(192);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int32_t>(i * i);
  for (std::size_t i = 0; i < in.size(); ++i) want[i] = in[i / 64 * 64 + 63 - i % 64];
  in_all("phases", [&](Run& run) {
    const Address x = run.memory.upload(in, "in"), y = run.memory.allocate(in.size() * 4, "out");
    run({1}, {64}, {x, y});
    CHECK(run.memory.load<std::int32_t>(y, in.size()) == want);
  });
}

TEST_CASE("modern: floats of eight bits") {
  // e4m3: 1.0 = 38, 1.125 = 39 (a step is an eighth), 1.0625 lies between and goes to the even 38; 448 is the
  // largest, 1000 becomes it; -0.0019 is less than the least 2^-9 = 0.00195, and nearer to it than to 0.
  const std::vector<float> in = {1.0f, 1.125f, 1.0625f, 1000.0f, -0.0019f, 448.0f};
  in_all("quarters", [&](Run& run) {
    const Address x = run.memory.upload(in, "in"), y = run.memory.allocate(6, "out"),
                  z = run.memory.allocate(24, "back");
    run({1}, {3}, {x, y, z});
    CHECK(run.memory.load<std::uint16_t>(y, 3) == std::vector<std::uint16_t>{0x3938, 0x7e38, 0x7e81});
    CHECK(run.memory.load<float>(z, 6) == std::vector<float>{1.0f, 1.125f, 1.0f, 448.0f, -0x1p-9f, 448.0f});
  });
}

TEST_CASE("modern: the thread blocks of a grid wait for each other") {
  // Each round every thread takes the number of its right neighbour, plus 1: after 5 rounds that of the
  // fifth.
  const int rounds = 5, n = 6 * 96;
  std::vector<std::int32_t> in(static_cast<std::size_t>(n)), want(in.size());
  for (int i = 0; i < n; ++i) in[static_cast<std::size_t>(i)] = i * 3;
  for (int i = 0; i < n; ++i) want[static_cast<std::size_t>(i)] = (i + rounds) % n * 3 + rounds;
  in_all("grid_sum", [&](Run& run) {
    const Address data = run.memory.upload(in, "data"), out = run.memory.allocate(in.size() * 4, "out");
    run.cooperative = true;
    run({6}, {96}, {data, out, rounds});
    CHECK(run.memory.load<std::int32_t>(out, in.size()) == want);
  });
}

TEST_CASE("modern: a grid barrier in an ordinary launch is a fault of the program") {
  in_all("grid_sum", [&](Run& run) {
    const Address data = run.memory.upload(std::vector<std::int32_t>(64), "data");
    CHECK_THROWS_WITH(run({1}, {32}, {data, data, 1}), strata::tb::has_text("trap"));
  });
}

TEST_CASE("modern: the thread blocks of a grid that wait are recorded one by one") {
  PtxSource source([] {
    PtxWorkload w;
    const Address data = w.memory.upload(std::vector<std::int32_t>(128), "data");
    PtxLaunch l;
    l.program = PtxProgram::load("tb/data/ptx/modern_sm90.ptx", {"grid_sum"});
    l.kernel = "grid_sum";
    l.grid.x = 2;
    l.block.x = 64;
    l.arguments = {data, data, 2};
    l.cooperative = true;
    w.launches = {l, l};
    return w;
  });
  const auto second = source.fetch(0, 1), first = source.fetch(0, 0), later = source.fetch(1, 0);
  CHECK(first->warps() == 2);
  for (const auto& cta : {first, second, later}) {
    int atomics = 0;
    for (const WarpInstruction& i : cta->instructions) atomics += i.op == OpClass::atomic;
    CHECK(atomics == 4);  // an arrival for each of the two barriers of two rounds
  }
}

TEST_CASE("modern: lists of nodes that a kernel allocates") {
  // Sum of 0 .. n - 1, times the thread.
  in_all("lists", [&](Run& run) {
    const Address out = run.memory.allocate(256, "out");
    run({1}, {64}, {out, 9});
    CHECK(run.memory.load<std::int32_t>(out, 64)[63] == 36 * 63);
    CHECK(run.memory.heap_blocks().empty());
  });
}

TEST_CASE("modern: functions are called through pointers and by virtual tables") {
  std::vector<std::int32_t> in(40);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int32_t>(i * i);
  in_all("pointers", [&](Run& run) {
    const Address x = run.memory.upload(in, "in"), y = run.memory.allocate(160, "out");
    run({1}, {40}, {x, y});
    const auto out = run.memory.load<std::int32_t>(y, 40);
    for (std::size_t i = 0; i < in.size(); ++i) CHECK(out[i] == in[i] * (in[i] % 2 == 0 ? 2 : 3));
  });
  std::vector<float> sizes(40);
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = static_cast<float>(i);
  in_all("virtuals", [&](Run& run) {
    const Address x = run.memory.upload(sizes, "in"), y = run.memory.allocate(160, "out");
    run({1}, {40}, {x, y});
    const auto out = run.memory.load<float>(y, 40);
    for (std::size_t i = 0; i < out.size(); ++i)
      CHECK(out[i] == (i % 3 == 0 ? 1.0f : 3.0f) * sizes[i] * sizes[i]);
    CHECK(run.memory.heap_blocks().empty());
  });
}

TEST_CASE("modern: functions call themselves") {
  const std::vector<std::int32_t> fibonacci = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  in_all("recursive", [&](Run& run) {
    const Address out = run.memory.allocate(160, "out");
    run({1}, {40}, {out});
    const auto got = run.memory.load<std::int32_t>(out, 40);
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == fibonacci[i % 12]);
  });
  const std::size_t each = 20;
  std::vector<std::int32_t> data(each * 33);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::int32_t>(i * 7919 % 1000);
  std::vector<std::int32_t> want = data;
  for (std::size_t t = 0; t < 33; ++t)
    std::sort(want.begin() + static_cast<std::ptrdiff_t>(t * each),
              want.begin() + static_cast<std::ptrdiff_t>((t + 1) * each));
  in_all("sorts", [&](Run& run) {
    const Address x = run.memory.upload(data, "data");
    run({1}, {33}, {x, static_cast<int>(each)});
    CHECK(run.memory.load<std::int32_t>(x, data.size()) == want);
  });
}

TEST_CASE("modern: arrays of a size that is known when the kernel runs") {
  in_all("stacks", [&](Run& run) {
    const Address out = run.memory.allocate(128, "out");
    run({1}, {32}, {out, 11});
    const auto got = run.memory.load<std::int32_t>(out, 32);
    for (int t = 0; t < 32; ++t) {
      std::int32_t sum = 0;
      for (int i = 11; i-- > 0;) sum = sum * 3 + i * t;
      CHECK(got[static_cast<std::size_t>(t)] == sum);
    }
    CHECK_THROWS_WITH(run({1}, {32}, {out, 5000}), strata::tb::has_text("the stack of a thread overflows"));
  });
}
