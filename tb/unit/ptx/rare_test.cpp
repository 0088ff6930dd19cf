// Instructions that sample kernels use now and then. Values are worked out by hand from the PTX ISA.
#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"

using namespace strata::traces;
using ptx_bench::half;
using ptx_bench::kernel;
using ptx_bench::launch;
using ptx_bench::per_thread;
using ptx_bench::run;
using ptx_bench::wide;
using ptx_bench::word;

namespace {

std::string message_of(const std::string& text, unsigned threads = 32) {
  try {
    run(text, threads, 32);
  } catch (const strata::TraceError& error) {
    return error.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("ptx: products of 16 by 8 bits") {
  // a = (0x0002, 0xffff), b = bytes 3, 0xfe, 5, 0xff (low to high).
  const std::string set = "mov.b32 %r1, 0xffff0002; mov.b32 %r2, 0xff05fe03; ";
  // Signed: 2 * 3 + -1 * -2 + 10; upper bytes 2 * 5 + -1 * -1 + 10.
  CHECK(word(set + "dp2a.lo.s32.s32 %r0, %r1, %r2, 10;") == 18);
  CHECK(word(set + "dp2a.hi.s32.s32 %r0, %r1, %r2, 10;") == 21);
  // Unsigned: 2 * 3 + 65535 * 254.
  CHECK(word(set + "dp2a.lo.u32.u32 %r0, %r1, %r2, 0;") == 6 + 65535 * 254);
  CHECK(word(set + "dp2a.lo.u32.s32 %r0, %r1, %r2, 0;") == static_cast<std::uint32_t>(6 - 2 * 65535));
}

TEST_CASE("ptx: modes of prmt") {
  // Bytes 0 to 7 of {b, a} are 10 to 17.
  const std::string set = "mov.b32 %r1, 0x13121110; mov.b32 %r2, 0x17161514; ";
  CHECK(word(set + "prmt.b32.f4e %r0, %r1, %r2, 2;") == 0x15141312);
  CHECK(word(set + "prmt.b32.b4e %r0, %r1, %r2, 1;") == 0x16171011);
  CHECK(word(set + "prmt.b32.rc8 %r0, %r1, %r2, 3;") == 0x13131313);
  CHECK(word(set + "prmt.b32.ecl %r0, %r1, %r2, 2;") == 0x13121212);
  CHECK(word(set + "prmt.b32.ecr %r0, %r1, %r2, 1;") == 0x11111110);
  CHECK(word(set + "prmt.b32.rc16 %r0, %r1, %r2, 1;") == 0x13121312);
}

TEST_CASE("ptx: bit masks, extension and the n-th set bit") {
  CHECK(word("bmsk.clamp.b32 %r0, 4, 9;") == 0x1ff0);
  CHECK(word("bmsk.clamp.b32 %r0, 30, 9;") == 0xc0000000);
  CHECK(word("mov.b32 %r1, 0x1234ff85; szext.wrap.u32 %r0, %r1, 7;") == 5);
  CHECK(word("mov.b32 %r1, 0x1234ff85; szext.wrap.s32 %r0, %r1, 8;") == 0xffffff85);
  CHECK(word("mov.b32 %r1, 0xb0; fns.b32 %r0, %r1, 0, 2;") == 5);  // bits 4, 5, 7
  CHECK(word("mov.b32 %r1, 0xb0; mov.b32 %r2, -1; fns.b32 %r0, %r1, 6, %r2;") == 5);
  CHECK(word("mov.b32 %r1, 0xb0; fns.b32 %r0, %r1, 0, 4;") == 0xffffffff);
  CHECK(word("mov.b32 %r1, 0x05ff0010; mov.b32 %r2, 0x0700ff20; vabsdiff4.u32.u32.u32 %r0, %r1, %r2, 0;") ==
        0x02ffff10);
  CHECK(
      word("mov.b32 %r1, 0x05ff0010; mov.b32 %r2, 0x0700ff20; vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, 1;") ==
      1 + 2 + 255 + 255 + 16);
  CHECK(word("mov.b32 %r1, 0x00050010; mov.b32 %r2, 0x0002ffff; vabsdiff2.u32.u32.u32 %r0, %r1, %r2, 0;") ==
        0x0003ffef);
  CHECK(
      word("mov.b32 %r1, 0x00050010; mov.b32 %r2, 0x0002ffff; vabsdiff2.u32.s32.s32.add %r0, %r1, %r2, 4;") ==
      3 + 17 + 4);
}

TEST_CASE("ptx: halves are rounded as asked") {
  // 1 + 2^-11 lies half way between 1 (3c00) and the next half (3c01): 0x3f801000.
  CHECK(half("mov.b32 %r1, 0x3f801000; cvt.rn.f16.f32 %h0, %r1;") == 0x3c00);
  CHECK(half("mov.b32 %r1, 0x3f801001; cvt.rn.f16.f32 %h0, %r1;") == 0x3c01);
  CHECK(half("mov.b32 %r1, 0x3f801fff; cvt.rz.f16.f32 %h0, %r1;") == 0x3c00);
  CHECK(half("mov.b32 %r1, 0xbf801fff; cvt.rz.bf16.f32 %h0, %r1;") == 0xbf80);
  CHECK(half("mov.b32 %r1, 0x3f800001; cvt.rp.f16.f32 %h0, %r1;") == 0x3c01);
  CHECK(half("mov.b32 %r1, 0x3f800001; cvt.rm.f16.f32 %h0, %r1;") == 0x3c00);
  CHECK(half("mov.b32 %r1, 0xbf800001; cvt.rm.f16.f32 %h0, %r1;") == 0xbc01);
  CHECK(half("mov.b32 %r1, 0x7f000000; cvt.rz.f16.f32 %h0, %r1;") == 0x7bff);  // too large: the largest
  CHECK(half("mov.b32 %r1, 0x7f000000; cvt.rn.f16.f32 %h0, %r1;") == 0x7c00);
  CHECK(word("mov.b32 %r1, 0x40000000; mov.b32 %r2, 0xbf800000; cvt.rn.relu.f16x2.f32 %r0, %r1, %r2;") ==
        0x40000000);                                                        // 2 above, -1 becomes 0
  CHECK(half("mov.b16 %h1, 0x4100; cvt.rni.f16.f16 %h0, %h1;") == 0x4000);  // 2.5 to even
  CHECK(half("mov.b16 %h1, 0xc100; cvt.rmi.f16.f16 %h0, %h1;") == 0xc200);  // floor(-2.5)
  CHECK(half("mov.b16 %h1, 0x4200; cvt.bf16.f16 %h0, %h1;") == 0x4040);     // 3
  CHECK(word("mov.b16 %h1, 0x4020; cvt.rzi.s32.bf16 %r0, %h1;") == 2);      // 2.5
  // Halves 5 and -3 beside 2 and -1: at least 0.
  CHECK(word("mov.b32 %r1, 0x0005fffd; mov.b32 %r2, 0x0002ffff; max.s16x2.relu %r0, %r1, %r2;") == 0x50000);
  CHECK(word("mov.b32 %r1, 0x0005fffd; mov.b32 %r2, 0x0002ffff; min.relu.s16x2 %r0, %r1, %r2;") == 0x20000);
  CHECK(word("mov.b32 %r1, -7; mov.b32 %r2, 9; min.s32.relu %r0, %r1, %r2;") == 0);
  CHECK(word("mov.b32 %r1, -7; mov.b32 %r2, 9; max.relu.s32 %r0, %r1, %r2;") == 9);
  // Bytes, in registers that are wider: extended by their sign, the nearest where it does not fit.
  CHECK(word("mov.b16 %h1, 0xc500; cvt.rzi.s8.f16 %r0, %h1;") == 0xfffffffb);  // -5
  CHECK(word("mov.b16 %h1, 0x5bf8; cvt.rzi.u8.f16 %r0, %h1;") == 255);         // 255
  CHECK(word("mov.b16 %h1, 0x5bf8; cvt.rzi.s8.f16 %r0, %h1;") == 127);
  CHECK(word("mov.b16 %h1, 0xc500; cvt.rni.s16.f16 %r0, %h1;") == 0xfffffffb);
  CHECK(half("mov.b32 %r1, 2049; cvt.rz.f16.s32 %h0, %r1;") == 0x6800);  // 2048
}

TEST_CASE("ptx: halves are compared, saturated and clipped") {
  CHECK(half("mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x4000; set.lt.f16.f16 %h0, %h1, %h2;") == 0x3c00);
  CHECK(half("mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x4000; set.gt.u16.f16 %h0, %h1, %h2;") == 0);
  CHECK(word("mov.b16 %h1, 0x7e00; mov.b16 %h2, 0x4000; set.nan.u32.f16 %r0, %h1, %h2;") == 0xffffffff);
  CHECK(word("mov.b32 %r1, 0x40003c00; mov.b32 %r2, 0x3c003c00; set.gt.f16x2.f16x2 %r0, %r1, %r2;") ==
        0x3c000000);
  CHECK(half("mov.b16 %h1, 0x3c00; add.sat.f16 %h0, %h1, %h1;") == 0x3c00);
  CHECK(half("mov.b16 %h1, 0xbc00; mov.b16 %h2, 0x3c00; fma.rn.relu.f16 %h0, %h1, %h2, %h1;") == 0);
  CHECK(half("mov.b16 %h1, 0x7e00; mov.b16 %h2, 0x3c00; max.NaN.f16 %h0, %h1, %h2;") == 0x7fff);
}

TEST_CASE("ptx: packed atomics add both halves") {
  // 32 lanes add (1, 0.5): 32 is 5000, 16 is 4c00. The last lane gets the sum of 31: 31 = 4fc0, 15.5 = 4bc0.
  const auto out = run(kernel("mov.b32 %r1, 0x38003c00;\natom.global.add.noftz.f16x2 %r0, [%d9], %r1;\n"
                              "setp.eq.u32 %p1, %r9, 31;\n@%p1 st.global.b32 [%d9+4], %r0;\nret;"),
                       32, 2);
  CHECK(out[0] == 0x4c005000);
  CHECK(out[1] == 0x4bc04fc0);
}

TEST_CASE("ptx: lanes meet those of their member mask") {
  // Lanes 0-15 name 0x0000ffff, the others 0xffff0000, at the same instruction.
  const std::string masks = "setp.lt.u32 %p1, %r9, 16; selp.b32 %r5, 0xffff, 0xffff0000, %p1; ";
  const auto ballot = per_thread(masks + "setp.eq.u32 %p2, %r9, 20; vote.sync.ballot.b32 %r0, %p2, %r5;");
  CHECK(ballot[3] == 0);
  CHECK(ballot[31] == 1u << 20);
  const auto sum = per_thread(masks + "redux.sync.add.u32 %r0, %r9, %r5;");
  CHECK(sum[0] == 120);         // 0 to 15
  CHECK(sum[16] == 496 - 120);  // 16 to 31
  const auto any = per_thread(
      masks + "setp.eq.u32 %p2, %r9, 20; vote.sync.any.pred %p3, %p2, %r5; selp.u32 %r0, 1, 0, %p3;");
  CHECK(any[0] == 0);
  CHECK(any[16] == 1);
  const auto match = per_thread(masks + "and.b32 %r1, %r9, 7; match.any.sync.b32 %r0, %r1, %r5;");
  CHECK(match[1] == 0x0202);
  CHECK(match[17] == 0x02020000);
  const auto all = per_thread(masks + "shr.u32 %r1, %r9, 4; match.all.sync.b32 %r0|%p3, %r1, %r5;");
  CHECK(all[0] == 0xffff);
  CHECK(all[16] == 0xffff0000);
}

TEST_CASE("ptx: a NaN becomes the integer that the ISA states") {
  // 0, but the highest bit alone when the source is f64 or the result has 64 bits.
  CHECK(word("mov.b32 %r1, 0x7fc00000; cvt.rzi.s32.f32 %r0, %r1;") == 0);
  CHECK(wide("mov.b32 %r1, 0x7fc00000; cvt.rzi.s64.f32 %d0, %r1;") == 0x8000000000000000u);
  CHECK(word("mov.b64 %d1, 0x7ff8000000000000; cvt.rzi.s32.f64 %r0, %d1;") == 0x80000000);
  CHECK(word("mov.b64 %d1, 0x7ff8000000000000; cvt.rzi.u32.f64 %r0, %d1;") == 0x80000000);
  CHECK(wide("mov.b16 %h1, 0x7e00; cvt.rzi.s64.f16 %d0, %h1;") == 0x8000000000000000u);
  CHECK(word("mov.b16 %h1, 0x7e00; cvt.rzi.s32.f16 %r0, %h1;") == 0);
}

TEST_CASE("ptx: generic addresses know their space") {
  CHECK(word("cvta.global.u64 %d1, %d9; isspacep.global %p1, %d1; selp.u32 %r0, 1, 0, %p1;") == 1);
  CHECK(word("cvta.global.u64 %d1, %d9; isspacep.shared %p1, %d1; selp.u32 %r0, 1, 0, %p1;") == 0);
}

TEST_CASE("ptx: printf prints nothing, a failed assertion is a fault") {
  const std::string head =
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
      ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 "
      "e);\n";
  const std::string print =
      "{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 back;\nst.param.b64 [p0], %d1;\nst.param.b64 [p1], "
      "%d1;\n"
      "call.uni (back), vprintf, (p0, p1);\nld.param.b32 %r1, [back];\n}\n";
  const std::string store =
      "mul.wide.u32 %d8, %r9, 4;\nadd.s64 %d8, %d9, %d8;\nst.global.b32 [%d8], 7;\nret;";
  CHECK(run(kernel(print + store, "", head), 32, 32)[31] == 7);
  const std::string fails =
      "setp.ne.u32 %p1, %r9, 5;\n@%p1 bra fine;\n{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 p2;\n"
      ".param .b64 p3;\n.param .b64 p4;\ncall.uni __assertfail, (p0, p1, p2, p3, p4);\n}\nfine:\n";
  const std::string said = message_of(kernel(fails + store, "", head));
  CHECK_THAT(said, strata::tb::has_text("an assertion of the kernel failed"));
  CHECK_THAT(said, strata::tb::has_text("thread (5,0,0)"));
}

TEST_CASE("ptx: printf keeps long texts and narrow numbers") {
  // A text of 3000 letters; 300 as a signed char is 44, 70000 as an unsigned short 4464.
  std::string letters;
  for (int i = 0; i < 3000; ++i) letters += "97,";
  const std::string head =
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
      ".global .align 1 .b8 form[13] = {37,115,32,37,104,104,100,32,37,104,117,10,0};\n"  // "%s %hhd %hu\n"
      ".global .align 1 .b8 text[3001] = {" +
      letters + "0};\n";
  const std::string print =
      ".local .align 8 .b8 values[16];\nmov.u64 %d1, text;\nst.local.u64 [values], %d1;\n"
      "st.local.u32 [values+8], 300;\nst.local.u32 [values+12], 70000;\n"
      "mov.u64 %d1, form;\nmov.u64 %d2, values;\ncvta.local.u64 %d2, %d2;\n"
      "{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 back;\nst.param.b64 [p0], %d1;\n"
      "st.param.b64 [p1], %d2;\ncall.uni (back), vprintf, (p0, p1);\nld.param.b32 %r1, [back];\n}\n"
      "mul.wide.u32 %d8, %r9, 4;\nadd.s64 %d8, %d9, %d8;\nst.global.b32 [%d8], %r1;\nret;";
  PtxOptions options;
  std::string said;
  options.print = [&](const std::string& text) { said += text; };
  CHECK(run(kernel(print, "", head), 1, 1, options)[0] == 3);
  CHECK(said == std::string(3000, 'a') + " 44 4464\n");
}

TEST_CASE("ptx: a failed assertion says what, where and which thread") {
  // x > 0 in a.cu, line 7, f(): threads 2 and 3 of block 1, as the CUDA C++ Programming Guide shows it.
  const std::string head =
      ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 "
      "e);\n"
      ".global .align 1 .b8 what[6] = {120,32,62,32,48,0};\n"
      ".global .align 1 .b8 file[5] = {97,46,99,117,0};\n"
      ".global .align 1 .b8 name[4] = {102,40,41,0};\n";
  const std::string fails =
      "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra fine;\n"
      "mov.u64 %d1, what;\nmov.u64 %d2, file;\nmov.u64 %d3, name;\n"
      "{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 p2;\n.param .b64 p3;\n.param .b64 p4;\n"
      "st.param.b64 [p0], %d1;\nst.param.b64 [p1], %d2;\nst.param.b32 [p2], 7;\nst.param.b64 [p3], %d3;\n"
      "st.param.b64 [p4], 1;\ncall.uni __assertfail, (p0, p1, p2, p3, p4);\n}\nfine:\nret;";
  PtxOptions options;
  std::vector<std::string> said;
  options.assertion = [&](const std::string& text) { said.push_back(text); };
  CHECK_THROWS_AS(run(kernel(fails, "", head), 4, 4, options), strata::TraceError);
  CHECK(said ==
        std::vector<std::string>{"a.cu:7: f(): block: [0,0,0], thread: [2,0,0] Assertion `x > 0` failed.",
                                 "a.cu:7: f(): block: [0,0,0], thread: [3,0,0] Assertion `x > 0` failed."});
}

TEST_CASE("ptx: what cannot be read spoils only the kernels that need it") {
  const std::string texts =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".func (.param .b32 r) lookup(.param .b64 t)\n{\n.reg .b32 %r<9>;\n"
      "tld4.r.a2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%r5, {%r5, %r6}];\nret;\n}\n"
      ".visible .entry good(.param .u64 out)\n{\nret;\n}\n"
      ".visible .entry bad(.param .u64 out)\n{\n.reg .b64 %d<9>;\n{\n.param .b64 p;\n.param .b32 back;\n"
      "call.uni (back), lookup, (p);\n}\nret;\n}\n";
  CHECK(PtxProgram::parse(texts, "t.ptx", {"good"})->kernels().size() == 1);
  const char* const why = "kernel bad: unsupported instruction";
  CHECK_THROWS_WITH(PtxProgram::parse(texts, "t.ptx", {"bad"}),
                    strata::tb::has_text("t.ptx:7:") && strata::tb::has_text(why));
  const auto both = PtxProgram::parse(texts, "t.ptx");
  REQUIRE(both->refused().size() == 1);
  CHECK(both->refused().front().kernel == "bad");
  CHECK(both->kernel("good").parameters.size() == 1);
  CHECK_THROWS_WITH(both->kernel("bad"), strata::tb::has_text(why));
  CHECK_THROWS_WITH(both->kernel("god"), strata::tb::has_text("no kernel 'god' (did you mean 'good'?)"));
  CHECK_THAT(
      message_of(kernel("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4 [%d1], [%r1];\nret;")),
      strata::tb::has_text("kernel k: unsupported instruction 'cp.async.bulk.tensor"));
}

TEST_CASE("ptx: what a GPU does not notice can be told or ignored") {
  // 40 words, of which the first 33 are set: threads 33 to 39 read unset ones, 40 to 63 past the end; all
  // write between two allocations.
  const std::string text = kernel(
      "mul.wide.u32 %d8, %r9, 4;\nadd.s64 %d1, %d9, %d8;\nld.global.u32 %r0, [%d1];\nadd.u32 %r0, %r0, 1;\n"
      "st.global.u32 [%d1+512], %r0;\nret;");
  const auto result = [&](PtxOptions::Memcheck memcheck, std::vector<std::string>& told) {
    GlobalMemory memory;
    const strata::Address in = memory.allocate(160, "in");
    memory.store(in, std::vector<std::uint32_t>(33, 6));
    memory.allocate(16, "between");
    PtxOptions options;
    options.memcheck = memcheck;
    options.report = [&](const std::string& found) { told.push_back(found); };
    const PtxLaunch l = launch(text, 64, in);
    execute(l, memory, options);
    return memory.load<std::uint32_t>(in, 40);
  };
  std::vector<std::string> told;
  CHECK_THROWS_WITH(result(PtxOptions::Memcheck::strict, told), strata::tb::has_text("no device memory at"));
  CHECK(told.empty());
  CHECK(result(PtxOptions::Memcheck::report, told)[32] == 6);
  REQUIRE(told.size() == 3);  // once an instruction and kind
  CHECK_THAT(told[0], strata::tb::has_text("thread (0,0,0)") &&
                          strata::tb::has_text("st.global.u32: no device memory"));
  CHECK_THAT(told[1], strata::tb::has_text("thread (33,0,0)") &&
                          strata::tb::has_text("ld.global.u32: nothing has been written"));
  CHECK_THAT(told[2], strata::tb::has_text("thread (40,0,0)") && strata::tb::has_text("no device memory at"));
  told.clear();
  CHECK(result(PtxOptions::Memcheck::off, told)[0] == 6);
  CHECK(told.empty());
  // Far from all memory it is a fault whatever the options say.
  PtxOptions off;
  off.memcheck = PtxOptions::Memcheck::off;
  GlobalMemory memory;
  const strata::Address out = memory.upload(std::vector<std::uint32_t>(32), "out");
  CHECK_THROWS_WITH(
      execute(launch(kernel("mov.u64 %d1, 64;\nld.global.u32 %r0, [%d1];\nret;"), 32, out), memory, off),
      strata::tb::has_text("no device memory at 64"));
  // In front of the first allocation lies a page of the driver's, and nothing before that.
  const auto read_before = [&](const std::string& bytes) {
    execute(launch(kernel("sub.s64 %d1, %d9, " + bytes +
                          ";\nld.global.u32 %r0, [%d1];\nst.global.u32 [%d9], %r0;\nret;"),
                   32, out),
            memory, off);
  };
  read_before("2097152");
  CHECK(memory.load<std::uint32_t>(out, 1)[0] == 0);
  CHECK_THROWS_WITH(read_before("2097156"), strata::tb::has_text("no device memory at"));
}
