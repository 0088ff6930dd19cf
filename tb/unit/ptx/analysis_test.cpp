// Which pointers of a kernel are read-only, and what spoils the others.
#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/ptx_pointers.h"

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
