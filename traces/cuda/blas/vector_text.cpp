// PTX of operations on vectors. Steps are bytes from element to element, and may be negative.
#include "traces/cuda/blas/vector_text.h"

namespace strata::cuda::blas {

#define EACH(BODY)                                                                                   \
  "\n.visible .entry {NAME}(.param .u64 x, .param .u64 x_step, .param .u64 y, .param .u64 y_step,\n" \
  "  .param .u32 n, .param .{T} alpha, .param .u64 alpha_at)\n.maxntid 256\n{\n"                     \
  "  .reg .pred %p<2>;\n  .reg .b32 %r<5>;\n  .reg .b64 %a<10>;\n  .reg .{T} %x, %y, %alpha;\n"      \
  "  ld.param.u32 %r0, [n];\n  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %tid.x;\n"                     \
  "  mad.lo.u32 %r3, %r1, 256, %r2;\n  setp.ge.u32 %p0, %r3, %r0;\n  @%p0 bra END;\n"                \
  "  ld.param.u64 %a0, [x];\n  ld.param.u64 %a1, [x_step];\n  ld.param.u64 %a2, [y];\n"              \
  "  ld.param.u64 %a3, [y_step];\n  cvt.u64.u32 %a4, %r3;\n  mad.lo.s64 %a5, %a4, %a1, %a0;\n"       \
  "  mad.lo.s64 %a6, %a4, %a3, %a2;\n" BODY "END:\n  ret;\n}\n"
#define ALPHA                                                                                      \
  "  ld.param.{T} %alpha, [alpha];\n  ld.param.u64 %a7, [alpha_at];\n  setp.ne.u64 %p1, %a7, 0;\n" \
  "  @%p1 ld.global.{T} %alpha, [%a7];\n"

const char* const axpy_text = EACH(ALPHA
                                   "  ld.global.{T} %x, [%a5];\n  ld.global.{T} %y, [%a6];\n"
                                   "  fma.rn.{T} %y, %alpha, %x, %y;\n  st.global.{T} [%a6], %y;\n");
const char* const scal_text =
    EACH(ALPHA "  ld.global.{T} %x, [%a5];\n  mul.rn.{T} %x, %alpha, %x;\n  st.global.{T} [%a5], %x;\n");
const char* const copy_text = EACH("  ld.global.{T} %x, [%a5];\n  st.global.{T} [%a6], %x;\n");
const char* const swap_text = EACH(
    "  ld.global.{T} %x, [%a5];\n  ld.global.{T} %y, [%a6];\n"
    "  st.global.{T} [%a5], %y;\n  st.global.{T} [%a6], %x;\n");

/// Threads of all blocks go through the elements; TAKE adds one to %s, which is of the type S, Z its zero, W
/// its bytes; FINISH makes what is left of %s to %out, of the type R and V bytes.
#define SUM(S, Z, W, R, V, TAKE, FINISH)                                                                     \
  "\n.visible .entry {NAME}(.param .u64 x, .param .u64 x_step, .param .u64 y, .param .u64 y_step,\n"         \
  "  .param .u32 n, .param .u64 to)\n.maxntid 256\n{\n  .shared .align 8 .b8 sums[2048];\n"                  \
  "  .reg .pred %p<3>;\n  .reg .b32 %r<10>;\n  .reg .b64 %a<12>;\n  .reg .{T} %x, %y;\n  .reg ." S           \
  " %s, %t;\n"                                                                                               \
  "  .reg ." R                                                                                               \
  " %out;\n"                                                                                                 \
  "  ld.param.u32 %r0, [n];\n  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %tid.x;\n  mov.u32 %r3, %nctaid.x;\n"  \
  "  mad.lo.u32 %r4, %r1, 256, %r2;\n  shl.b32 %r3, %r3, 8;\n  ld.param.u64 %a0, [x];\n"                     \
  "  ld.param.u64 %a1, [x_step];\n  ld.param.u64 %a2, [y];\n  ld.param.u64 %a3, [y_step];\n  mov." S         \
  " %s, " Z                                                                                                  \
  ";\n  setp.ge.u32 %p0, %r4, %r0;\n  @%p0 bra ADDED;\nNEXT:\n  cvt.u64.u32 %a4, %r4;\n"                     \
  "  mad.lo.s64 %a5, %a4, %a1, %a0;\n  mad.lo.s64 %a6, %a4, %a3, %a2;\n" TAKE                                \
  "  add.u32 %r4, %r4, %r3;\n  setp.lt.u32 %p0, %r4, %r0;\n  @%p0 bra NEXT;\nADDED:\n  mov.u32 %r5, sums;\n" \
  "  mad.lo.u32 %r5, %r2, " W ", %r5;\n  st.shared." S                                                       \
  " [%r5], %s;\n  bar.sync 0;\n  mov.u32 %r6, 128;\nHALVE:\n"                                                \
  "  setp.ge.u32 %p1, %r2, %r6;\n  @%p1 bra WAIT;\n  mad.lo.u32 %r7, %r6, " W ", %r5;\n  ld.shared." S       \
  " %s, [%r5];\n  ld.shared." S " %t, [%r7];\n  add." S " %s, %s, %t;\n  st.shared." S                       \
  " [%r5], %s;\nWAIT:\n  bar.sync 0;\n  shr.u32 %r6, %r6, 1;\n  setp.ne.u32 %p0, %r6, 0;\n  @%p0 bra "       \
  "HALVE;\n"                                                                                                 \
  "  setp.ne.u32 %p0, %r2, 0;\n  @%p0 bra END;\n  ld.shared." S                                              \
  " %s, [%r5];\n  ld.param.u64 %a7, [to];\n  cvt.u64.u32 %a8, %r1;\n  mad.lo.u64 %a7, %a8, " V               \
  ", %a7;\n" FINISH "  st.global." R " [%a7], %out;\nEND:\n  ret;\n}\n"

const char* const dot_text =
    SUM("{T}", "{0}", "{B}", "{T}", "{B}",
        "  ld.global.{T} %x, [%a5];\n  ld.global.{T} %y, [%a6];\n  fma.rn.{T} %s, %x, %y, "
        "%s;\n",
        "  mov.{T} %out, %s;\n");
const char* const asum_text =
    SUM("{T}", "{0}", "{B}", "{T}", "{B}",
        "  ld.global.{T} %x, [%a5];\n  abs.{T} %x, %x;\n  add.{T} %s, %s, %x;\n", "  mov.{T} %out, %s;\n");
const char* const sum_text =
    SUM("{T}", "{0}", "{B}", "{T}", "{B}", "  ld.global.{T} %x, [%a5];\n  add.{T} %s, %s, %x;\n",
        "  mov.{T} %out, %s;\n");
const char* const nrm2_text =
    SUM("f64", "0d0000000000000000", "8", "f64", "8",
        "  ld.global.{T} %x, [%a5];\n  cvt.f64.{T} %t, %x;\n  fma.rn.f64 %s, %t, %t, %s;\n",
        "  mov.f64 %out, %s;\n");
const char* const root_text =
    SUM("f64", "0d0000000000000000", "8", "{T}", "{B}", "  ld.global.f64 %t, [%a5];\n  add.f64 %s, %s, %t;\n",
        "  sqrt.rn.f64 %s, %s;\n  cvt.rn.{T}.f64 %out, %s;\n");

/// %x and %r7 are the best so far and where; a thread that has nothing has 0 there. Of equals the first.
#define BEST(BETTER)                                                                                         \
  "\n.visible .entry {NAME}(.param .u64 x, .param .u64 x_step, .param .u32 n, .param .u64 to)\n.maxntid "    \
  "256\n{\n"                                                                                                 \
  "  .shared .align 8 .b8 best[2048];\n  .shared .align 4 .b8 places[1024];\n  .reg .pred %p<8>;\n"          \
  "  .reg .b32 %r<14>;\n  .reg .b64 %a<6>;\n  .reg .{T} %x, %y;\n  ld.param.u32 %r0, [n];\n"                 \
  "  ld.param.u64 %a0, [x];\n  ld.param.u64 %a1, [x_step];\n  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %r1;\n"   \
  "  mov.{T} %x, {0};\n  mov.u32 %r7, 0;\n  setp.ge.u32 %p0, %r2, %r0;\n  @%p0 bra LOOKED;\nNEXT:\n"         \
  "  cvt.u64.u32 %a2, %r2;\n  mad.lo.s64 %a3, %a2, %a1, %a0;\n  ld.global.{T} %y, [%a3];\n  abs.{T} %y, "    \
  "%y;\n"                                                                                                    \
  "  setp." BETTER                                                                                           \
  ".{T} %p1, %y, %x;\n  setp.eq.u32 %p2, %r7, 0;\n  or.pred %p1, %p1, %p2;\n  add.u32 %r3, %r2, 1;\n"        \
  "  @%p1 mov.{T} %x, %y;\n  @%p1 mov.u32 %r7, %r3;\n  add.u32 %r2, %r2, 256;\n  setp.lt.u32 %p0, %r2, "     \
  "%r0;\n"                                                                                                   \
  "  @%p0 bra NEXT;\nLOOKED:\n  mov.u32 %r4, best;\n  mad.lo.u32 %r4, %r1, {B}, %r4;\n  mov.u32 %r5, "       \
  "places;\n"                                                                                                \
  "  mad.lo.u32 %r5, %r1, 4, %r5;\n  st.shared.{T} [%r4], %x;\n  st.shared.u32 [%r5], %r7;\n  bar.sync 0;\n" \
  "  mov.u32 %r6, 128;\nHALVE:\n  setp.ge.u32 %p0, %r1, %r6;\n  @%p0 bra WAIT;\n  mad.lo.u32 %r8, %r6, "     \
  "{B}, %r4;\n"                                                                                              \
  "  mad.lo.u32 %r9, %r6, 4, %r5;\n  ld.shared.{T} %y, [%r8];\n  ld.shared.u32 %r10, [%r9];\n"               \
  "  setp." BETTER                                                                                           \
  ".{T} %p1, %y, %x;\n  setp.eq.u32 %p2, %r7, 0;\n  or.pred %p1, %p1, %p2;\n  setp.eq.{T} %p3, %y, %x;\n"    \
  "  setp.lt.and.u32 %p3, %r10, %r7, %p3;\n  or.pred %p1, %p1, %p3;\n  setp.ne.and.u32 %p1, %r10, 0, %p1;\n" \
  "  @%p1 mov.{T} %x, %y;\n  @%p1 mov.u32 %r7, %r10;\n  st.shared.{T} [%r4], %x;\n  st.shared.u32 [%r5], "   \
  "%r7;\n"                                                                                                   \
  "WAIT:\n  bar.sync 0;\n  shr.u32 %r6, %r6, 1;\n  setp.ne.u32 %p0, %r6, 0;\n  @%p0 bra HALVE;\n"            \
  "  setp.ne.u32 %p0, %r1, 0;\n  @%p0 bra END;\n  ld.param.u64 %a4, [to];\n  st.global.u32 [%a4], "          \
  "%r7;\nEND:\n"                                                                                             \
  "  ret;\n}\n"
const char* const amax_text = BEST("gt");
const char* const amin_text = BEST("lt");

}  // namespace strata::cuda::blas
