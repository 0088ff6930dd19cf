// PTX of operations on matrices and vectors, and of triangular systems. Steps and pitches are bytes.
#include "traces/cuda/blas/matrix_text.h"

namespace strata::cuda::blas {

#define SCALAR(name, at, pred)                                                                        \
  "  ld.param.{T} %" name ", [" name "];\n  ld.param.u64 " at ", [" name "_at];\n  setp.ne.u64 " pred \
  ", " at                                                                                             \
  ", 0;\n"                                                                                            \
  "  @" pred " ld.global.{T} %" name ", [" at "];\n"
#define GEMV_HEAD                                                                                           \
  "\n.visible .entry {NAME}(.param .u64 a, .param .u64 pitch, .param .u32 m, .param .u32 n, .param .u64 "   \
  "x,\n"                                                                                                    \
  "  .param .u64 x_step, .param .u64 y, .param .u64 y_step, .param .{T} alpha, .param .u64 alpha_at,\n"     \
  "  .param .{T} beta, .param .u64 beta_at)\n.maxntid 128\n{\n  .shared .align 8 .b8 sums[1024];\n"         \
  "  .reg .pred %p<4>;\n  .reg .b32 %r<12>;\n  .reg .b64 %a<16>;\n  .reg .{T} %s, %t, %x, %y, %alpha, "     \
  "%beta;\n"                                                                                                \
  "  ld.param.u64 %a0, [a];\n  ld.param.u64 %a1, [pitch];\n  ld.param.u32 %r0, [m];\n  ld.param.u32 %r1, "  \
  "[n];\n"                                                                                                  \
  "  ld.param.u64 %a2, [x];\n  ld.param.u64 %a3, [x_step];\n  ld.param.u64 %a4, [y];\n  ld.param.u64 %a5, " \
  "[y_step];\n" SCALAR("alpha", "%a6", "%p0")                                                               \
      SCALAR("beta", "%a6", "%p0") "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %tid.x;\n  mov.{T} %s, {0};\n"
/// %s times alpha, and beta times what lies there unless beta is 0.
#define GEMV_END                                                                                         \
  "  mov.{T} %y, {0};\n  setp.neu.{T} %p2, %beta, {0};\n  @%p2 ld.global.{T} %y, [%a10];\n"              \
  "  mul.rn.{T} %t, %alpha, %s;\n  fma.rn.{T} %t, %beta, %y, %t;\n  st.global.{T} [%a10], %t;\nEND:\n  " \
  "ret;\n}\n"

const char* const gemv_n_text = GEMV_HEAD
    "  mad.lo.u32 %r4, %r2, 128, %r3;\n  setp.ge.u32 %p0, %r4, %r0;\n  @%p0 bra END;\n  cvt.u64.u32 %a7, "
    "%r4;\n"
    "  mad.lo.u64 %a8, %a7, {B}, %a0;\n  mad.lo.s64 %a10, %a7, %a5, %a4;\n  mov.u32 %r5, 0;\n"
    "  setp.eq.{T} %p1, %alpha, {0};\n  selp.b32 %r1, 0, %r1, %p1;\n  setp.ge.u32 %p0, %r5, %r1;\n  @%p0 bra "
    "ADDED;\n"
    "NEXT:\n  ld.global.{T} %x, [%a2];\n  ld.global.{T} %y, [%a8];\n  fma.rn.{T} %s, %y, %x, %s;\n"
    "  add.s64 %a2, %a2, %a3;\n  add.u64 %a8, %a8, %a1;\n  add.u32 %r5, %r5, 1;\n  setp.lt.u32 %p0, %r5, "
    "%r1;\n"
    "  @%p0 bra NEXT;\nADDED:\n" GEMV_END;

const char* const gemv_t_text = GEMV_HEAD
    "  cvt.u64.u32 %a7, %r2;\n  mad.lo.u64 %a8, %a7, %a1, %a0;\n  mad.lo.s64 %a10, %a7, %a5, %a4;\n"
    "  setp.eq.{T} %p1, %alpha, {0};\n  selp.b32 %r0, 0, %r0, %p1;\n  mov.u32 %r5, %r3;\n"
    "  setp.ge.u32 %p0, %r5, %r0;\n  @%p0 bra ADDED;\nNEXT:\n  cvt.u64.u32 %a11, %r5;\n"
    "  mad.lo.u64 %a12, %a11, {B}, %a8;\n  mad.lo.s64 %a13, %a11, %a3, %a2;\n  ld.global.{T} %y, [%a12];\n"
    "  ld.global.{T} %x, [%a13];\n  fma.rn.{T} %s, %y, %x, %s;\n  add.u32 %r5, %r5, 128;\n"
    "  setp.lt.u32 %p0, %r5, %r0;\n  @%p0 bra NEXT;\nADDED:\n  mov.u32 %r6, sums;\n  mad.lo.u32 %r6, %r3, "
    "{B}, %r6;\n"
    "  st.shared.{T} [%r6], %s;\n  bar.sync 0;\n  mov.u32 %r7, 64;\nHALVE:\n  setp.ge.u32 %p0, %r3, %r7;\n"
    "  @%p0 bra WAIT;\n  mad.lo.u32 %r8, %r7, {B}, %r6;\n  ld.shared.{T} %s, [%r6];\n  ld.shared.{T} %t, "
    "[%r8];\n"
    "  add.{T} %s, %s, %t;\n  st.shared.{T} [%r6], %s;\nWAIT:\n  bar.sync 0;\n  shr.u32 %r7, %r7, 1;\n"
    "  setp.ne.u32 %p0, %r7, 0;\n  @%p0 bra HALVE;\n  setp.ne.u32 %p0, %r3, 0;\n  @%p0 bra END;\n"
    "  ld.shared.{T} %s, [%r6];\n" GEMV_END;

const char* const ger_text =
    "\n.visible .entry {NAME}(.param .u64 x, .param .u64 x_step, .param .u64 y, .param .u64 y_step, .param .u32 m,\n"
    "  .param .u32 n, .param .u64 a, .param .u64 pitch, .param .{T} alpha, .param .u64 alpha_at)\n.maxntid 128\n{\n"
    "  .reg .pred %p<3>;\n  .reg .b32 %r<8>;\n  .reg .b64 %a<16>;\n  .reg .{T} %x, %y, %s, %alpha;\n"
    "  ld.param.u32 %r0, [m];\n  ld.param.u32 %r1, [n];\n  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %tid.x;\n"
    "  mad.lo.u32 %r4, %r2, 128, %r3;\n  setp.ge.u32 %p0, %r4, %r0;\n  @%p0 bra END;\n"
    "  ld.param.u64 %a0, [x];\n  ld.param.u64 %a1, [x_step];\n  ld.param.u64 %a2, [y];\n  ld.param.u64 %a3, [y_step];\n"
    "  ld.param.u64 %a4, [a];\n  ld.param.u64 %a5, [pitch];\n" SCALAR("alpha", "%a6", "%p1")
    "  cvt.u64.u32 %a7, %r4;\n  mad.lo.s64 %a8, %a7, %a1, %a0;\n  ld.global.{T} %x, [%a8];\n"
    "  mul.rn.{T} %x, %alpha, %x;\n  mov.u32 %r5, %ctaid.y;\n  mov.u32 %r6, %nctaid.y;\nNEXT:\n"
    "  cvt.u64.u32 %a9, %r5;\n  mad.lo.s64 %a10, %a9, %a3, %a2;\n  ld.global.{T} %y, [%a10];\n"
    "  mad.lo.u64 %a11, %a9, %a5, %a4;\n  mad.lo.u64 %a11, %a7, {B}, %a11;\n  ld.global.{T} %s, [%a11];\n"
    "  fma.rn.{T} %s, %x, %y, %s;\n  st.global.{T} [%a11], %s;\n  add.u32 %r5, %r5, %r6;\n"
    "  setp.lt.u32 %p0, %r5, %r1;\n  @%p0 bra NEXT;\nEND:\n  ret;\n}\n";

const char* const trsm_text =
    "\n.visible .entry {NAME}(.param .u64 a, .param .u64 a_row, .param .u64 a_column, .param .u64 a_first,\n"
    "  .param .u64 x, .param .u64 x_row, .param .u64 x_column, .param .u64 x_first, .param .u32 order,\n"
    "  .param .u32 sides, .param .u32 unit, .param .u32 tables, .param .{T} alpha, .param .u64 alpha_at)\n"
    ".maxntid 128\n{\n  .reg .pred %p<8>;\n  .reg .b32 %r<12>;\n  .reg .b64 %a<20>;\n"
    "  .reg .{T} %s, %t, %x, %alpha;\n  ld.param.u32 %r0, [order];\n  ld.param.u32 %r1, [sides];\n"
    "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %tid.x;\n  mad.lo.u32 %r4, %r2, 128, %r3;\n"
    "  setp.ge.u32 %p0, %r4, %r1;\n  @%p0 bra END;\n  ld.param.u64 %a0, [a];\n  ld.param.u64 %a1, [x];\n"
    "  ld.param.u32 %r5, [tables];\n  setp.ne.u32 %p1, %r5, 0;\n  mov.u32 %r6, %ctaid.y;\n  cvt.u64.u32 %a2, %r6;\n"
    "  @%p1 mad.lo.u64 %a0, %a2, 8, %a0;\n  @%p1 ld.global.u64 %a0, [%a0];\n  @%p1 mad.lo.u64 %a1, %a2, 8, %a1;\n"
    "  @%p1 ld.global.u64 %a1, [%a1];\n  ld.param.u64 %a3, [a_first];\n  add.s64 %a0, %a0, %a3;\n"
    "  ld.param.u64 %a3, [x_first];\n  add.s64 %a1, %a1, %a3;\n  ld.param.u64 %a4, [a_row];\n"
    "  ld.param.u64 %a5, [a_column];\n  ld.param.u64 %a6, [x_row];\n  ld.param.u64 %a7, [x_column];\n"
    "  cvt.u64.u32 %a8, %r4;\n  mad.lo.s64 %a1, %a8, %a7, %a1;\n" SCALAR("alpha", "%a9", "%p2")
    "  ld.param.u32 %r7, [unit];\n  setp.ne.u32 %p3, %r7, 0;\n  setp.eq.{T} %p4, %alpha, {0};\n"
    // Row by row: %a10 is the row of M, %a11 the element that it gives.
    "  mov.u32 %r8, 0;\n  mov.u64 %a10, %a0;\n  mov.u64 %a11, %a1;\nROW:\n  mov.{T} %s, {0};\n  @%p4 bra STORE;\n"
    "  ld.global.{T} %s, [%a11];\n  mul.rn.{T} %s, %alpha, %s;\n  mov.u64 %a12, %a10;\n  mov.u64 %a13, %a1;\n"
    "  mov.u32 %r9, 0;\n  setp.ge.u32 %p5, %r9, %r8;\n  @%p5 bra DIAGONAL;\nTERM:\n  ld.global.{T} %t, [%a12];\n"
    "  ld.global.{T} %x, [%a13];\n  neg.{T} %t, %t;\n  fma.rn.{T} %s, %t, %x, %s;\n  add.s64 %a12, %a12, %a5;\n"
    "  add.s64 %a13, %a13, %a6;\n  add.u32 %r9, %r9, 1;\n  setp.lt.u32 %p5, %r9, %r8;\n  @%p5 bra TERM;\nDIAGONAL:\n"
    "  @%p3 bra STORE;\n  ld.global.{T} %t, [%a12];\n  div.rn.{T} %s, %s, %t;\nSTORE:\n  st.global.{T} [%a11], %s;\n"
    "  add.s64 %a10, %a10, %a4;\n  add.s64 %a11, %a11, %a6;\n  add.u32 %r8, %r8, 1;\n  setp.lt.u32 %p5, %r8, %r0;\n"
    "  @%p5 bra ROW;\nEND:\n  ret;\n}\n";

}  // namespace strata::cuda::blas
