// Marked loads in files, and read-only loads of launches under every policy.
#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/ptx_pointers.h"

using namespace strata;
using namespace strata::traces;
using namespace strata::traces::ptx_bench;
using ReadOnly = PtxOptions::ReadOnly;

namespace {

std::string rewritten(const std::string& text, std::uint32_t expected) {
  std::uint32_t changed = 0;
  const std::string result = rewrite_read_only(*PtxProgram::parse(text, "test.ptx"), text, {}, changed);
  CHECK(changed == expected);
  return result;
}

std::string message_of(const std::string& text) {
  try {
    PtxProgram::parse(text, "test.ptx");
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}

/// Buffers a, b and c of 64 words (b = a when `alias`) and one warp.
PtxSource source(const std::string& text, std::optional<ReadOnly> policy, bool alias = false,
                 unsigned ctas = 1) {
  PtxOptions options;
  options.read_only = policy;
  return PtxSource(
      [=] {
        PtxWorkload w;
        const Address a = w.memory.upload(std::vector<std::uint32_t>(64, 7), "a");
        const Address b = w.memory.upload(std::vector<std::uint32_t>(64, 8), "b");
        const Address c = w.memory.upload(std::vector<std::uint32_t>(64, 9), "c");
        PtxLaunch l;
        l.program = PtxProgram::parse(text, "test.ptx");
        l.kernel = "k";
        l.block.x = 32;
        l.grid.x = ctas;
        l.arguments = {a, alias ? a : b, c, std::uint64_t{0}};
        w.launches.push_back(l);
        return w;
      },
      options);
}

/// The loads of CTA 0 in order: R read-only, L plain; n behind those that are non-coherent.
std::string loads(const std::string& text, std::optional<ReadOnly> policy, bool alias = false,
                  unsigned ctas = 1) {
  PtxSource from = source(text, policy, alias, ctas);
  std::string classes;
  const auto cta = from.fetch(0, 0);
  for (const WarpInstruction& i : cta->instructions) {
    if (i.op == OpClass::load) classes += 'L';
    if (i.op == OpClass::read_only_load) classes += 'R';
    if (i.non_coherent) classes += 'n';
  }
  return classes;
}

const std::string a_to_c =
    "add.s64 %d4, %d0, %d9;\nld.global.u32 %r1, [%d4];\nadd.s64 %d5, %d2, %d9;\nst.global.u32 [%d5], %r1;\n";

}  // namespace

TEST_CASE("ptx rewrite: only the proved loads change, by three characters each") {
  const std::string body =
      "ld.global.u32 %r1, [%d0]; // ld.global stays here\n\t ld.global\t.ca /* x */ .u32 %r2, "
      "[%d0+4];\r\n@%p1 ld.global.v2.u32 {%r3,%r4}, [%d1];\nld.global.u32 %r5, [%d2];\n"
      "ld.relaxed.gpu.global.u32 %r6, [%d1];\nld.global.nc.u32 %r7, [%d0];\nst.global.u32 [%d2], "
      "%r1;\n";
  const std::string wanted =
      "ld.global.ro.u32 %r1, [%d0]; // ld.global stays here\n\t ld.global.ro\t.ca /* x */ .u32 %r2, "
      "[%d0+4];\r\n@%p1 "
      "ld.global.ro.v2.u32 {%r3,%r4}, [%d1];\nld.global.u32 %r5, [%d2];\nld.relaxed.gpu.global.u32 %r6, "
      "[%d1];\nld.global.nc.u32 %r7, [%d0];\nst.global.u32 [%d2], %r1;\n";
  const std::string once = rewritten(pointers(body), 3);
  CHECK(once == pointers(wanted));
  CHECK(rewritten(once, 0) == once);
  CHECK(verdict(once) == verdict(pointers(body)));
  CHECK(report_of(once, "a").marked == 2);
  CHECK(report_of(once, "a").non_coherent == 1);
}

TEST_CASE("ptx rewrite: a function changes only when all kernels that call it prove its loads") {
  const std::string function =
      ".func (.param .b32 v) get(.param .b64 p)\n{\n.reg .b64 %q<2>;\n.reg .b32 "
      "%s<2>;\nld.param.u64 %q1, [p];\nld.global.u32 %s1, [%q1];\nst.param.b32 [v], "
      "%s1;\nret;\n}\n";
  const std::string call =
      "{\n.param .b64 x;\n.param .b32 y;\nst.param.b64 [x], %d0;\ncall.uni (y), get, "
      "(x);\nld.param.b32 %r1, [y];\n}\n";
  const std::string reader = pointers(call + "st.global.u32 [%d2], %r1;\n", function);
  CHECK(rewritten(reader, 1).find("ld.global.ro.u32 %s1") != std::string::npos);
  std::string writer = pointers(call + "st.global.u32 [%d0], %r1;\n");
  writer = writer.substr(writer.find(".visible"));
  writer.replace(writer.find("k("), 2, "w(");
  CHECK(rewritten(reader + writer, 0) == reader + writer);
  std::uint32_t changed = 9;
  rewrite_read_only(*PtxProgram::parse(reader + writer, "t"), reader + writer, {"k"}, changed);
  CHECK(changed == 0);
  CHECK_THROWS_AS(rewrite_read_only(*PtxProgram::parse(reader, "t"), reader, {"kk"}, changed), TraceError);
}

TEST_CASE("ptx rewrite: a marked load of what the kernel writes is refused") {
  CHECK(message_of(pointers("ld.global.ro.u32 %r1, [%d0];\nst.global.u32 [%d0+4], %r1;\n")) ==
        "test.ptx:18: kernel k: ld.global.ro.u32: the kernel writes a, with st.global.u32 in line 19");
  CHECK(message_of(pointers("ld.global.ro.u32 %r1, [%d0];\nred.global.add.u32 [%d0+4], 1;\n")) ==
        "test.ptx:18: kernel k: ld.global.ro.u32: the kernel writes a, with red.global.add.u32 in line 19");
  CHECK(message_of(pointers("ld.ro.u32 %r1, [%d0];\n")) ==
        "test.ptx:18: kernel k: ld.ro.u32: '.ro' belongs to ld.global");
  CHECK(message_of(pointers("ld.global.ro.u32 %r1, [%d0];\nst.global.u32 [%d2], %r1;\n")).empty());
}

TEST_CASE("ptx read-only: the policy sets the read-only bit, the file the non-coherent bit") {
  // Three loads of a: plain, .nc and .ro; one of b, which nothing writes; one of c, which is written.
  const std::string text = pointers(
      "ld.global.u32 %r1, [%d0];\nld.global.nc.u32 %r2, [%d0];\nld.global.ro.u32 %r3, [%d0];\nld.global.u32 "
      "%r4, [%d1];\nld.global.u32 %r5, [%d2];\nst.global.u32 [%d2], %r1;\n");
  CHECK(loads(text, ReadOnly::none) == "LLnLLL");
  CHECK(loads(text, ReadOnly::nc) == "LRnRLL");
  CHECK(loads(text, std::nullopt) == "LRnRLL");
  CHECK(loads(text, ReadOnly::analysis) == "RRnRRL");
  CHECK(loads(text, ReadOnly::oracle) == "RRnRRL");
}

TEST_CASE("ptx read-only: parameters of one buffer share its fate at launch") {
  // b is written: a is too, when both are one buffer; also when b points behind its end.
  const std::string text = pointers(
      "ld.global.u32 %r1, [%d0];\nld.global.ro.u32 %r2, [%d0];\nst.global.u32 [%d1], "
      "%r1;\n");
  CHECK(loads(text, ReadOnly::analysis) == "RR");
  CHECK(loads(text, ReadOnly::analysis, true) == "LL");
  CHECK(loads(text, ReadOnly::nc, true) == "LL");  // the mark holds for different buffers only
  CHECK(loads(text, ReadOnly::oracle, true) == "LL");
  const std::string end = pointers(
      "ld.global.u32 %r1, [%d0];\nsetp.eq.u32 %p1, %r9, 99;\nselp.b64 %d5, %d1, %d2, "
      "%p1;\nst.global.u32 [%d5+-4], %r1;\n");
  PtxOptions options;
  options.read_only = ReadOnly::analysis;
  PtxSource behind(
      [=] {
        PtxWorkload w;
        const Address a = w.memory.upload(std::vector<std::uint32_t>(64, 7), "a");
        const Address c = w.memory.upload(std::vector<std::uint32_t>(64, 7), "c");
        PtxLaunch l;
        l.program = PtxProgram::parse(end, "test.ptx");
        l.kernel = "k";
        l.arguments = {a, a + 256, c + 4, std::uint64_t{0}};
        w.launches.push_back(l);
        return w;
      },
      options);
  CHECK(behind.fetch(0, 0)->instructions[0].op == OpClass::load);
}

TEST_CASE("ptx read-only: a null pointer reaches nothing") {
  // if (c != nullptr) *c = a[0], with c null: a is still proved. An unknown store would spoil it.
  const std::string text =
      pointers("ld.global.u32 %r1, [%d0];\nsetp.ne.u64 %p1, %d2, 0;\n@%p1 st.global.u32 [%d2], %r1;\n");
  PtxOptions options;
  options.read_only = ReadOnly::analysis;
  PtxSource from(
      [=] {
        PtxWorkload w;
        const Address a = w.memory.upload(std::vector<std::uint32_t>(64, 7), "a");
        PtxLaunch l;
        l.program = PtxProgram::parse(text, "test.ptx");
        l.kernel = "k";
        l.arguments = {a, a, std::uint64_t{0}, std::uint64_t{0}};
        w.launches.push_back(l);
        return w;
      },
      options);
  CHECK(from.fetch(0, 0)->instructions[0].op == OpClass::read_only_load);
}

TEST_CASE("ptx read-only: a store or load that contradicts the proof is a fault") {
  // a + ((c - a) >> 2 << 2) is c, by arithmetic that C++ does not allow: the shifts hide where it leads.
  const std::string leave =
      "sub.s64 %d5, %d2, %d0;\nshr.s64 %d6, %d5, 2;\nshl.b64 %d7, %d6, 2;\nadd.s64 %d8, %d0, %d7;\n";
  const std::string store = pointers("ld.global.u32 %r1, [%d2];\n" + leave + "st.global.u32 [%d8], %r1;\n");
  CHECK(verdict(store) == "a- c");
  CHECK_THROWS_AS(source(store, ReadOnly::analysis).run_to_end(), TraceError);
  source(store, ReadOnly::nc).run_to_end();
  const std::string atomic =
      pointers("ld.global.u32 %r1, [%d2];\n" + leave + "red.global.add.u32 [%d8], %r1;\n");
  CHECK_THROWS_AS(source(atomic, ReadOnly::analysis).run_to_end(), TraceError);
  // The other way round: a load that leaves a, which nothing writes, for c, which is written.
  const std::string load = pointers(leave + "ld.global.u32 %r1, [%d8];\nst.global.u32 [%d2], %r1;\n");
  CHECK(verdict(load) == "a c-");
  CHECK_THROWS_AS(source(load, ReadOnly::analysis).run_to_end(), TraceError);
}

TEST_CASE("ptx read-only: the oracle knows the lines that the whole launch writes") {
  // CTA 0 reads all 64 words of a (two lines of 128 B) and of c; CTA 1 writes c[32 ..], the second line.
  const std::string text = pointers(
      "mov.u32 %r8, %ctaid.x;\nsetp.eq.u32 %p1, %r8, 1;\nadd.s64 %d4, %d0, %d9;\nadd.s64 %d5, %d2, "
      "%d9;\nld.global.u32 "
      "%r1, [%d4];\nld.global.u32 %r2, [%d5];\nld.global.u32 %r3, [%d5+128];\nld.global.u32 %r4, "
      "[%d5+64];\n@%p1 "
      "st.global.u32 [%d5+128], %r9;\n");
  // The last load takes 64 B of each line of c: some of what it reads is written.
  CHECK(loads(text, ReadOnly::oracle, false, 2) == "RRLL");
  CHECK(loads(text, ReadOnly::analysis, false, 2) == "RLLL");
  // The run ahead leaves no trace: the same results, and what nobody wrote is still unknown.
  PtxSource with = source(text, ReadOnly::oracle, false, 2), without = source(text, ReadOnly::nc, false, 2);
  for (std::uint64_t cta = 0; cta < 2; ++cta) {
    with.fetch(0, cta);
    without.fetch(0, cta);
  }
  const Address c = GlobalMemory::first_address + 2 * 1024;
  CHECK(with.memory().load<std::uint32_t>(c, 64) == without.memory().load<std::uint32_t>(c, 64));
  CHECK(with.memory().load<std::uint32_t>(c, 64)[33] == 1);
  CHECK(with.stats().executed_instructions == without.stats().executed_instructions);
  const std::string atomics = pointers("red.global.add.u32 [%d0], 1;\nld.global.u32 %r1, [%d0+4];\n");
  PtxSource counts = source(atomics, ReadOnly::oracle);
  counts.fetch(0, 0);
  CHECK(counts.memory().load<std::uint32_t>(GlobalMemory::first_address, 1)[0] == 7 + 32);
}

TEST_CASE("ptx: an atomic on constant memory is a fault as a store is") {
  for (const char* body : {"red.global.add.u32 [%d5], 1;\n", "st.global.u32 [%d5], 1;\n"}) {
    const std::string text = pointers("mov.u64 %d4, t;\ncvta.const.u64 %d5, %d4;\n" + std::string(body),
                                      ".const .align 4 .u32 t[4];\n");
    CHECK_THROWS_AS(source(text, ReadOnly::nc).run_to_end(), TraceError);
  }
}
