#include <algorithm>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"

using namespace strata;
using namespace strata::traces;
using namespace strata::traces::ptx_bench;

namespace {
const std::string store_r0 =
    "mul.wide.u32 %d8, %r9, 4;\nadd.s64 %d8, %d9, %d8;\nst.global.b32 [%d8], %r0;\nret;";

std::string fault_of(const std::string& text, unsigned threads = 32, std::size_t words = 64,
                     PtxOptions options = {}) {
  try {
    run(text, threads, words, options);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "no fault";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
}  // namespace

TEST_CASE("ptx: lanes of a divergent branch meet again") {
  const auto r = per_thread(
      "setp.lt.u32 %p1, %r9, 10;\nmov.b32 %r0, 0;\n@%p1 bra L;\nadd.s32 %r0, %r0, 100;\nbra.uni E;\nL: "
      "add.s32 %r0, "
      "%r0, 7;\nE: activemask.b32 %r1;\npopc.b32 %r1, %r1;\nadd.s32 %r0, %r0, %r1;");
  CHECK(r[9] == 7 + 32);
  CHECK(r[10] == 100 + 32);
}

TEST_CASE("ptx: a loop that each lane leaves at its own turn") {
  // Lane t adds 1 t + 1 times; afterwards all 32 are together again.
  const auto r = per_thread(
      "mov.b32 %r0, 0;\nmov.b32 %r1, 0;\nL: add.s32 %r0, %r0, 1;\nadd.s32 %r1, %r1, 1;\nsetp.le.u32 %p1, "
      "%r1, "
      "%r9;\n@%p1 bra L;\nactivemask.b32 %r2;\npopc.b32 %r2, %r2;\nmul.lo.s32 %r0, %r0, %r2;");
  for (unsigned t = 0; t < 32; ++t) CHECK(r[t] == (t + 1) * 32);
}

TEST_CASE("ptx: breaks and exits inside divergence") {
  // Lanes 0-3 exit in the loop; lanes 4-7 break out of it; the others finish it.
  const auto r = run(
      kernel(
          "mov.b32 %r0, 0;\nL: add.s32 %r0, %r0, 1;\nsetp.lt.u32 %p1, %r9, 4;\n@%p1 exit;\nsetp.lt.u32 %p2, "
          "%r9, 8;\n@%p2 bra B;\nsetp.lt.u32 %p3, %r0, 5;\n@%p3 bra L;\nadd.s32 %r0, %r0, 100;\nB: "
          "activemask.b32 %r1;\npopc.b32 %r1, %r1;\nadd.s32 %r0, %r0, %r1;\n" +
          store_r0),
      32, 32);
  CHECK(r[3] == 0);
  CHECK(r[7] == 1 + 28);
  CHECK(r[31] == 105 + 28);
}

TEST_CASE("ptx: guarded instructions touch their lanes only") {
  const auto r = per_thread(
      "setp.gt.u32 %p1, %r9, 5;\nmov.b32 %r0, 1;\n@%p1 mov.b32 %r0, 2;\n@!%p1 add.s32 %r0, %r0, 10;");
  CHECK(r[5] == 11);
  CHECK(r[6] == 2);
}

TEST_CASE("ptx: an indirect branch takes each lane where it wants") {
  const auto r = per_thread(
      "and.b32 %r1, %r9, 3;\nmov.b32 %r0, 9;\nT: .branchtargets A, B, C, D;\nbrx.idx %r1, T;\nA: mov.b32 "
      "%r0, 10;\nbra E;\nB: "
      "mov.b32 %r0, 11;\nbra E;\nC: mov.b32 %r0, 12;\nD: add.s32 %r0, %r0, 1;\nE: activemask.b32 "
      "%r2;\npopc.b32 %r2, "
      "%r2;\nmad.lo.s32 %r0, %r2, 100, %r0;");
  CHECK(r[0] == 3210);
  CHECK(r[1] == 3211);
  CHECK(r[2] == 3213);
  CHECK(r[3] == 3210);
}

TEST_CASE("ptx: calls pass arguments and results, also twice in one kernel") {
  const std::string function =
      ".func (.param .b32 result) twice(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\nadd.s32 "
      "%r2, %r1, "
      "%r1;\nst.param.b32 [result+0], %r2;\nret;\n}\n";
  const std::string call =
      "{\n.param .b32 p0;\nst.param.b32 [p0+0], %r0;\n.param .b32 q0;\ncall.uni (q0), twice, "
      "(p0);\nld.param.b32 %r0, "
      "[q0+0];\n}\n";
  const auto r = run(kernel("add.s32 %r0, %r9, 1;\n" + call + call + store_r0, "", function), 32, 32);
  CHECK(r[0] == 4);
  CHECK(r[31] == 128);
}

TEST_CASE("ptx: barriers order the warps of a thread block") {
  // 96 threads reverse 96 words through shared memory.
  const std::string text = kernel(
      "mov.u32 %r1, s;\nshl.b32 %r2, %r9, 2;\nadd.s32 %r3, %r1, %r2;\nst.shared.u32 [%r3], %r9;\nbar.sync "
      "0;\nmov.b32 %r4, "
      "380;\nsub.s32 %r4, %r4, %r2;\nadd.s32 %r4, %r1, %r4;\nld.shared.u32 %r0, [%r4];\n" +
          store_r0,
      ".shared .align 4 .b8 s[384];\n");
  const auto r = run(text, 96, 96);
  for (unsigned t = 0; t < 96; ++t) CHECK(r[t] == 95 - t);
}

TEST_CASE("ptx: a barrier counts predicates over the thread block") {
  const auto r = per_thread("setp.lt.u32 %p1, %r9, 40;\nbarrier.cta.red.popc.aligned.u32 %r0, 0, %p1;", 64);
  CHECK(r[0] == 40);
  CHECK(r[63] == 40);
}

TEST_CASE("ptx: warps that ended do not hold a barrier back") {
  const auto r =
      run(kernel("setp.ge.u32 %p1, %r9, 32;\n@%p1 exit;\nbar.sync 0;\nmov.b32 %r0, 5;\n" + store_r0), 64, 64);
  CHECK(r[31] == 5);
  CHECK(r[32] == 0);
}

TEST_CASE("ptx: a barrier in divergent code is a fault") {
  const std::string message =
      fault_of(kernel("setp.lt.u32 %p1, %r9, 16;\n@%p1 bra L;\nbar.sync 0;\nL: ret;"));
  CHECK(contains(message, "kernel k, thread block (0,0,0), thread (0,0,0)"));
  CHECK(contains(message, "barrier in divergent code"));
  CHECK(contains(message, "test.ptx:14"));
}

TEST_CASE("ptx: where it is not strict, lanes come to a barrier apart, as on a GPU") {
  PtxOptions options;
  options.memcheck = PtxOptions::Memcheck::report;
  unsigned told = 0;
  options.report = [&](const std::string& what) {
    told += contains(what, "barrier in divergent code") ? 1 : 0;
  };
  // Threads from 40 on end; lanes 0 to 7 of both warps wait for the other warp. Each thread below 40 leaves 3
  // times its number in shared memory and reads what thread 39 - t has left.
  const std::string shared = ".shared .align 4 .b8 s[256];\n";
  const std::string write =
      "mul.lo.u32 %r1, %r9, 3;\nmov.u32 %r2, s;\nshl.b32 %r3, %r9, 2;\nadd.s32 %r4, %r2, %r3;\n"
      "st.shared.u32 [%r4], %r1;\n";
  const std::string read =
      "mov.b32 %r5, 39;\nsub.s32 %r5, %r5, %r9;\nshl.b32 %r5, %r5, 2;\nadd.s32 %r5, %r2, %r5;\n"
      "ld.shared.u32 %r0, [%r5];\n";
  auto r = run(
      kernel("setp.lt.u32 %p1, %r9, 40;\n@%p1 bra L;\nret;\nL: " + write + "bar.sync 0;\n" + read + store_r0,
             shared),
      64, 64, options);
  for (unsigned t = 0; t < 40; ++t) CHECK(r[t] == 3 * (39 - t));
  CHECK(r[40] == 0);
  CHECK(told == 1);  // once for an instruction
  // Two barriers on two sides of a branch, in each of two rounds; then all lanes end apart.
  r = run(kernel("mov.b32 %r6, 0;\nmov.u32 %r2, s;\nN: setp.lt.u32 %p1, %r9, 20;\n@%p1 bra L;\n" + write +
                     "bar.sync 0;\nbra.uni J;\nL: " + write + "bar.sync 0;\nJ: " + read +
                     "bar.sync 0;\nadd.s32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 2;\n@%p2 bra N;\n" + store_r0,
                 shared),
          40, 64, options);
  for (unsigned t = 0; t < 40; ++t) CHECK(r[t] == 3 * (39 - t));
}

TEST_CASE("ptx: barriers that never complete are a fault") {
  const std::string message = fault_of(
      kernel("setp.lt.u32 %p1, %r9, 32;\n@%p1 bra L;\nbar.sync 1, 64;\nret;\nL: bar.sync 2, 64;\nret;"), 64);
  CHECK(contains(message, "no other warp will arrive at this barrier"));
}

TEST_CASE("ptx: a warp that spins for ever meets the watchdog, one that waits for another warp does not") {
  PtxOptions options;
  options.watchdog = 1 << 20;
  CHECK(contains(
      fault_of(kernel("L: ld.volatile.global.u32 %r0, [%d9];\nsetp.eq.s32 %p1, %r0, 0;\n@%p1 bra L;\nret;"),
               32, 64, options),
      "no end: this loop waits for something that no thread does"));
  const std::string wait = kernel(
      "setp.ge.u32 %p1, %r9, 32;\n@%p1 bra S;\nL: ld.volatile.global.u32 %r0, [%d9];\nsetp.eq.s32 %p2, %r0, "
      "0;\n@%p2 bra "
      "L;\nret;\nS: mov.b32 %r0, 3;\nst.volatile.global.u32 [%d9], %r0;\nret;");
  CHECK(run(wait, 64, 64)[0] == 3);
}

TEST_CASE("ptx: a loop of barriers that never ends meets the watchdog, a long one does not") {
  const auto loop = [](const char* rounds) {
    return kernel("mov.u32 %r1, " + std::string(rounds) +
                  ";\nL:\nbar.sync 0;\nadd.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\nret;");
  };
  PtxOptions options;
  options.watchdog = 64 * 100;  // 100 barriers
  CHECK_THROWS_WITH(run(loop("0"), 64, 1, options), tb::has_text("no end after this many barriers"));
  CHECK_THROWS_AS(run(loop("101"), 64, 1, options), TraceError);
  CHECK_NOTHROW(run(loop("100"), 64, 1, options));
  CHECK_NOTHROW(run(loop("100"), 64, 1, options, 3));  // counted per CTA
}

TEST_CASE("ptx: faults of memory name allocation, thread, PC and source line") {
  const std::string head = ".file 1 \"mine.cu\"\n";
  // 64 words: thread 64 of 96 is the first outside.
  const std::string message = fault_of(kernel(".loc 1 7 3\nmov.b32 %r0, 1;\n" + store_r0, "", head), 96);
  CHECK(contains(message, "kernel k, thread block (0,0,0), thread (64,0,0), PC 80, mine.cu:7"));
  CHECK(contains(message, "no device memory at 0x7f0000000100"));
  CHECK(contains(fault_of(kernel("ld.global.u32 %r0, [%d9+2];\nret;")), "misaligned address"));
  CHECK(contains(fault_of(kernel("ld.global.u32 %r0, [%d9+256];\nret;")), "no device memory"));
  CHECK(contains(
      fault_of(kernel("mov.b32 %r1, 64;\nld.shared.u32 %r0, [%r1];\nret;", ".shared .align 4 .b8 s[64];\n")),
      "past the end of shared memory at 64"));
  GlobalMemory memory;
  const Address out = memory.allocate(64, "nobody's");
  try {
    execute(launch(kernel("ld.global.u32 %r0, [%d9+4];\nret;"), 1, out), memory);
    FAIL("unset memory was read");
  } catch (const TraceError& error) {
    CHECK(contains(error.what(), "nothing has been written to this memory of 'nobody's'"));
  }
  execute(launch(kernel("st.global.u32 [%d9+4], 5;\nld.global.u32 %r0, [%d9+4];\nret;"), 1, out), memory);
}

TEST_CASE("ptx: atomics return what was there, lane by lane") {
  const auto r = run(kernel("atom.global.add.u32 %r0, [%d9], 2;\nadd.s64 %d9, %d9, 4;\n" + store_r0), 32, 33);
  CHECK(r[0] == 64);
  for (unsigned t = 0; t < 32; ++t) CHECK(r[t + 1] == 2 * t);
  CHECK(run(kernel("red.global.max.s32 [%d9], %r9;\nret;"), 32, 1)[0] == 31);
  CHECK(run(kernel("atom.global.inc.u32 %r0, [%d9], 4;\nret;"), 7, 1)[0] == 2);  // 0 1 2 3 4 0 1 2
  CHECK(run(kernel("atom.global.cas.b32 %r0, [%d9], %r9, 9;\nret;"), 32, 1)[0] == 9);
  CHECK(run(kernel("mov.b32 %r1, 0f3F000000;\nred.global.add.f32 [%d9], %r1;\nret;"), 4, 1)[0] == 0x40000000);
}

TEST_CASE("ptx: generic addresses reach shared, local and global memory, in one instruction too") {
  const std::string text = kernel(
      "mov.u64 %d1, s;\ncvta.shared.u64 %d2, %d1;\nmov.u64 %d3, l;\ncvta.local.u64 %d4, %d3;\nst.u32 [%d2], "
      "11;\nst.u32 "
      "[%d4], %r9;\nsetp.lt.u32 %p1, %r9, 8;\nselp.b64 %d5, %d2, %d4, %p1;\nld.u32 %r0, [%d5];\n" +
          store_r0,
      ".shared .align 4 .b8 s[16];\n.local .align 4 .b8 l[16];\n");
  const auto r = run(text, 32, 32);
  CHECK(r[7] == 11);
  CHECK(r[8] == 8);
}

TEST_CASE("ptx: vectors of elements load and store") {
  const auto r = run(
      kernel(
          "st.global.v4.u32 [%d9], {%r9, 1, 2, 3};\nld.global.v2.u32 {%r1, %r2}, [%d9+8];\nst.global.v2.u32 "
          "[%d9+16], {%r2, %r1};\nret;"),
      1, 8);
  CHECK(r == std::vector<std::uint32_t>{0, 1, 2, 3, 3, 2, 0, 0});
}

TEST_CASE("ptx: faults of a file name line, kernel and the nearest thing") {
  const auto fault = [](const std::string& text) {
    try {
      PtxProgram::parse(text, "bad.ptx");
    } catch (const TraceError& error) {
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  CHECK(fault(kernel("shll.b32 %r0, %r1, 2;\nret;")) ==
        "bad.ptx:12: kernel k: unsupported instruction 'shll.b32' (did you mean 'shfl'?)");
  CHECK(contains(fault(kernel("add.s32 %r0, %r1, %d2;\nret;")),
                 "bad.ptx:12: kernel k: add.s32: operand %d2 has 64 bits, expected 32 bits"));
  CHECK(contains(fault(kernel("bra M;\nMM: ret;")), "no label 'M' (did you mean 'MM'?)"));
  CHECK(contains(fault(kernel("add.s32 %r0, %q1, 2;\nret;")), "'%q1' is no register that is declared"));
  CHECK(contains(fault(kernel("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0}, [%d1], %r1;\nret;")),
                 "expected 8 registers"));
  CHECK(contains(
      fault(kernel("wmma.load.c.sync.aligned.row.m2n128k4.f32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, "
                   "[%d1];\nret;")),
      "unsupported instruction 'wmma.load.c.sync.aligned.row.m2n128k4.f32'"));
  CHECK(contains(fault(kernel("tcgen05.commit;\nret;")), "unsupported instruction 'tcgen05"));
  CHECK(contains(fault(".version 3.2\n"), "expected PTX version 6.0 to 9.x, or 1.4, found '3.2'"));
  CHECK(contains(fault("int main() {}"), "expected a directive"));
  CHECK(contains(fault(kernel("call nobody, ();\nret;")), "no body in this file"));
}

TEST_CASE("ptx: faults of a launch are found before it runs") {
  GlobalMemory memory;
  const Address out = memory.allocate(64);
  PtxLaunch l = launch(kernel("ret;"), 32, out);
  l.grid.x = 0;
  CHECK_THROWS_AS(execute(l, memory), TraceError);
  l.grid.x = 1;
  l.block.x = 2000;
  CHECK_THROWS_AS(execute(l, memory), TraceError);
  l.block.x = 32;
  l.arguments = {std::uint32_t{1}};
  CHECK_THROWS_WITH(execute(l, memory), strata::tb::has_text("expected 8 B, found 4 B"));
  l.kernel = "kk";
  CHECK_THROWS_WITH(execute(l, memory), strata::tb::has_text("no kernel 'kk' (did you mean 'k'?)"));
}

TEST_CASE("ptx: a loop of many warps that never ends is told with its line before long") {
  PtxOptions options;
  options.watchdog = 1 << 20;  // 2^22 for the 32 warps together, 2^24 for the launch
  const std::string text = kernel("L:\nadd.s32 %r0, %r0, 1;\nbra L;\nret;");
  const std::string message = fault_of(text, 1024, 1024, options);
  INFO(message);
  CHECK(contains(message, "no end after 4"));  // 4 194 304 and what is left of a turn
  CHECK(contains(message, "instructions of a thread block without a barrier: a loop that never ends?"));
  const auto line = std::to_string(
      std::count(text.begin(), text.begin() + static_cast<long>(text.find("add.s32 %r0, %r0, 1")), '\n') + 1);
  CHECK(contains(message, ":" + line + ": kernel k, thread block (0,0,0)"));
}

TEST_CASE("ptx: what a launch may execute and record is limited by options") {
  const auto loop = [](int rounds) {
    return kernel("mov.u32 %r1, " + std::to_string(rounds) +
                  ";\nL:\nadd.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\nret;");
  };
  PtxOptions options;
  options.max_instructions = 1'000'000;
  CHECK_NOTHROW(run(loop(100'000), 64, 1, options));  // 2 warps execute 600 000
  // The limit counts the whole launch: so do 4 CTAs.
  CHECK_THROWS_WITH(run(loop(100'000), 64, 1, options, 4), tb::has_text("no end of the launch after 1"));
  options.max_instructions = std::uint64_t{1} << 33;
  options.watchdog = 1 << 10;
  CHECK_NOTHROW(run(loop(100'000), 64, 1, options));  // a higher limit is one of the watchdog, too
}

TEST_CASE("ptx: a thread block whose records take too much memory is told with its line") {
  const std::string text =
      kernel("L: ld.global.u32 %r0, [%d9];\nsetp.eq.s32 %p1, %r0, 0;\n@%p1 bra L;\nret;");
  const auto program = PtxProgram::parse(text, "loop.ptx");
  PtxOptions options;
  options.max_bytes = 1 << 20;
  PtxSource source(
      [&] {
        PtxWorkload w;
        const Address data = w.memory.upload(std::vector<std::uint32_t>(64, 0));
        w.launches.push_back({program, "k", {1}, {1024}, 0, {data}});
        return w;
      },
      options);
  CHECK_THROWS_WITH(source.fetch(0, 0),
                    tb::has_text("the records of this thread block take more than 1048576 B"));
}

TEST_CASE("ptx: progress is told while a thread block takes long, and its end") {
  std::vector<std::uint64_t> told;
  PtxOptions options;
  options.progress = [&](const PtxProgress* so_far) {
    if (so_far != nullptr) CHECK(so_far->kernel == "k");
    told.push_back(so_far != nullptr ? so_far->instructions : 0);
  };
  run(kernel(
          "mov.u32 %r1, 15000000;\nL:\nadd.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\nret;"),
      32, 1, options);
  REQUIRE(told.size() == 3);  // 45 million instructions: at 2^24, at 2^25, and the end
  CHECK(told[0] >= (std::uint64_t{1} << 24));
  CHECK(told[1] >= (std::uint64_t{1} << 25));
  CHECK(told[2] == 0);
  told.clear();
  run(kernel("ret;"), 32, 1, options);
  CHECK(told.empty());
}
