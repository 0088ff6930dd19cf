// PTX 1.4, as programs that were written for the first machines carry it.
#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"

using namespace strata;
using namespace strata::traces;
using namespace strata::traces::ptx_bench;

namespace {

/// What each of 32 threads computes in %r0.
std::vector<std::uint32_t> per_thread_1_4(const std::string& code, const std::string& target = "sm_10") {
  return run("\t.version 1.4\n\t.target " + target +
                 "\n.entry k (.param .u64 out)\n{\n.reg .u16 %rh<4>;\n.reg .u32 %r<9>;\n.reg .u64 %rd<5>;\n"
                 ".reg .f32 %f<9>;\n.reg .f64 %fd<3>;\n.reg .pred %p<3>;\n" +
                 code +
                 "\ncvt.u64.u16 %rd1, %tid.x;\nmul.lo.u64 %rd2, %rd1, 4;\nld.param.u64 %rd3, [out];\n"
                 "add.u64 %rd4, %rd3, %rd2;\nst.global.u32 [%rd4+0], %r0;\nexit;\n}\n",
             32, 32);
}
float real(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

}  // namespace

TEST_CASE("ptx: version 1.4 reads the places of threads as 16 bits") {
  const auto r = per_thread_1_4(
      "cvt.s32.u16 %r1, %tid.x;\nmov.u16 %rh1, %ntid.x;\ncvt.u32.u16 %r2, %rh1;\n"
      "mad.lo.u32 %r0, %r1, 3, %r2;");
  CHECK(r[0] == 32);
  CHECK(r[31] == 31 * 3 + 32);
}

TEST_CASE("ptx: for sm_1x, subnormal numbers are 0 in single precision, and mad is fused") {
  // 2^-126 / 2 is subnormal.
  CHECK(per_thread_1_4("mov.f32 %f1, 0f00800000;\nmul.f32 %f2, %f1, 0f3f000000;\nmov.b32 %r0, %f2;")[0] == 0);
  CHECK(per_thread_1_4("mov.f32 %f1, 0f00400000;\nset.gt.u32.f32 %r0, %f1, 0f00000000;")[0] == 0);
  // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, which a rounded product would lose.
  const float rest =
      real(per_thread_1_4("mov.f32 %f1, 0f3f800800;\nmov.f32 %f2, 0fbf801000;\nmad.f32 %f3, %f1, %f1, %f2;\n"
                          "mov.b32 %r0, %f3;")[0]);
  CHECK(rest == 0x1p-24f);
}

TEST_CASE("ptx: doubles that become float are refused, others are doubles") {
  const std::string sum =
      "mov.f64 %fd1, 0d3ff0000000000000;\nadd.rn.f64 %fd2, %fd1, %fd1;\n"
      "cvt.rzi.u32.f64 %r0, %fd2;";
  CHECK(per_thread_1_4(sum, "sm_13")[5] == 2);
  CHECK_THROWS_AS(per_thread_1_4(sum, "sm_10, map_f64_to_f32"), TraceError);
}
