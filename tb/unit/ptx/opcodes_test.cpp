#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"
#include "traces/ptx/decode/decoded_kernel.h"
#include "traces/ptx/lanes/handlers.h"

using namespace strata::traces;
using namespace strata::traces::ptx;
using namespace strata;
using namespace strata::traces::ptx_bench;

using ptx_bench::half;
using ptx_bench::per_thread;
using ptx_bench::wide;
using ptx_bench::word;

// Expected values are worked out by hand from the PTX ISA; floats are written as their bits:
// 1.0 = 3f800000, 2.0 = 40000000, 0.5 = 3f000000, -1.0 = bf800000, infinity = 7f800000, NaN = 7fc00000.

TEST_CASE("ptx: the type of a function of one lane says what its handler reads and writes") {
  const auto signature = [](const char* key) { return std::string(ptx::find_handler(key)->signature.text); };
  CHECK(signature("add.u16") == "h=hh");
  CHECK(signature("mad.wide.s32") == "l=wwl");
  CHECK(signature("shl.b64") == "l=lw");
  CHECK(signature("setp.leu.f64") == "p=ll");
  CHECK(signature("cvt.sat.s8.u64.h") == "h=l");
  CHECK(signature("fma.rz.f64") == "l=lll");
  CHECK(signature("set.gtu.bf16.w") == "w=hh");
  CHECK(signature("fma.relu.f16x2") == "w=www");
  CHECK(signature("atom.cas.u16").empty());  // the decoder knows
  CHECK(ptx::find_handler("add.u8") == nullptr);
  CHECK(ptx::handler_keys().size() == 1400);
}

TEST_CASE("ptx: integer arithmetic wraps, saturates and keeps high halves") {
  CHECK(word("mov.b32 %r1, 0xffffffff; add.s32 %r0, %r1, 2;") == 1);
  CHECK(word("mov.b32 %r1, 0x7fffffff; add.sat.s32 %r0, %r1, 1;") == 0x7fffffff);
  CHECK(word("mov.b32 %r1, 0x80000000; sub.sat.s32 %r0, %r1, 1;") == 0x80000000);
  CHECK(word("mov.b32 %r1, -3; mul.lo.s32 %r0, %r1, 5;") == static_cast<std::uint32_t>(-15));
  CHECK(word("mov.b32 %r1, 0x80000000; mul.hi.s32 %r0, %r1, 2;") == 0xffffffff);  // -2^31 * 2 = -2^32
  CHECK(word("mov.b32 %r1, 0x80000000; mul.hi.u32 %r0, %r1, 2;") == 1);
  CHECK(wide("mov.b32 %r1, -2; mul.wide.s32 %d0, %r1, 3;") == static_cast<std::uint64_t>(-6));
  CHECK(wide("mov.b32 %r1, -2; mul.wide.u32 %d0, %r1, 3;") == 0x2fffffffau);  // (2^32 - 2) * 3
  CHECK(wide("mov.b32 %r1, 7; mov.b64 %d1, -1; mad.wide.s32 %d0, %r1, %r1, %d1;") == 48);
  CHECK(word("mov.b32 %r1, 10; mad.lo.s32 %r0, %r1, %r1, -1;") == 99);
  CHECK(wide("mov.b64 %d1, 0x8000000000000000; mul.hi.u64 %d0, %d1, 6;") == 3);
  CHECK(half("mov.b16 %h1, 300; mul.lo.u16 %h0, %h1, %h1;") == (90000 & 0xffff));
  CHECK(word("mov.b32 %r1, 3; mov.b32 %r2, 10; sad.s32 %r0, %r1, %r2, 100;") == 107);
  CHECK(word("mov.b32 %r1, 0x01ffffff; mul24.lo.u32 %r0, %r1, 1;") == 0x00ffffff);
  CHECK(word("mov.b32 %r1, 0x01020304; mov.b32 %r2, 0x01010101; dp4a.u32.u32 %r0, %r1, %r2, 5;") == 15);
}

TEST_CASE("ptx: division follows the machine at its edges") {
  CHECK(word("mov.b32 %r1, -7; div.s32 %r0, %r1, 2;") == static_cast<std::uint32_t>(-3));  // towards zero
  CHECK(word("mov.b32 %r1, -7; rem.s32 %r0, %r1, 2;") == static_cast<std::uint32_t>(-1));
  CHECK(word("mov.b32 %r1, 7; mov.b32 %r2, 0; div.u32 %r0, %r1, %r2;") == 0xffffffff);
  CHECK(word("mov.b32 %r1, 7; mov.b32 %r2, 0; rem.u32 %r0, %r1, %r2;") == 0xffffffff);
  CHECK(word("mov.b32 %r1, 0x80000000; mov.b32 %r2, -1; div.s32 %r0, %r1, %r2;") == 0x80000000);
  CHECK(word("mov.b32 %r1, 0x80000000; mov.b32 %r2, -1; rem.s32 %r0, %r1, %r2;") == 0);
}

TEST_CASE("ptx: shifts beyond the width") {
  CHECK(word("mov.b32 %r1, 1; shl.b32 %r0, %r1, 31;") == 0x80000000);
  CHECK(word("mov.b32 %r1, 1; shl.b32 %r0, %r1, 32;") == 0);
  CHECK(word("mov.b32 %r1, 0x80000000; shr.u32 %r0, %r1, 40;") == 0);
  CHECK(word("mov.b32 %r1, 0x80000000; shr.s32 %r0, %r1, 40;") == 0xffffffff);
  CHECK(wide("mov.b64 %d1, 1; shl.b64 %d0, %d1, 63;") == 0x8000000000000000u);
  CHECK(wide("mov.b64 %d1, 1; shl.b64 %d0, %d1, 64;") == 0);
  CHECK(word("mov.b32 %r1, 0x11223344; mov.b32 %r2, 0x55667788; shf.l.wrap.b32 %r0, %r1, %r2, 8;") ==
        0x66778811);
  CHECK(word("mov.b32 %r1, 0x11223344; mov.b32 %r2, 0x55667788; shf.r.clamp.b32 %r0, %r1, %r2, 40;") ==
        0x55667788);
  CHECK(word("mov.b32 %r1, 0x11223344; mov.b32 %r2, 0x55667788; shf.l.clamp.b32 %r0, %r1, %r2, 32;") ==
        0x11223344);
}

TEST_CASE("ptx: bit operations") {
  CHECK(word("mov.b32 %r1, 0xf0f0f0f0; popc.b32 %r0, %r1;") == 16);
  CHECK(word("mov.b32 %r1, 0; clz.b32 %r0, %r1;") == 32);
  CHECK(word("mov.b64 %d1, 1; clz.b64 %r0, %d1;") == 63);
  CHECK(word("mov.b32 %r1, 1; brev.b32 %r0, %r1;") == 0x80000000);
  CHECK(word("mov.b32 %r1, 0; bfind.u32 %r0, %r1;") == 0xffffffff);
  CHECK(word("mov.b32 %r1, -2; bfind.s32 %r0, %r1;") == 0);
  CHECK(word("mov.b32 %r1, 0x12345678; bfe.u32 %r0, %r1, 8, 8;") == 0x56);
  CHECK(word("mov.b32 %r1, 0x0000f800; bfe.s32 %r0, %r1, 8, 8;") == 0xfffffff8);
  CHECK(word("mov.b32 %r1, 0x12345678; bfe.u32 %r0, %r1, 28, 8;") == 1);
  CHECK(word("mov.b32 %r1, 0xff; mov.b32 %r2, 0; bfi.b32 %r0, %r1, %r2, 4, 4;") == 0xf0);
  CHECK(wide("mov.b64 %d1, 5; mov.b64 %d2, 7; bfi.b64 %d0, %d1, %d2, 32, 32;") == 0x500000007u);
  CHECK(word("mov.b32 %r1, 0x33221100; mov.b32 %r2, 0x77665584; prmt.b32 %r0, %r1, %r2, 0x7c10;") ==
        0x77ff1100);
  CHECK(word("mov.b32 %r1, 12; mov.b32 %r2, 10; mov.b32 %r3, 6; lop3.b32 %r0, %r1, %r2, %r3, 0x96;") ==
        (12 ^ 10 ^ 6));
  CHECK(word("mov.b32 %r1, 5; cnot.b32 %r0, %r1;") == 0);
  CHECK(half("mov.b16 %h1, 0x00ff; not.b16 %h0, %h1;") == 0xff00);
}

TEST_CASE("ptx: carries run through chains") {
  // 0xffffffff + 1 carries into the second word; 0 - 1 borrows from it.
  CHECK(word("mov.b32 %r1, -1; add.cc.u32 %r2, %r1, 1; addc.u32 %r0, 5, 6;") == 12);
  CHECK(word("mov.b32 %r1, 0; sub.cc.u32 %r2, %r1, 1; subc.u32 %r0, %r1, 0;") == 0xffffffff);
  CHECK(word("mov.b32 %r1, -1; mad.lo.cc.u32 %r2, %r1, 1, 1; madc.hi.u32 %r0, %r1, 2, 10;") == 12);
}

TEST_CASE("ptx: float arithmetic rounds, flushes and saturates by its modifiers") {
  CHECK(word("mov.b32 %r1, 0f3F800000; add.f32 %r0, %r1, 0f33800000;") == 0x3f800000);  // 1 + 2^-24: to even
  CHECK(word("mov.b32 %r1, 0f3F800000; add.rp.f32 %r0, %r1, 0f33800000;") == 0x3f800001);
  CHECK(word("mov.b32 %r1, 0f3F800000; add.rz.f32 %r0, %r1, 0f33800000;") == 0x3f800000);
  CHECK(word("mov.b32 %r1, 0f3F800000; div.rm.f32 %r0, %r1, 0f40400000;") == 0x3eaaaaaa);  // 1/3 downwards
  CHECK(word("mov.b32 %r1, 0f3F800000; div.rn.f32 %r0, %r1, 0f40400000;") == 0x3eaaaaab);
  CHECK(word("mov.b32 %r1, 0f00000001; mul.ftz.f32 %r0, %r1, 0f7F000000;") == 0);
  CHECK(word("mov.b32 %r1, 0f00000001; mul.f32 %r0, %r1, 0f40000000;") == 2);
  CHECK(word("mov.b32 %r1, 0f40000000; add.sat.f32 %r0, %r1, %r1;") == 0x3f800000);
  CHECK(word("mov.b32 %r1, 0f7FC00000; add.sat.f32 %r0, %r1, %r1;") == 0);
  // (1 + 2^-12)^2 - 1 = 2^-11 + 2^-24: exact with one rounding only.
  CHECK(word("mov.b32 %r1, 0f3F800800; fma.rn.f32 %r0, %r1, %r1, 0fBF800000;") == 0x3a000400);
  CHECK(word("mov.b32 %r1, 0fBF800000; abs.f32 %r0, %r1;") == 0x3f800000);
  CHECK(word("mov.b32 %r1, 0f00000000; neg.f32 %r0, %r1;") == 0x80000000);
  CHECK(wide("mov.b64 %d1, 0d3FF0000000000000; div.rn.f64 %d0, %d1, 0d4008000000000000;") ==
        0x3fd5555555555555u);
}

TEST_CASE("ptx: flushing goes with every rounding and with comparisons") {
  CHECK(word("mov.b32 %r1, 0f00000001; fma.rz.ftz.f32 %r0, %r1, 0f7F000000, 0f00000000;") == 0);
  CHECK(word("mov.b32 %r1, 0f3F800000; add.rp.ftz.f32 %r0, %r1, 0f00000001;") == 0x3f800000);
  CHECK(word("mov.b32 %r1, 0f00000001; setp.gt.ftz.f32 %p1, %r1, 0f00000000; selp.b32 %r0, 1, 0, %p1;") == 0);
  CHECK(word("mov.b32 %r1, 0f00000001; set.gt.ftz.u32.f32 %r0, %r1, 0f00000000;") == 0);
  CHECK(word("mov.b32 %r1, 0f00000001; set.gt.u32.f32 %r0, %r1, 0f00000000;") == 0xffffffff);
  CHECK(word("mov.b32 %r1, 0f00000001; setp.gt.f32 %p1, %r1, 0f00000000; selp.b32 %r0, 1, 0, %p1;") == 1);
}

TEST_CASE("ptx: minimum and maximum drop NaN and order zeros") {
  CHECK(word("mov.b32 %r1, 0f7FC00000; min.f32 %r0, %r1, 0f3F800000;") == 0x3f800000);
  CHECK(word("mov.b32 %r1, 0f3F800000; max.f32 %r0, %r1, 0f7FC00000;") == 0x3f800000);
  CHECK((word("mov.b32 %r1, 0f7FC00000; max.NaN.f32 %r0, %r1, 0f3F800000;") & 0x7fffffff) > 0x7f800000);
  CHECK(word("mov.b32 %r1, 0f00000000; min.f32 %r0, %r1, 0f80000000;") == 0x80000000);
  CHECK(word("mov.b32 %r1, 0f80000000; max.f32 %r0, %r1, 0f00000000;") == 0);
  CHECK(word("mov.b32 %r1, -5; min.s32 %r0, %r1, 3;") == static_cast<std::uint32_t>(-5));
  CHECK(word("mov.b32 %r1, -5; min.u32 %r0, %r1, 3;") == 3);
}

TEST_CASE("ptx: special functions at exact points and their edges") {
  CHECK(word("mov.b32 %r1, 0f40400000; ex2.approx.f32 %r0, %r1;") == 0x41000000);  // 2^3
  CHECK(word("mov.b32 %r1, 0f41000000; lg2.approx.f32 %r0, %r1;") == 0x40400000);
  CHECK(word("mov.b32 %r1, 0f00000000; lg2.approx.f32 %r0, %r1;") == 0xff800000);
  CHECK(word("mov.b32 %r1, 0f40800000; rsqrt.approx.f32 %r0, %r1;") == 0x3f000000);
  CHECK(word("mov.b32 %r1, 0f40800000; sqrt.rn.f32 %r0, %r1;") == 0x40000000);
  CHECK(word("mov.b32 %r1, 0f40000000; rcp.approx.f32 %r0, %r1;") == 0x3f000000);
  CHECK(word("mov.b32 %r1, 0f00000000; sin.approx.f32 %r0, %r1;") == 0);
  CHECK(word("mov.b32 %r1, 0f00000000; cos.approx.f32 %r0, %r1;") == 0x3f800000);
  // sin(1) = 0.84147098 = 3f576aa4, cos(1) = 0.54030231 = 3f0a5140, sin(100) = -0.50636564 = bf01a12e.
  CHECK(word("mov.b32 %r1, 0f3F800000; sin.approx.f32 %r0, %r1;") == 0x3f576aa4);
  CHECK(word("mov.b32 %r1, 0f3F800000; cos.approx.f32 %r0, %r1;") == 0x3f0a5140);
  CHECK(word("mov.b32 %r1, 0f42C80000; sin.approx.f32 %r0, %r1;") == 0xbf01a12e);
}

TEST_CASE("ptx: comparisons with NaN, boolean operations and both results") {
  const std::string nan = "mov.b32 %r1, 0f7FC00000; mov.b32 %r2, 0f3F800000; ";
  const std::string pick = " selp.b32 %r0, 1, 0, %p1;";
  CHECK(word(nan + "setp.lt.f32 %p1, %r1, %r2;" + pick) == 0);
  CHECK(word(nan + "setp.ltu.f32 %p1, %r1, %r2;" + pick) == 1);
  CHECK(word(nan + "setp.ne.f32 %p1, %r1, %r2;" + pick) == 0);
  CHECK(word(nan + "setp.neu.f32 %p1, %r1, %r2;" + pick) == 1);
  CHECK(word(nan + "setp.num.f32 %p1, %r1, %r2;" + pick) == 0);
  CHECK(word(nan + "setp.nan.f32 %p1, %r1, %r2;" + pick) == 1);
  CHECK(word("setp.lo.u32 %p1, %r9, 1;" + pick) == 1);
  CHECK(word("mov.b32 %r1, -1; setp.lt.s32 %p1, %r1, 0;" + pick) == 1);
  CHECK(word("mov.b32 %r1, -1; setp.lt.u32 %p1, %r1, 0;" + pick) == 0);
  CHECK(word("setp.eq.u32 %p2, 1, 1; setp.eq.and.u32 %p1|%p3, 2, 3, %p2; selp.b32 %r1, 1, 0, %p1; selp.b32 "
             "%r2, 2, 0, %p3; or.b32 %r0, %r1, %r2;") == 2);
  CHECK(word("setp.eq.u32 %p2, 1, 1; setp.eq.or.u32 %p1, 2, 3, !%p2;" + pick) == 0);
  CHECK(word("setp.eq.u32 %p2, 1, 1; setp.ne.xor.u32 %p1, 2, 3, %p2;" + pick) == 0);
  CHECK(word("setp.eq.u32 %p2, 1, 1; not.pred %p3, %p2; and.pred %p1, %p2, %p3;" + pick) == 0);
  CHECK(word("mov.b32 %r1, 4; set.gt.u32.u32 %r0, %r1, 3;") == 0xffffffff);
}

TEST_CASE("ptx: conversions round, clamp and extend") {
  CHECK(word("mov.b32 %r1, 0f40200000; cvt.rni.s32.f32 %r0, %r1;") == 2);  // 2.5 to even
  CHECK(word("mov.b32 %r1, 0fC0200000; cvt.rmi.s32.f32 %r0, %r1;") == static_cast<std::uint32_t>(-3));
  CHECK(word("mov.b32 %r1, 0fC0200000; cvt.rzi.s32.f32 %r0, %r1;") == static_cast<std::uint32_t>(-2));
  CHECK(word("mov.b32 %r1, 0fC0200000; cvt.rpi.s32.f32 %r0, %r1;") == static_cast<std::uint32_t>(-2));
  CHECK(word("mov.b32 %r1, 0f4F800000; cvt.rzi.s32.f32 %r0, %r1;") == 0x7fffffff);
  CHECK(word("mov.b32 %r1, 0fBF800000; cvt.rzi.u32.f32 %r0, %r1;") == 0);
  CHECK(word("mov.b32 %r1, 0f7FC00000; cvt.rzi.s32.f32 %r0, %r1;") == 0);
  CHECK(word("mov.b32 %r1, 0x01000001; cvt.rn.f32.s32 %r0, %r1;") == 0x4b800000);
  CHECK(word("mov.b32 %r1, 0x01000001; cvt.rp.f32.s32 %r0, %r1;") == 0x4b800001);
  CHECK(word("mov.b32 %r1, -1; cvt.rn.f32.u32 %r0, %r1;") == 0x4f800000);
  CHECK(word("mov.b32 %r1, 0x1ff; cvt.s32.s8 %r0, %r1;") == 0xffffffff);
  CHECK(word("mov.b32 %r1, 0x1ff; cvt.u32.u8 %r0, %r1;") == 0xff);
  CHECK(word("mov.b32 %r1, 300; cvt.sat.u8.s32 %r0, %r1;") == 255);
  CHECK(word("mov.b32 %r1, -300; cvt.sat.s8.s32 %r0, %r1;") == static_cast<std::uint32_t>(-128));
  CHECK(wide("mov.b32 %r1, -1; cvt.s64.s32 %d0, %r1;") == ~std::uint64_t{0});
  CHECK(wide("mov.b32 %r1, -1; cvt.u64.u32 %d0, %r1;") == 0xffffffffu);
  CHECK(word("mov.b64 %d1, 0x1234567890; cvt.u32.u64 %r0, %d1;") == 0x34567890);
  CHECK(word("mov.b64 %d1, 0d3FF0000010000000; cvt.rn.f32.f64 %r0, %d1;") == 0x3f800000);  // a tie
  CHECK(word("mov.b64 %d1, 0d3FF0000010000001; cvt.rn.f32.f64 %r0, %d1;") == 0x3f800001);
  CHECK(word("mov.b32 %r1, 0f40200000; cvt.rni.f32.f32 %r0, %r1;") == 0x40000000);
}

TEST_CASE("ptx: half precision rounds once") {
  // 1.0 = 3c00, 2^-11 + 1 ties to even; 2048 + 1 ties to 2048 (6800).
  CHECK(half("mov.b32 %r1, 0f3F801000; cvt.rn.f16.f32 %h0, %r1;") == 0x3c00);
  CHECK(half("mov.b32 %r1, 0f3F801001; cvt.rn.f16.f32 %h0, %r1;") == 0x3c01);
  CHECK(half("mov.b32 %r1, 0f477FF000; cvt.rn.f16.f32 %h0, %r1;") == 0x7c00);  // 65520 rounds to infinity
  CHECK(half("mov.b32 %r1, 0f33800000; cvt.rn.f16.f32 %h0, %r1;") == 1);  // the smallest subnormal, 2^-24
  CHECK(word("mov.b16 %h1, 0x3c00; cvt.f32.f16 %r0, %h1;") == 0x3f800000);
  CHECK(half("mov.b16 %h1, 0x6800; mov.b16 %h2, 0x3c00; add.f16 %h0, %h1, %h2;") == 0x6800);
  CHECK(half("mov.b16 %h1, 0x3c01; mov.b16 %h2, 0xbc02; fma.rn.f16 %h0, %h1, %h1, %h2;") == 0x0010);  // 2^-20
  CHECK(word("mov.b32 %r1, 0x3c004000; mov.b32 %r2, 0x40003c00; add.f16x2 %r0, %r1, %r2;") == 0x42004200);
  CHECK(half("mov.b32 %r1, 0f3F808000; cvt.rn.bf16.f32 %h0, %r1;") == 0x3f80);
  CHECK(word("mov.b32 %r1, 0f3F800000; mov.b32 %r2, 0f40000000; cvt.rn.f16x2.f32 %r0, %r1, %r2;") ==
        0x3c004000);
}

TEST_CASE("ptx: moves pack and unpack") {
  CHECK(wide("mov.b32 %r1, 1; mov.b32 %r2, 2; mov.b64 %d0, {%r1, %r2};") == 0x200000001u);
  CHECK(word("mov.b64 %d1, 0x200000001; mov.b64 {%r1, %r0}, %d1;") == 2);
  CHECK(word("mov.b32 %r1, 0x56781234; mov.b32 {%h1, %h2}, %r1; mov.b32 %r0, {%h2, %h1};") == 0x12345678);
}

TEST_CASE("ptx: shuffles, votes, matches and reductions look across lanes") {
  const auto down = per_thread("shfl.sync.down.b32 %r0|%p1, %r9, 1, 31, -1;");
  CHECK((down[0] == 1 && down[30] == 31 && down[31] == 31));
  const auto up = per_thread("shfl.sync.up.b32 %r0, %r9, 2, 0, -1;");
  CHECK((up[1] == 1 && up[2] == 0 && up[31] == 29));
  CHECK(per_thread("shfl.sync.bfly.b32 %r0, %r9, 5, 31, -1;")[3] == 6);
  CHECK(per_thread("shfl.sync.idx.b32 %r0, %r9, 1, 0x181f, -1;")[13] == 9);  // segments of 8: lane 8 + 1
  CHECK(per_thread("setp.lt.u32 %p1, %r9, 4; vote.sync.ballot.b32 %r0, %p1, -1;")[7] == 15);
  CHECK(word("setp.lt.u32 %p1, %r9, 4; vote.sync.all.pred %p2, %p1, -1; selp.b32 %r0, 1, 2, %p2;") == 2);
  CHECK(word("setp.lt.u32 %p1, %r9, 4; vote.sync.any.pred %p2, %p1, -1; selp.b32 %r0, 1, 2, %p2;") == 1);
  CHECK(per_thread("and.b32 %r1, %r9, 1; match.any.sync.b32 %r0, %r1, -1;")[3] == 0xaaaaaaaa);
  CHECK(per_thread("match.all.sync.b32 %r0|%p1, %r9, -1;")[3] == 0);
  CHECK(word("redux.sync.add.s32 %r0, %r9, -1;") == 496);  // 31 * 32 / 2
  CHECK(per_thread("activemask.b32 %r0;", 5)[0] == 31);
}

TEST_CASE("ptx: special registers") {
  CHECK(per_thread("mov.u32 %r0, %laneid;", 64)[40] == 8);
  CHECK(per_thread("mov.u32 %r0, %warpid;", 64)[40] == 1);
  CHECK(per_thread("mov.u32 %r0, %ntid.x;", 64)[40] == 64);
  CHECK(per_thread("mov.u32 %r0, %lanemask_lt;")[5] == 31);
}

// What every instruction of PTX moves or orders is known.

TEST_CASE("the effect of every instruction that kernels may have is stated, and the others are refused") {
  const std::vector<std::string> names = interpreted_instructions();
  const std::set<std::string> interpreted(names.begin(), names.end());
  std::set<std::string> stated;
  for (const PtxOpcode& row : ptx_opcodes()) {
    INFO(std::string(row.name));
    const bool runs = interpreted.count(std::string(row.name)) != 0;
    CHECK(runs == (row.effect.effect != Effect::refused));
    CHECK(row.effect.reason.empty() == (row.effect.effect != Effect::ignored));
    CHECK(stated.insert(std::string(row.name)).second);
  }
  for (const std::string& name : interpreted) {
    INFO(name);
    CHECK(stated.count(name) == 1);
  }
}

TEST_CASE("the table of instructions is in the order of names") {
  const auto& rows = ptx_opcodes();
  CHECK(std::is_sorted(rows.begin(), rows.end(),
                       [](const PtxOpcode& one, const PtxOpcode& other) { return one.name < other.name; }));
}

// PTX 1.4, as programs that were written for the first machines carry it.

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

// What PTX programs say and the models do not do: counted by reason as it is executed.

using ptx_bench::kernel;
using ptx_bench::launch;

namespace {

/// `fences` -> 4: the word in front of each reason, of two thread blocks of two warps.
std::map<std::string, std::uint64_t> gaps(const std::string& code, const std::string& head = "") {
  const std::string text = kernel(code, "", head);
  PtxSource source([&] {
    PtxWorkload w;
    const Address out = w.memory.upload(std::vector<std::uint32_t>(1024), "out");
    w.launches.push_back(launch(text, 64, out, 2));
    return w;
  });
  CHECK(source.gaps().empty());
  for (std::uint64_t cta = 0; cta < 2; ++cta) source.fetch(0, cta);
  std::map<std::string, std::uint64_t> counts;
  for (const SourceGap& gap : source.gaps()) {
    CHECK(gap.kernel == 0);
    counts[gap.reason.substr(0, gap.reason.find(':'))] = gap.count;
  }
  return counts;
}
using Counts = std::map<std::string, std::uint64_t>;

}  // namespace

TEST_CASE("ptx: a program without gaps has none") {
  CHECK(gaps("mov.u32 %r0, 1;\nst.global.u32 [%d9], %r0;\nbar.sync 0;\nret;").empty());
}

// Four warps, three fences each: two before a loop is over that runs twice, one behind it.
TEST_CASE("ptx: fences are counted as often as warps execute them") {
  CHECK(gaps("mov.u32 %r1, 0;\nagain:\nmembar.gl;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 2;\n"
             "@%p1 bra again;\nfence.acq_rel.gpu;\nret;") == Counts{{"fences", 12}});
}

TEST_CASE("ptx: pauses, prefetches, hints and loads of constants each have their reason") {
  CHECK(gaps("nanosleep.u32 20;\nret;") == Counts{{"pauses of a warp", 4}});
  CHECK(
      gaps(
          "prefetch.global.L2 [%d9];\nld.global.L2::128B.u32 %r1, [%d9];\nst.global.u32 [%d9], %r1;\nret;") ==
      Counts{{"prefetches into caches", 8}});
  CHECK(gaps("ld.global.L1::evict_last.u32 %r1, [%d9];\nst.global.u32 [%d9], %r1;\n"
             "discard.global.L2 [%d9], 128;\nret;") == Counts{{"hints for replacement", 8}});
  CHECK(gaps("ld.const.u32 %r1, [c];\nst.global.u32 [%d9], %r1;\nret;", ".const .align 4 .u32 c = 7;\n") ==
        Counts{{"loads of constants", 4}});
  CHECK(gaps("griddepcontrol.launch_dependents;\nret;") ==
        Counts{{"launches of a dependent kernel before the end of this one", 4}});
}
