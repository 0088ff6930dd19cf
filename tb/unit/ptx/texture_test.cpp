#include <cmath>
#include <cstring>
#include <memory>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"

using namespace strata;
using namespace strata::traces;

using ptx_bench::kernel;
using ptx_bench::launch;

namespace {

using Edge = PtxTexture::Edge;

/// Texels 0, 10, 20 ... row by row.
PtxTexture tens(GlobalMemory& memory, std::uint32_t width, std::uint32_t height = 1,
                std::uint32_t depth = 1) {
  std::vector<float> texels(std::size_t{width} * height * depth);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(10 * i);
  PtxTexture t;
  t.data = memory.upload(texels, "texels");
  t.size = {width, height, depth};
  t.row_bytes = width * 4;
  t.slice_bytes = t.row_bytes * height;
  return t;
}

/// What thread i reads with `fetch`, which has its coordinates in %f0, %f1, %f2, %r9 = i and the object in
/// %d1.
std::vector<float> fetched(GlobalMemory& memory, const PtxTexture& texture, const std::string& fetch,
                           const std::vector<float>& coordinates) {
  const std::uint64_t handle = memory.add_texture(texture);
  const Address out = memory.upload(coordinates, "out");
  execute(
      launch(kernel("mov.u64 %d1, " + std::to_string(handle) +
                        ";\nmul.wide.u32 %d2, %r9, 4;\nadd.u64 %d2, %d9, %d2;\nld.global.f32 %f0, [%d2];\n"
                        "mov.f32 %f1, 0f3FC00000;\nmov.f32 %f2, 0f3F000000;\n" +
                        fetch + "\nst.global.f32 [%d2], %f4;\nret;",
                    ".reg .f32 %f<8>;\n"),
             static_cast<unsigned>(coordinates.size()), out),
      memory);
  return memory.load<float>(out, coordinates.size());
}

const std::string line = "tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f0}];";

}  // namespace

TEST_CASE("ptx texture: points and edges") {
  GlobalMemory memory;
  PtxTexture t = tens(memory, 4);
  const std::vector<float> at = {-1.5f, 0.0f, 0.99f, 3.5f, 4.0f};
  CHECK(fetched(memory, t, line, at) == std::vector<float>{0, 0, 0, 30, 30});
  t.edges[0] = Edge::border;
  t.border[0] = 7;
  CHECK(fetched(memory, t, line, at) == std::vector<float>{7, 0, 0, 30, 7});
  for (const Edge edge : {Edge::wrap, Edge::mirror}) {  // of coordinates in texels they clamp
    t.edges[0] = edge;
    CHECK(fetched(memory, t, line, at) == std::vector<float>{0, 0, 0, 30, 30});
  }
  t.normalized = true;
  t.edges[0] = Edge::wrap;
  CHECK(fetched(memory, t, line, {-0.25f, 0.25f, 1.0f, 1.75f}) == std::vector<float>{30, 10, 0, 30});
  t.edges[0] = Edge::mirror;
  CHECK(fetched(memory, t, line, {-0.25f, 0.25f, 1.0f, 1.75f}) == std::vector<float>{0, 10, 30, 0});
}

TEST_CASE("ptx texture: between texels there are 256 steps") {
  GlobalMemory memory;
  PtxTexture t = tens(memory, 4, 3);
  t.linear = true;
  // A texel's middle is at 0.5: 1.0 lies half way from 0 to 10. 1/1024 beyond it is still that step, 1/512 is
  // the next.
  CHECK(fetched(memory, t, line, {0.5f, 1.0f, 1.0f + 1.0f / 1024, 1.0f + 1.0f / 512, 9.0f}) ==
        std::vector<float>{0, 5, 5, 5.0390625f, 30});
  // Rows are 40 apart; y = 1.5 is the middle of row 1.
  const std::string plane = "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f0, %f1}];";
  CHECK(fetched(memory, t, plane, {0.5f, 1.0f}) == std::vector<float>{40, 45});
  // The weight of the neighbour along both axes, 1/256 * 128/256, is half a step and counts as one; the texel
  // below then has 127 steps, the one beside none: (40 * 127 + 50) / 256.
  const std::string between = "mov.f32 %f1, 0f3F800000;\n" + plane;  // y = 1: half way from row 0 to row 1
  CHECK(fetched(memory, t, between, {0.5f + 1.0f / 256}) == std::vector<float>{20.0390625f});
}

TEST_CASE("ptx texture: three axes have eight weights") {
  GlobalMemory memory;
  PtxTexture t = tens(memory, 2, 2, 2);
  t.linear = true;
  const std::string box =
      "mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f3F800000;\n"
      "tex.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f0, %f1, %f2, %f2}];";
  // In the middle each of the eight has 32 of 256: the mean of 0, 10 ... 70. At x = 0.5 those of one column
  // have 64: the mean of 0, 20, 40, 60; at x = 0.75 the columns have 48 and 16: 30 * 3/4 + 40 * 1/4.
  CHECK(fetched(memory, t, box, {1.0f, 0.5f, 0.75f}) == std::vector<float>{35, 30, 32.5f});
  t.normalized = true;  // y = z = 1: the last row and slice, 60 and 70
  CHECK(fetched(memory, t, box, {0.5f, 0.25f}) == std::vector<float>{65, 60});
}

TEST_CASE("ptx texture: one channel of the four texels of a linear fetch") {
  GlobalMemory memory;
  PtxTexture t = tens(memory, 3, 2);  // 0 10 20 above 30 40 50
  const auto gathered = [&](const std::string& result, const std::vector<float>& x, float y) {
    std::uint32_t bits;
    std::memcpy(&bits, &y, 4);
    return fetched(memory, t,
                   "mov.b32 %f1, " + std::to_string(bits) +
                       ";\ntld4.r.2d.v4.f32.f32 {%f3, %f5, %f6, %f7}, [%d1, {%f0, "
                       "%f1}];\nmov.f32 %f4, " +
                       result + ";",
                   x);
  };
  // Between the first two columns and then the last two, between the rows; from the lower left on.
  CHECK(gathered("%f3", {1, 2}, 1) == std::vector<float>{30, 40});
  CHECK(gathered("%f5", {1, 2}, 1) == std::vector<float>{40, 50});
  CHECK(gathered("%f6", {1, 2}, 1) == std::vector<float>{10, 20});
  CHECK(gathered("%f7", {1, 2}, 1) == std::vector<float>{0, 10});
  CHECK(gathered("%f3", {0}, 0) == std::vector<float>{0});  // the edge is clamped
  t.edges = {Edge::border, Edge::border, Edge::border};
  t.border[0] = 7;
  CHECK(gathered("%f6", {0, 1}, 0) == std::vector<float>{7, 7});
  CHECK(gathered("%f5", {0, 1}, 0) == std::vector<float>{0, 10});
  const std::string green = "tld4.g.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f0, %f1}];";
  CHECK(fetched(memory, t, green, {1}) == std::vector<float>{0});  // there is no such channel
  t.channels = 2;                                                  // one texel of the same memory: 0 and 10
  t.size = {1, 1, 1};
  t.border[1] = 9;
  CHECK(fetched(memory, t, green, {0.5f}) == std::vector<float>{9});  // y = 1.5: below it
  CHECK(fetched(memory, t, "mov.f32 %f1, 0f00000000;\n" + green, {0, 0.5f}) == std::vector<float>{9, 10});
  CHECK_THROWS_WITH(
      fetched(memory, t, "tld4.r.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f0, %f1, %f2, %f2}];", {0}),
      tb::has_text("unsupported instruction 'tld4.r.3d.v4.f32.f32'"));
}

TEST_CASE("ptx texture: an object tells its size and how it is read") {
  GlobalMemory memory;
  PtxTexture t = tens(memory, 5, 3, 2);
  const auto asked = [&](const std::string& what) {
    return fetched(memory, t, what + ".b32 %r1, [%d1];\ncvt.rn.f32.u32 %f4, %r1;", {0})[0];
  };
  CHECK(asked("txq.width") == 5);
  CHECK(asked("suq.height") == 3);
  CHECK(asked("txq.depth") == 2);
  CHECK(asked("txq.array_size") == 2);
  CHECK(asked("txq.filter_mode") == 0);
  CHECK(asked("txq.normalized_coords") == 0);
  t.linear = t.normalized = true;
  CHECK(asked("txq.filter_mode") == 1);
  CHECK(asked("txq.normalized_coords") == 1);
  CHECK_THROWS_WITH(asked("txq.num_samples"), tb::has_text("unsupported instruction 'txq.num_samples.b32'"));
  CHECK_THROWS_WITH(fetched(memory, t, "txq.width.b32 %r1, %d1;", {0}),
                    tb::has_text("expected an object in a register"));
}

TEST_CASE("ptx texture: layers, whole coordinates, numbers that are read as reals") {
  GlobalMemory memory;
  PtxTexture t = tens(memory, 4, 1, 2);
  const std::string layer = "mov.u32 %r1, 1;\ntex.a1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%r1, %f0}];";
  CHECK(fetched(memory, t, layer, {2.5f}) == std::vector<float>{60});
  const std::string whole = "tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%d1, {%r9}];";
  CHECK(fetched(memory, t, whole, {0, 0, 0, 0, 0}) == std::vector<float>{0, 10, 20, 30, 0});
  PtxTexture bytes;
  bytes.data = memory.upload(std::vector<std::uint8_t>{0, 51, 255, 128}, "bytes");
  bytes.size[0] = 4;
  bytes.bits = 8;
  bytes.kind = PtxTexture::Kind::unsigned_numbers;
  bytes.reads_reals = true;
  CHECK(fetched(memory, bytes, line, {0, 1, 2}) == std::vector<float>{0, 0.2f, 1});
  bytes.kind = PtxTexture::Kind::signed_numbers;
  CHECK(fetched(memory, bytes, line, {3}) == std::vector<float>{-1});  // -128 as -127
}

// Faces of 2 by 2 texels, 40 apart: 0 10 above 20 30. A direction (x, 1.5, 0.5) meets the face of its largest
// part, and there the texel of (s/m+1)/2 and (t/m+1)/2 by the table of the programming guide: (3, 1.5, 0.5)
// that of +x at s = -0.5/3, t = -1.5/3, which are 0.42 and 0.25 of it; (-1, 1.5, 0.5) that of +y at s =
// -1/1.5, t = 0.5/1.5, which are 0.17 and 0.67.
TEST_CASE("ptx texture: directions meet the faces of a cube") {
  GlobalMemory memory;
  const PtxTexture t = tens(memory, 2, 2, 12);
  const std::string cube = "tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f0, %f1, %f2, %f2}];";
  CHECK(fetched(memory, t, cube, {3, -3, 0, -1}) == std::vector<float>{0, 50, 110, 100});
  CHECK(fetched(memory, t, "neg.f32 %f1, %f1;\n" + cube, {0}) == std::vector<float>{130});
  CHECK(fetched(memory, t, "mov.f32 %f2, 0f40800000;\n" + cube, {0}) == std::vector<float>{170});
  CHECK(fetched(memory, t, "mov.f32 %f2, 0fC0800000;\n" + cube, {0, 1}) == std::vector<float>{210, 200});
  const std::string second =
      "mov.u32 %r0, 1;\ntex.acube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%r0, %f0, %f1, %f2}];";
  CHECK(fetched(memory, t, second, {3, -3}) == std::vector<float>{240, 290});
}

TEST_CASE("ptx texture: surfaces count bytes and have edges") {
  GlobalMemory memory;
  const PtxTexture t = tens(memory, 4, 2);
  const std::string at = "mul.lo.u32 %r1, %r9, 8;\nmov.u32 %r2, 1;\n";
  const auto load = [&](const std::string& edge) {
    return at + "suld.b.2d.b32." + edge + " {%r3}, [%d1, {%r1, %r2}];\nmov.b32 %f4, %r3;";
  };
  CHECK(fetched(memory, t, load("clamp"), {0, 0, 0}) == std::vector<float>{40, 60, 70});
  CHECK(fetched(memory, t, load("zero"), {0, 0, 0}) == std::vector<float>{40, 60, 0});
  CHECK_THROWS_WITH(fetched(memory, t, load("trap"), {0, 0, 0}), tb::has_text("outside of the surface"));
  fetched(memory, t, at + "mov.b32 %r3, %f1;\nsust.b.2d.b32.trap [%d1, {%r1, %r2}], {%r3};", {0, 0});
  CHECK(memory.load<float>(t.data, 8) == std::vector<float>{0, 10, 20, 30, 1.5f, 50, 1.5f, 70});
  CHECK_THROWS_WITH(fetched(memory, t, "mov.u64 %d1, 99;\n" + line, {0}),
                    tb::has_text("no texture or surface object"));
}

TEST_CASE("ptx texture: fetches are recorded as loads of the texture path") {
  PtxSource source([] {
    PtxWorkload w;
    PtxTexture t = tens(w.memory, 64, 8);
    t.linear = true;
    const std::uint64_t handle = w.memory.add_texture(t);
    w.launches.push_back(launch(kernel("mov.u64 %d1, " + std::to_string(handle) +
                                           ";\ncvt.rn.f32.u32 %f0, %r9;\nmov.f32 %f1, 0f40000000;\n"
                                           "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f0, %f1}];\n"
                                           "add.f32 %f4, %f4, %f4;\nret;",
                                       ".reg .f32 %f<8>;\n"),
                                32, t.data));
    return w;
  });
  int loads = 0;
  const std::shared_ptr<const CtaTrace> cta = source.fetch(0, 0);
  for (const WarpInstruction& i : cta->instructions)
    if (i.op == OpClass::read_only_load) {
      CHECK(i.non_coherent);
      CHECK(i.width == 4);
      ++loads;
    }
  CHECK(loads == 2);  // the two rows; neighbours in a row are one access
}

// Levels of mip maps: which one a lane reads, and what lies between two.

using ptx_bench::kernel;
using ptx_bench::launch;

namespace {

/// 8 by 4 texels of 0, 4 by 2 of 100, 2 by 1 of 200 and one of 300, but for the texel in the corner of each
/// level, which is 1 more.
PtxTexture hundreds(GlobalMemory& memory) {
  PtxTexture t;
  for (std::uint32_t n = 0; n < 4; ++n) {
    const std::uint32_t width = 8U >> n, height = std::max(1U, 4U >> n);
    std::vector<float> texels(std::size_t{width} * height, 100.0f * static_cast<float>(n));
    texels[0] += 1;
    const Address data = memory.upload(texels, "level");
    const std::uint64_t row = width * 4, slice = row * height;
    if (n == 0) {
      t.data = data;
      t.size = {width, height, 1};
      t.row_bytes = row;
      t.slice_bytes = slice;
    } else {
      t.smaller.push_back({data, {width, height, 1}, row, slice});
    }
  }
  t.normalized = true;
  t.most_level = 100;
  return t;
}

/// What thread i reads with `fetch`, which has given[i] in %f0 and the object in %d1; %f1 is 0.9, %f2 0.
std::vector<float> fetched_level(GlobalMemory& memory, const PtxTexture& texture, const std::string& fetch,
                                 const std::vector<float>& given) {
  const std::uint64_t handle = memory.add_texture(texture);
  const Address out = memory.upload(given, "out");
  execute(
      launch(kernel("mov.u64 %d1, " + std::to_string(handle) +
                        ";\nmul.wide.u32 %d2, %r9, 4;\nadd.u64 %d2, %d9, %d2;\nld.global.f32 %f0, [%d2];\n"
                        "mov.f32 %f1, 0f3F666666;\nmov.f32 %f2, 0f00000000;\n" +
                        fetch + "\nst.global.f32 [%d2], %f4;\nret;",
                    ".reg .f32 %f<8>;\n"),
             static_cast<unsigned>(given.size()), out),
      memory);
  return memory.load<float>(out, given.size());
}

const std::string by_level = "tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f1}], %f0;";
const std::vector<float> levels = {-1, 0, 0.25f, 0.5f, 1.25f, 2.75f, 3, 9};

}  // namespace

TEST_CASE("ptx mip map: the nearest level, and two by what lies between them") {
  GlobalMemory memory;
  PtxTexture t = hundreds(memory);
  CHECK(fetched_level(memory, t, by_level, levels) == std::vector<float>{0, 0, 0, 100, 100, 301, 301, 301});
  CHECK(fetched_level(memory, t, by_level, {std::nanf("")}) == std::vector<float>{0});
  t.mip_linear = true;
  // 2.75: a quarter of 200 and three of 301. Nothing lies behind the last level.
  CHECK(fetched_level(memory, t, by_level, levels) ==
        std::vector<float>{0, 0, 25, 50, 125, 275.75f, 301, 301});
  // Steps of 1/256: 0.001 is none of them, 0.003 the first.
  CHECK(fetched_level(memory, t, by_level, {0.001f, 0.003f}) == std::vector<float>{0, 100 / 256.0f});
}

TEST_CASE("ptx mip map: a level is moved, then clamped") {
  GlobalMemory memory;
  PtxTexture t = hundreds(memory);
  t.mip_linear = true;
  t.mip_bias = 0.5f;
  t.least_level = 1;
  t.most_level = 2;
  CHECK(fetched_level(memory, t, by_level, levels) ==
        std::vector<float>{100, 100, 100, 100, 175, 200, 200, 200});
  t.most_level = 0;  // as a description of zeros says: the first, whatever else it says
  t.least_level = 0;
  CHECK(fetched_level(memory, t, by_level, levels) == std::vector<float>(8, 0));
}

TEST_CASE("ptx mip map: derivatives count texels of the first level") {
  GlobalMemory memory;
  PtxTexture t = hundreds(memory);
  // Along x 8 texels a unit: steps of 1/8, 1/4, 1/2 and 1 of the picture are levels 0 to 3.
  const std::vector<float> steps = {0, 0.125f, 0.25f, 0.5f, 1};
  const std::string fetch = "tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f1}], ";
  CHECK(fetched_level(memory, t, fetch + "{%f0, %f2}, {%f2, %f2};", steps) ==
        std::vector<float>{0, 0, 100, 200, 301});
  // Along y 4 texels; the larger step counts.
  CHECK(fetched_level(memory, t, fetch + "{%f2, %f2}, {%f2, %f0};", steps) ==
        std::vector<float>{0, 0, 0, 100, 200});
  CHECK(fetched_level(memory, t, fetch + "{%f0, %f2}, {%f2, %f0};", steps) ==
        std::vector<float>{0, 0, 100, 200, 301});
}

TEST_CASE("ptx mip map: linear in a level and between levels, and without a level it is the first") {
  GlobalMemory memory;
  PtxTexture t = hundreds(memory);
  t.linear = t.mip_linear = true;
  const std::string corner = "tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f2, %f2}], %f0;";
  // (0, 0) is the corner of the texel that is 1 more: clamped, all four are it.
  CHECK(fetched_level(memory, t, corner, {0, 0.5f, 3}) == std::vector<float>{1, 51, 301});
  // x = 1/8 is the edge between the first two of eight texels.
  const std::string plain = "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f0, %f2}];";
  CHECK(fetched_level(memory, t, plain, {0, 0.125f, 0.9f}) == std::vector<float>{1, 0.5f, 0});
  const std::string count = "txq.num_mipmap_levels.b32 %r1, [%d1];\ncvt.rn.f32.u32 %f4, %r1;";
  CHECK(fetched_level(memory, t, count, {0}) == std::vector<float>{4});
  t.smaller.clear();  // an object without levels does not ask for one
  CHECK(fetched_level(memory, t, by_level, {3}) == std::vector<float>{0});
}

TEST_CASE("ptx mip map: derivatives of a cube, and too few of them, are refused") {
  GlobalMemory memory;
  const PtxTexture t = hundreds(memory);
  CHECK_THROWS_WITH(
      fetched_level(memory, t,
                    "tex.grad.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f1, %f1, %f1}], "
                    "{%f1, %f1, %f1, %f1}, {%f1, %f1, %f1, %f1};",
                    {0}),
      strata::tb::has_text("unsupported instruction 'tex.grad.cube"));
  CHECK_THROWS_WITH(
      fetched_level(memory, t,
                    "tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f1}], {%f1}, {%f1};", {0}),
      strata::tb::has_text("expected 2 derivatives in a vector"));
}
