#include "traces/cuda/blas/text_for.h"

namespace strata::cuda::blas {

std::string text_for(bool wide, const std::string& name, std::string text) {
  const std::pair<std::string, std::string> marks[] = {{"{T}", wide ? "f64" : "f32"},
                                                       {"{B}", wide ? "8" : "4"},
                                                       {"{0}", wide ? "0d0000000000000000" : "0f00000000"},
                                                       {"{NAME}", name}};
  for (const auto& [mark, with] : marks)
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + with.size()))
      text.replace(at, mark.size(), with);
  return ".version 7.1\n.target sm_80\n.address_size 64\n" + text;
}

// PTX of vector operations. Steps are bytes between elements, and may be negative.

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

/// Threads of all blocks loop over the elements; TAKE adds one to %s, which has type S, zero Z and W bytes;
/// FINISH converts the rest of %s to %out, of type R and V bytes. its bytes; FINISH makes what is left of %s
/// to %out, of the type R and V bytes.
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

// PTX of operations on matrices and vectors, and of triangular systems. Steps and pitches are bytes.

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
