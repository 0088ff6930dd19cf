#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"

using namespace strata;
using namespace strata::traces;
using namespace strata::traces::ptx_bench;

namespace {

/// Each thread loads out[t], adds 1 in three steps and stores it to out[t + 64].
const char* const load_add_store =
    "mul.wide.u32 %d8, %r9, 4;\nadd.s64 %d8, %d9, %d8;\nld.global.u32 %r0, [%d8];\nadd.s32 %r1, %r9, "
    "5;\nadd.s32 %r2, %r1, "
    "6;\nadd.s32 %r0, %r0, 1;\nst.global.u32 [%d8+256], %r0;\nret;";

PtxSource source_of(const std::string& text, unsigned threads, unsigned blocks = 1, unsigned launches = 1,
                    PtxOptions options = {}) {
  return PtxSource(
      [=] {
        PtxWorkload w;
        const Address out = w.memory.upload(std::vector<std::uint32_t>(1024, 7), "out");
        for (unsigned i = 0; i < launches; ++i) w.launches.push_back(launch(text, threads, out, blocks));
        return w;
      },
      options);
}

}  // namespace

TEST_CASE("ptx: records hold class, address, mask, weight and first use") {
  PtxOptions options;
  options.hoist_loads = false;
  PtxSource source = source_of(kernel(load_add_store), 40, 1, 1, options);
  const auto cta = source.fetch(0, 0);
  REQUIRE(cta->warps() == 2);
  // Two ALU instructions (mul, add; moves and parameters count nothing), the load, two adds, the add that
  // reads the load, the store, the exit: six records, the first use two behind the load.
  REQUIRE(cta->warp_begin[1] == 6);
  const WarpInstruction* r = cta->instructions.data();
  CHECK((r[0].op == OpClass::alu && r[0].weight == 2));
  CHECK((r[1].op == OpClass::load && r[1].address_kind == AddressKind::stride && r[1].stride == 4 &&
         r[1].width == 4));
  CHECK(r[1].address == GlobalMemory::first_address);
  CHECK(r[1].active_mask == 0xffffffff);
  CHECK(r[1].first_use == 2);
  CHECK(r[1].pc == 4 * 16);
  CHECK((r[2].op == OpClass::alu && r[2].weight == 2));
  CHECK((r[3].op == OpClass::alu && r[3].weight == 1));
  CHECK((r[4].op == OpClass::store && r[4].address == GlobalMemory::first_address + 256));
  CHECK(r[5].op == OpClass::exit);
  CHECK(r[6].active_mask == 0xff);  // the second warp has 8 threads
  CHECK(cta->instructions[7].address == GlobalMemory::first_address + 128);
}

TEST_CASE("ptx: records say how many of their instructions execute on which units") {
  // Before the store: integer mad and add, two of single and one of double precision, and a branch that
  // no lane takes. Moves and conversions count as integer instructions or as nothing.
  const std::string text = kernel(
      "mul.wide.u32 %d8, %r9, 4;\nadd.s64 %d8, %d9, %d8;\nadd.f32 %r1, %r2, %r3;\n"
      "fma.rn.f32 %r1, %r1, %r2, %r3;\nadd.f64 %d1, %d2, %d3;\nsetp.eq.u32 %p1, %r9, 4096;\n@%p1 bra end;\n"
      "st.global.u32 [%d8], %r1;\nend:\nret;");
  PtxSource source = source_of(text, 32);
  const auto cta = source.fetch(0, 0);
  const WarpInstruction& run = cta->instructions.at(0);
  CHECK(run.op == OpClass::alu);
  CHECK(run.weight == 7);
  CHECK(run.units == std::array<std::uint8_t, 4>{2, 1, 0, 1});
  CHECK(cta->instructions.at(1).op == OpClass::store);
}

// A loop of 5 instructions without an access goes round 200 times: records of at most 255 share its floating
// point out evenly, and nothing is lost.
TEST_CASE("ptx: long runs share their units out over their records") {
  const std::string text = kernel(
      "mov.u32 %r1, 0;\nloop:\nadd.f32 %r2, %r2, %r3;\nmul.f32 %r2, %r2, %r3;\nadd.u32 %r1, %r1, 1;\n"
      "setp.lt.u32 %p1, %r1, 200;\n@%p1 bra loop;\nret;");
  PtxSource source = source_of(text, 32);
  const auto cta = source.fetch(0, 0);
  unsigned weight = 0;
  std::array<unsigned, 4> units{};
  for (const WarpInstruction& i : cta->instructions) {
    if (i.op != OpClass::alu) continue;
    weight += i.weight;
    CHECK(i.units[0] + i.units[1] + i.units[2] + i.units[3] <= i.weight);
    if (i.weight == 255) CHECK(i.units[0] == 102);
    for (std::size_t k = 0; k < units.size(); ++k) units[k] += i.units[k];
  }
  CHECK(weight == 1000);
  CHECK(units == std::array<unsigned, 4>{400, 0, 0, 200});
}

TEST_CASE("ptx: hoisting moves loads ahead of arithmetic and of nothing that it depends on") {
  // Two loads, each followed by its use. In PTX order the second waits for the first; hoisted they fly
  // together.
  const std::string text = kernel(
      "mul.wide.u32 %d8, %r9, 4;\nadd.s64 %d8, %d9, %d8;\nld.global.u32 %r0, [%d8];\nadd.s32 %r0, %r0, "
      "1;\nld.global.u32 %r1, "
      "[%d8+256];\nadd.s32 %r1, %r1, 1;\nadd.s32 %r0, %r0, %r1;\nst.global.u32 [%d8+512], "
      "%r0;\nld.global.u32 %r2, "
      "[%d8+512];\nst.global.u32 [%d8+768], %r2;\nret;");
  const auto order = [&](bool hoist, int cap) {
    PtxOptions options;
    options.hoist_loads = hoist;
    options.loads_in_flight = cap;
    PtxSource source = source_of(text, 32, 1, 1, options);
    std::string classes;
    const auto cta = source.fetch(0, 0);
    for (const WarpInstruction& i : cta->instructions)
      classes += i.op == OpClass::load    ? 'L'
                 : i.op == OpClass::store ? 'S'
                 : i.op == OpClass::exit  ? 'E'
                                          : 'a';
    CHECK(source.memory().load<std::uint32_t>(GlobalMemory::first_address + 768, 32) ==
          std::vector<std::uint32_t>(32, 16));
    return classes;
  };
  CHECK(order(false, 8) == "aLaLaSLSE");
  CHECK(order(true, 8) == "aLLaaSLSE");  // the load behind the store stays
  CHECK(order(true, 1) == "aLaLaSLSE");
}

TEST_CASE("ptx: fetch gives the same thread block in any order") {
  const std::string text = kernel(
      "atom.global.add.u32 %r0, [%d9], 1;\nmul.wide.u32 %d8, %r0, 4;\nadd.s64 %d8, %d9, %d8;\n"
      "ld.global.u32 %r1, [%d8+128];\nret;");
  PtxSource forward = source_of(text, 8, 3, 2), backward = source_of(text, 8, 3, 2);
  for (std::uint32_t k = 2; k-- > 0;)
    for (std::uint64_t c = 3; c-- > 0;) {
      const auto late = backward.fetch(k, c);
      PtxSource fresh = source_of(text, 8, 3, 2);
      const auto direct = fresh.fetch(k, c);
      REQUIRE(late->instructions.size() == direct->instructions.size());
      for (std::size_t i = 0; i < late->instructions.size(); ++i)
        CHECK(late->instructions[i].address == direct->instructions[i].address);
    }
  forward.run_to_end();
  CHECK(forward.finished());
  CHECK(forward.memory().load<std::uint32_t>(GlobalMemory::first_address, 1)[0] == 7 + 48);
  CHECK_THROWS_AS(forward.fetch(2, 0), TraceError);
}

TEST_CASE("ptx: the host may act between launches") {
  PtxSource source([] {
    PtxWorkload w;
    const Address out = w.memory.upload(std::vector<std::uint32_t>(64), "out");
    const auto l = launch(kernel("atom.global.add.u32 %r0, [%d9], 1;\nret;"), 32, out);
    w.launches = {l, l};
    w.launches[1].before = [out](GlobalMemory& m) { m.fill(out, 0, 4); };
    return w;
  });
  source.run_to_end();
  CHECK(source.memory().load<std::uint32_t>(GlobalMemory::first_address, 1)[0] == 32);
}

TEST_CASE("ptx: variables of the module have addresses and initial values") {
  GlobalMemory memory;
  const Address out = memory.upload(std::vector<std::uint32_t>(4), "out");
  const auto l = launch(
      kernel("mov.u64 %d1, t;\nld.global.u32 %r0, [%d1+4];\nst.global.u32 [%d9], %r0;\nld.const.u32 %r1, "
             "[c];\nst.global.u32 [%d9+4], %r1;\nret;",
             "", ".global .align 4 .u32 t[2] = {3, 4};\n.const .align 4 .u32 c = 9;\n"),
      1, out);
  execute(l, memory);
  CHECK(memory.load<std::uint32_t>(out, 2) == std::vector<std::uint32_t>{4, 9});
  CHECK(memory.load<std::uint32_t>(memory.symbol("t"), 1)[0] == 3);
  CHECK_THROWS_AS(memory.symbol("tt"), ConfigError);
}

TEST_CASE("ptx: statistics count executed and recorded instructions") {
  PtxSource source = source_of(kernel(load_add_store), 40);
  source.run_to_end();
  const PtxStats s = source.stats();
  // Ten PTX instructions a warp; recorded are mul, add, ld, 3 adds, st, exit = 8 of them.
  CHECK(s.executed_instructions == 20);
  CHECK(s.executed_thread_instructions == 400);
  CHECK(s.warp_instructions == 16);
  CHECK(s.thread_instructions == 320);
}

namespace {

/// Kernel with two pointers: reads a[t] and, when asked to, writes a[t]; always writes b[t].
PtxSource two_pointers(const std::string& more, bool same) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 "
      "b)\n{\n.reg .b32 "
      "%r<9>;\n.reg .pred %p<2>;\n.reg .b64 %d<9>;\nld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\nmov.u32 "
      "%r1, %tid.x;\nmul.wide.u32 %d3, "
      "%r1, 4;\nadd.s64 %d4, %d1, %d3;\nadd.s64 %d5, %d2, %d3;\nld.global.u32 %r2, [%d4];\nld.global.u32 "
      "%r3, [%d5];\n" +
      more + "st.global.u32 [%d5], %r2;\nret;\n}\n";
  PtxOptions options;
  options.read_only = PtxOptions::ReadOnly::analysis;
  return PtxSource(
      [=] {
        PtxWorkload w;
        const Address a = w.memory.upload(std::vector<std::uint32_t>(64, 7), "a");
        const Address b = w.memory.upload(std::vector<std::uint32_t>(64, 7), "b");
        PtxLaunch l;
        l.program = PtxProgram::parse(text, "two.ptx");
        l.kernel = "k";
        l.block.x = 32;
        l.arguments = {a, same ? a : b};
        w.launches.push_back(l);
        return w;
      },
      options);
}
/// Classes of the two loads: R read-only, L plain.
std::string loads_of(PtxSource source) {
  std::string classes;
  const auto cta = source.fetch(0, 0);
  for (const WarpInstruction& i : cta->instructions) {
    if (i.op == OpClass::load) classes += 'L';
    if (i.op == OpClass::read_only_load) {
      classes += 'R';
      CHECK_FALSE(i.non_coherent);  // the path through the L1 is the compiler's choice
    }
  }
  return classes;
}

}  // namespace

TEST_CASE("ptx: the read-only analysis finds what is never written, and one store flips it") {
  CHECK(loads_of(two_pointers("", false)) == "RL");
  CHECK(loads_of(two_pointers("st.global.u32 [%d4+64], %r3;\n", false)) == "LL");
  CHECK(loads_of(two_pointers("red.global.add.u32 [%d4], %r3;\n", false)) == "LL");
  // Two parameters of one allocation share its fate.
  CHECK(loads_of(two_pointers("", true)) == "LL");
  // A store through an address from memory may go anywhere: nothing is proved.
  CHECK(loads_of(two_pointers(
            "cvt.u64.u32 %d6, %r3;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 ld.global.u64 %d6, [%d5];\n@%p1 "
            "st.global.u32 [%d6], %r2;\n",
            false)) == "LL");
}

TEST_CASE("ptx: the heap of kernels gives what fits and takes it back") {
  GlobalMemory memory;
  memory.set_heap_bytes(64);
  memory.make_heap();
  const Address a = memory.heap_allocate(1), b = memory.heap_allocate(33);
  CHECK(a % 16 == 0);
  CHECK(b == a + 16);                   // in steps of 16 bytes
  CHECK(memory.heap_allocate(1) == 0);  // 16 + 48 bytes are taken
  CHECK(memory.heap_free(a));
  CHECK_FALSE(memory.heap_free(a));
  CHECK_FALSE(memory.heap_free(b + 16));
  CHECK(memory.heap_allocate(16) == a);
  CHECK(memory.heap_allocate(0) == 0);
}
