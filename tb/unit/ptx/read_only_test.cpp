// Which pointers of a kernel are read-only, and what spoils the others.
#include <string>
#include <vector>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/ptx/read_only_report.h"

/// Kernels with several pointers, and what the read-only analysis says of them.
namespace strata::traces::ptx_bench {

/// Kernel `k` with pointers a, b and c in %d0, %d1 and %d2, converted to global addresses, a number n of 64
/// bits in %d3, the thread's number in %r9 and four times it in %d9. `head` stands before the kernel.
inline std::string pointers(const std::string& body, const std::string& head = "", bool convert = true) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n" + head +
                     ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 n)\n{\n"
                     ".reg .pred %p<10>;\n.reg .b32 %r<20>;\n.reg .b64 %d<30>;\n";
  const char* const names[] = {"a", "b", "c", "n"};
  for (int i = 0; i < 4; ++i) text += "ld.param.u64 %d" + std::to_string(i) + ", [" + names[i] + "];\n";
  for (int i = 0; i < 3 && convert; ++i)
    text += "cvta.to.global.u64 %d" + std::to_string(i) + ", %d" + std::to_string(i) + ";\n";
  return text + "mov.u32 %r9, %tid.x;\nmul.wide.u32 %d9, %r9, 4;\n" + body + "\nret;\n}\n";
}

/// "a b- ": pointers of the first kernel in order, `-` behind those that are not read-only.
inline std::string verdict(const std::string& text) {
  const auto reports = analyse_read_only(*PtxProgram::parse(text, "test.ptx"));
  std::string words;
  for (const PointerReport& p : reports.front().pointers)
    words += (words.empty() ? "" : " ") + p.name + (p.read_only ? "" : "-");
  return words;
}
inline PointerReport report_of(const std::string& text, const std::string& name) {
  for (const KernelReport& kernel : analyse_read_only(*PtxProgram::parse(text, "test.ptx")))
    for (const PointerReport& p : kernel.pointers)
      if (p.name == name) return p;
  return {};
}

}  // namespace strata::traces::ptx_bench

using namespace strata;
using namespace strata::traces;
using namespace strata::traces::ptx_bench;

namespace {

const std::string store_c = "st.global.u32 [%d2], %r1;\n";

/// a is read through what `body` leaves in %d5, and `body` with a store through %d5 spoils it.
void follows(const std::string& body, const std::string& head = "") {
  INFO(body);
  CHECK(verdict(pointers(body + "ld.global.u32 %r1, [%d5];\n" + store_c, head)) == "a c-");
  CHECK(verdict(pointers(body + "ld.global.u32 %r1, [%d5];\nst.global.u32 [%d5], %r1;\n", head)) == "a-");
}

}  // namespace

TEST_CASE("ptx analysis: addresses are followed through moves, sums, addends, selects and bit operations") {
  follows("mov.u64 %d5, %d0;\n");
  follows("add.s64 %d5, %d9, %d0;\n");
  follows("sub.s64 %d5, %d0, %d9;\n");
  follows("mad.wide.u32 %d5, %r9, 4, %d0;\n");
  follows("mad.lo.s64 %d5, %d9, %d3, %d0;\n");
  follows("mad.lo.u64 %d4, %d9, %d9, %d0;\nand.b64 %d5, %d4, -4;\n");
  follows("or.b64 %d5, %d0, 4;\n");
  follows("cvta.global.u64 %d4, %d0;\ncvta.to.global.u64 %d5, %d4;\n");
  follows("setp.eq.u32 %p1, %r9, 0;\nadd.s64 %d4, %d0, 8;\nselp.b64 %d5, %d4, %d0, %p1;\n");
  follows("setp.eq.u32 %p1, %r9, 0;\nmov.u64 %d5, %d0;\n@%p1 add.s64 %d5, %d5, 64;\n");
}

TEST_CASE("ptx analysis: pointers go round loops and through halves, shuffles and vectors") {
  follows(
      "mov.u64 %d5, %d0;\nmov.u32 %r3, 0;\nL:\nadd.s64 %d5, %d5, 4;\nadd.s32 %r3, %r3, 1;\nsetp.lt.u32 %p1, "
      "%r3, 3;\n@%p1 bra L;\n");
  follows(
      "mov.b64 {%r4, %r5}, %d0;\nadd.cc.u32 %r4, %r4, 4;\naddc.u32 %r5, %r5, 0;\nmov.b64 %d5, {%r4, %r5};\n");
  follows(
      "mov.b64 {%r4, %r5}, %d0;\nshfl.sync.idx.b32 %r4, %r4, 0, 31, -1;\nshfl.sync.idx.b32 %r5, %r5, 0, 31, "
      "-1;\nmov.b64 %d5, {%r4, %r5};\n");
}

TEST_CASE("ptx analysis: both sides of a select are reached by a store") {
  CHECK(verdict(pointers("setp.eq.u32 %p1, %r9, 0;\nld.global.u32 %r1, [%d0];\nld.global.u32 %r2, "
                         "[%d1];\nselp.b64 %d5, %d1, %d2, %p1;\nst.global.u32 [%d5], %r1;\n")) == "a b- c-");
  // A pointer that only decides is not reached.
  CHECK(verdict(pointers("setp.eq.u64 %p1, %d0, 0;\nld.global.u32 %r1, [%d0];\n@%p1 st.global.u32 [%d2], "
                         "%r1;\nselp.u64 %d5, %d2, %d1, %p1;\nst.global.u32 [%d5], %r1;\n")) == "a b- c-");
}

TEST_CASE("ptx analysis: reasons name the store, atomic or escape with its line") {
  // Lines: 3 of the head, the entry in 4, { in 5, three registers, four parameters, three cvta, two of the
  // thread: the body begins in line 18.
  const auto written = report_of(pointers("ld.global.u32 %r1, [%d0];\nst.global.u32 [%d0+4], %r1;\n"), "a");
  CHECK(written.reason == "written: st.global.u32 at test.ptx:19");
  CHECK(written.line == 19);
  CHECK(written.loads == 1);
  CHECK(written.proved == 0);
  CHECK(report_of(pointers("ld.global.u32 %r1, [%d0];\nred.global.add.u32 [%d0], 1;\n"), "a").reason ==
        "updated: red.global.add.u32 at test.ptx:19");
  CHECK(report_of(pointers("ld.global.u32 %r1, [%d0];\nst.global.u64 [%d1], %d0;\n"), "a").reason ==
        "escapes: its address is stored by st.global.u64 at test.ptx:19");
  CHECK(report_of(
            pointers(".shared .align 8 .b8 s[64];\nmov.u64 %d6, s;\nld.global.u32 %r1, [%d0];\nst.shared.u64 "
                     "[%d6], %d0;\n"),
            "a")
            .reason == "escapes: its address is stored by st.shared.u64 at test.ptx:21");
  CHECK(report_of(pointers(".loc 1 7 0\nst.global.u32 [%d0], 1;\n", ".file 1 \"mine.cu\"\n"), "a").reason ==
        "written: st.global.u32 at test.ptx:20 (mine.cu:7)");
}

TEST_CASE("ptx analysis: a store to an address that comes from nowhere known may write everything") {
  const std::string load = "ld.global.u32 %r1, [%d0];\n";
  CHECK(report_of(pointers(load + "ld.global.u64 %d6, [%d1];\nst.global.u32 [%d6], %r1;\n"), "a").reason ==
        "may be written: st.global.u32 at test.ptx:20 has an address of unknown origin");
  CHECK(verdict(pointers(load + "st.global.u32 [%d9], %r1;\n")) == "a-");
  CHECK(verdict(pointers(load + "mov.u64 %d6, 139611588448256;\nst.global.u32 [%d6], %r1;\n")) == "a-");
  // A pointer put together from words of memory.
  CHECK(
      verdict(pointers(load + "ld.global.v2.u32 {%r4, %r5}, [%d1];\nmov.b64 %d6, {%r4, %r5};\nst.global.u32 "
                              "[%d6], %r1;\n")) == "a- b-");
  // The same with a number added: n, which is only a number beside a pointer, is not taken for one.
  CHECK(verdict(pointers(load +
                         "ld.global.v2.u32 {%r4, %r5}, [%d1];\nmov.b64 %d6, {%r4, %r5};\nadd.s64 %d7, %d6, "
                         "%d3;\nst.global.u32 [%d7], %r1;\n")) == "a- b- n-");
  // An index that was loaded is harmless.
  CHECK(verdict(pointers(
            "ld.global.u32 %r4, [%d1];\nmov.b64 %d6, {%r4, 0};\nadd.s64 %d7, %d2, %d6;\nld.global.u32 "
            "%r1, [%d0];\nst.global.u32 [%d7], %r1;\n")) == "a b c-");
  // Half a pointer is none.
  CHECK(verdict(pointers(load + "ld.global.u32 %r4, [%d1];\nmov.b64 {%r5, %r6}, %d2;\nmov.b64 %d6, {%r4, "
                                "%r6};\nst.global.u32 [%d6], %r1;\n")) == "a- b- c-");
  // A pointer from memory with a number added.
  CHECK(verdict(pointers(load +
                         "ld.global.u64 %d6, [%d1];\nadd.s64 %d7, %d6, %d3;\nst.global.u32 [%d7], %r1;\n")) ==
        "a- b- n-");
  // What an atomic returns.
  CHECK(verdict(pointers(load + "atom.global.exch.b64 %d6, [%d1], 0;\nst.global.u32 [%d6], %r1;\n")) ==
        "a- b-");
  // A load from there is not proved, and does no harm.
  const auto loads = analyse_read_only(
      *PtxProgram::parse(pointers(load + "ld.global.u64 %d6, [%d1];\nld.global.u32 %r2, [%d6];\n"), "t"));
  CHECK(loads[0].unknown_loads == 1);
  CHECK(loads[0].pointers.size() == 2);
}

TEST_CASE("ptx analysis: indices are no pointers") {
  // n * t, t << 3 and n / 4 are offsets: a store at c + offset does not reach what n may mean.
  CHECK(verdict(pointers(
            "mul.lo.s64 %d5, %d3, %d9;\nadd.s64 %d6, %d0, %d5;\nld.global.u32 %r1, [%d6];\nshl.b64 %d7, "
            "%d3, 3;\nadd.s64 %d8, %d2, %d7;\nst.global.u32 [%d8], %r1;\n")) == "a c-");
  // n is added to one pointer at a time: it is a number.
  CHECK(verdict(
            pointers("add.s64 %d6, %d0, %d3;\nld.global.u8 %r1, [%d6];\nadd.s64 %d8, %d2, %d3;\nst.global.u8 "
                     "[%d8], %r1;\n")) == "a c-");
  // The difference of two pointers leads from one to the other.
  CHECK(verdict(pointers(
            "sub.s64 %d5, %d1, %d0;\nadd.s64 %d6, %d0, %d5;\nld.global.u32 %r1, [%d0];\nst.global.u32 "
            "[%d6], %r1;\n")) == "a- b-");
  // Without cvta nothing tells numbers from pointers.
  CHECK(verdict(pointers("add.s64 %d6, %d0, %d3;\nld.global.u8 %r1, [%d6];\nst.global.u8 [%d2], %r1;\n", "",
                         false)) == "a c- n");
}

TEST_CASE("ptx analysis: local memory keeps pointers apart by their place") {
  const std::string spill = ".local .align 8 .b8 l[16];\nst.local.u64 [l], %d0;\nst.local.u64 [l+8], %d2;\n";
  follows(spill + "ld.local.u64 %d5, [l];\n");
  // Through a generic address, as clang does without optimisation.
  const std::string generic =
      ".local .align 8 .b8 l[16];\nmov.u64 %d20, l;\ncvta.local.u64 %d21, %d20;\nst.u64 [%d21], "
      "%d0;\nadd.u64 %d22, "
      "%d21, 8;\nst.u64 [%d22], %d2;\n";
  follows(generic + "ld.u64 %d5, [%d21];\n");
  // At an unknown place it may be either.
  CHECK(verdict(pointers(
            spill + "mov.u64 %d20, l;\nadd.s64 %d20, %d20, %d9;\nld.local.u64 %d5, [%d20];\nld.global.u32 "
                    "%r1, [%d0];\nst.global.u32 [%d5], %r1;\n")) == "a- c-");
  CHECK(verdict(pointers(
            ".local .align 8 .b8 l[16];\nmov.u64 %d20, l;\nadd.s64 %d20, %d20, %d9;\nst.local.u64 [%d20], "
            "%d0;\nld.local.u64 %d5, [l];\nst.global.u32 [%d5], %r1;\n")) == "a-");
}

TEST_CASE("ptx analysis: pointers pass through calls and structures") {
  const std::string function =
      ".func (.param .b64 out) shift(.param .b64 in)\n{\n.reg .b64 %q<3>;\nld.param.u64 %q1, [in];\nadd.s64 "
      "%q1, %q1, "
      "4;\nst.param.b64 [out], %q1;\nret;\n}\n";
  const std::string call =
      "{\n.param .b64 x;\n.param .b64 y;\nst.param.b64 [x], %d0;\ncall.uni (y), shift, "
      "(x);\nld.param.b64 %d5, [y];\n}\n";
  follows(call, function);
  const std::string writer =
      ".func put(.param .b64 to)\n{\n.reg .b64 %q<3>;\nld.param.u64 %q1, [to];\nst.global.u32 "
      "[%q1], 1;\nret;\n}\n";
  const std::string text = pointers(
      "ld.global.u32 %r1, [%d0];\n{\n.param .b64 x;\nst.param.b64 [x], %d1;\ncall.uni put, (x);\n}\n",
      writer);
  CHECK(verdict(text) == "a b-");
  CHECK(report_of(text, "b").reason == "written: st.global.u32 at test.ptx:8");

  const std::string structure =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .align 8 .b8 s[24])\n{\n.reg "
      ".b64 "
      "%d<9>;\n.reg .b32 %r<3>;\nmov.b64 %d8, s;\nld.param.u64 %d1, [%d8+8];\nld.param.u64 %d2, "
      "[s+16];\nld.global.u32 "
      "%r1, [%d1];\nst.global.u32 [%d2], %r1;\nret;\n}\n";
  CHECK(verdict(structure) == "s+8 s+16-");
}

TEST_CASE("ptx analysis: variables of the file are pointers, and the compiler's marks are counted") {
  const std::string head = ".global .align 4 .u32 t[64];\n.global .align 4 .u32 w[64];\n";
  CHECK(verdict(pointers("ld.global.nc.u32 %r1, [t+8];\nld.global.nc.u32 %r2, [%d0];\nld.global.u32 %r2, "
                         "[%d0];\nst.global.u32 [w], %r1;\n",
                         head)) == "a t w-");
  const auto a =
      report_of(pointers("ld.global.nc.u32 %r2, [%d0];\nld.global.u32 %r2, [%d0];\nld.volatile.global.u32 "
                         "%r3, [%d0];\nld.u32 %r3, [%d0];\nst.global.u32 [%d2], %r2;\n",
                         head),
                "a");
  CHECK(a.loads == 4);
  CHECK(a.non_coherent == 1);
  CHECK(a.proved == 1);  // volatile and generic loads stay as they are
}

// Marked loads in files, and read-only loads of launches under every policy.

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
  // The run ahead leaves no trace: the same results, and unwritten memory is still unknown.
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
