// Levels of mip maps: which one a lane reads, and what lies between two.
#include <cmath>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"

using namespace strata;
using namespace strata::traces;
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
std::vector<float> fetched(GlobalMemory& memory, const PtxTexture& texture, const std::string& fetch,
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
  CHECK(fetched(memory, t, by_level, levels) == std::vector<float>{0, 0, 0, 100, 100, 301, 301, 301});
  CHECK(fetched(memory, t, by_level, {std::nanf("")}) == std::vector<float>{0});
  t.mip_linear = true;
  // 2.75: a quarter of 200 and three of 301. Nothing lies behind the last level.
  CHECK(fetched(memory, t, by_level, levels) == std::vector<float>{0, 0, 25, 50, 125, 275.75f, 301, 301});
  // Steps of 1/256: 0.001 is none of them, 0.003 the first.
  CHECK(fetched(memory, t, by_level, {0.001f, 0.003f}) == std::vector<float>{0, 100 / 256.0f});
}

TEST_CASE("ptx mip map: a level is moved, then clamped") {
  GlobalMemory memory;
  PtxTexture t = hundreds(memory);
  t.mip_linear = true;
  t.mip_bias = 0.5f;
  t.least_level = 1;
  t.most_level = 2;
  CHECK(fetched(memory, t, by_level, levels) == std::vector<float>{100, 100, 100, 100, 175, 200, 200, 200});
  t.most_level = 0;  // as a description of zeros says: the first, whatever else it says
  t.least_level = 0;
  CHECK(fetched(memory, t, by_level, levels) == std::vector<float>(8, 0));
}

TEST_CASE("ptx mip map: derivatives count texels of the first level") {
  GlobalMemory memory;
  PtxTexture t = hundreds(memory);
  // Along x 8 texels a unit: steps of 1/8, 1/4, 1/2 and 1 of the picture are levels 0 to 3.
  const std::vector<float> steps = {0, 0.125f, 0.25f, 0.5f, 1};
  const std::string fetch = "tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f1}], ";
  CHECK(fetched(memory, t, fetch + "{%f0, %f2}, {%f2, %f2};", steps) ==
        std::vector<float>{0, 0, 100, 200, 301});
  // Along y 4 texels; the larger step counts.
  CHECK(fetched(memory, t, fetch + "{%f2, %f2}, {%f2, %f0};", steps) ==
        std::vector<float>{0, 0, 0, 100, 200});
  CHECK(fetched(memory, t, fetch + "{%f0, %f2}, {%f2, %f0};", steps) ==
        std::vector<float>{0, 0, 100, 200, 301});
}

TEST_CASE("ptx mip map: linear in a level and between levels, and without a level it is the first") {
  GlobalMemory memory;
  PtxTexture t = hundreds(memory);
  t.linear = t.mip_linear = true;
  const std::string corner = "tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f2, %f2}], %f0;";
  // (0, 0) is the corner of the texel that is 1 more: clamped, all four are it.
  CHECK(fetched(memory, t, corner, {0, 0.5f, 3}) == std::vector<float>{1, 51, 301});
  // x = 1/8 is the edge between the first two of eight texels.
  const std::string plain = "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f0, %f2}];";
  CHECK(fetched(memory, t, plain, {0, 0.125f, 0.9f}) == std::vector<float>{1, 0.5f, 0});
  const std::string count = "txq.num_mipmap_levels.b32 %r1, [%d1];\ncvt.rn.f32.u32 %f4, %r1;";
  CHECK(fetched(memory, t, count, {0}) == std::vector<float>{4});
  t.smaller.clear();  // an object without levels does not ask for one
  CHECK(fetched(memory, t, by_level, {3}) == std::vector<float>{0});
}

TEST_CASE("ptx mip map: derivatives of a cube, and too few of them, are refused") {
  GlobalMemory memory;
  const PtxTexture t = hundreds(memory);
  CHECK_THROWS_WITH(fetched(memory, t,
                            "tex.grad.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f1, %f1, %f1}], "
                            "{%f1, %f1, %f1, %f1}, {%f1, %f1, %f1, %f1};",
                            {0}),
                    strata::tb::has_text("unsupported instruction 'tex.grad.cube"));
  CHECK_THROWS_WITH(
      fetched(memory, t, "tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f1}], {%f1}, {%f1};",
              {0}),
      strata::tb::has_text("expected 2 derivatives in a vector"));
}
