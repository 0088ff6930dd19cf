#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"

using namespace strata;
using namespace strata::traces;
using ptx_bench::kernel;
using ptx_bench::launch;
using ptx_bench::per_thread;
using ptx_bench::run;

namespace {

const std::string store =
    "mul.wide.u32 %d8, %r9, 4;\nadd.s64 %d8, %d9, %d8;\nst.global.b32 [%d8], %r0;\nret;";

std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::uint32_t>(i);
  return all;
}

}  // namespace

TEST_CASE("ptx async: a copy is waited for where its group is") {
  const std::string text = kernel(
      "mul.wide.u32 %d1, %r9, 4;\nadd.s64 %d1, %d9, %d1;\nmov.u32 %r1, s;\nmad.lo.u32 %r1, %r9, 4, %r1;\n"
      "cp.async.ca.shared.global [%r1], [%d1], 4;\ncp.async.commit_group;\n"
      "cp.async.cg.shared.global [%r1+128], [%d1+128], 4;\ncp.async.commit_group;\n"
      "cp.async.wait_group 1;\nld.shared.u32 %r2, [%r1];\ncp.async.wait_all;\nld.shared.u32 %r3, [%r1+128];\n"
      "add.u32 %r2, %r2, %r3;\nst.global.u32 [%d1+256], %r2;\nret;",
      ".shared .align 4 .b8 s[256];\n");
  PtxSource source([&] {
    PtxWorkload w;
    const Address out = w.memory.upload(numbers(96), "out");
    w.launches.push_back(launch(text, 32, out));
    return w;
  });
  const auto cta = source.fetch(0, 0);
  std::string classes;
  for (const WarpInstruction& i : cta->instructions) {
    if (i.op == OpClass::load) CHECK(i.first_use == unknown_distance);  // its group is waited for
    classes += i.op == OpClass::load           ? 'L'
               : i.op == OpClass::shared_load  ? 'l'
               : i.op == OpClass::shared_store ? 's'
               : i.op == OpClass::store        ? 'S'
               : i.op == OpClass::other        ? 'o'
               : i.op == OpClass::exit         ? 'E'
                                               : 'a';
  }
  // Each copy is a load, a store to shared memory and the end of its group.
  // The wait for all is the end of a group, and a wait for all groups.
  CHECK(classes == "aLsoLsooloolaSE");
  std::vector<std::pair<Sync, int>> order;
  for (const WarpInstruction& i : cta->instructions)
    if (i.op == OpClass::other) order.emplace_back(i.sync, i.operand);
  CHECK(order == std::vector<std::pair<Sync, int>>{{Sync::copy_commit, 0},
                                                   {Sync::copy_commit, 0},
                                                   {Sync::copy_wait, 1},
                                                   {Sync::copy_commit, 0},
                                                   {Sync::copy_wait, 0}});
  CHECK(cta->instructions[4].bypass_l1);  // .cg
  source.run_to_end();
  CHECK(source.memory().load<std::uint32_t>(GlobalMemory::first_address + 256, 32)[31] == 31 + 63);
}

TEST_CASE("ptx async: what is behind the size of the source is 0") {
  // Thread t copies t % 3 * 4 of 8 bytes: the second word is there for t % 3 == 2 only.
  const std::string code =
      "rem.u32 %r2, %r9, 3;\nshl.b32 %r2, %r2, 2;\nmov.u32 %r1, s;\nmad.lo.u32 %r1, %r9, 8, %r1;\n"
      "mov.u64 %d1, t;\ncp.async.ca.shared.global [%r1], [%d1], 8, %r2;\ncp.async.wait_all;\n"
      "ld.shared.v2.u32 {%r3, %r4}, [%r1];\nmad.lo.u32 %r0, %r4, 100, %r3;\n";
  const auto r =
      run(kernel(code + store, ".shared .align 8 .b8 s[256];\n", ".global .align 8 .u32 t[2] = {7, 9};\n"),
          32, 32);
  CHECK(r[0] == 0);
  CHECK(r[1] == 7);
  CHECK(r[2] == 907);
}

TEST_CASE("ptx async: bulk copies come with their bytes counted") {
  // Thread 0 expects 512 bytes; all wait for phase 0. Then 512 bytes go back to global memory.
  const std::string code =
      "mov.u32 %r1, b;\nmov.u32 %r2, s;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra wait;\n"
      "mbarrier.init.shared::cta.b64 [%r1], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 %d1, [%r1], 512;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d9], 512, [%r1];\n"
      "wait:\nbar.warp.sync 0xffffffff;\n"
      "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;\n@!%p2 bra again;\n"
      "mad.lo.u32 %r3, %r9, 4, %r2;\nld.shared.u32 %r4, [%r3+128];\nadd.u32 %r4, %r4, 1000;\n"
      "st.shared.u32 [%r3], %r4;\nbar.sync 0;\n@%p1 bra done;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%d9], [%r2], 512;\ncp.async.bulk.commit_group;\n"
      "cp.async.bulk.wait_group 0;\ndone:\nret;";
  GlobalMemory memory;
  const Address out = memory.upload(numbers(128), "out");
  execute(launch(kernel(code, ".shared .align 8 .b64 b;\n.shared .align 16 .b8 s[512];\n"), 32, out), memory);
  const auto r = memory.load<std::uint32_t>(out, 128);
  CHECK(r[0] == 1032);
  CHECK(r[31] == 1063);
  CHECK(r[32] == 32);
}

TEST_CASE("ptx async: a warp that only arrives at a barrier goes on") {
  // Warp 0 writes, arrives and ends; warp 1 waits for both.
  const std::string code =
      "mov.u32 %r1, s;\nshr.u32 %r2, %r9, 5;\nand.b32 %r3, %r9, 31;\nmad.lo.u32 %r3, %r3, 4, %r1;\n"
      "setp.eq.u32 %p1, %r2, 1;\nmov.u32 %r0, 5;\n@%p1 bra second;\nadd.u32 %r4, %r9, 70;\nst.shared.u32 "
      "[%r3], %r4;\n"
      "barrier.cta.arrive.aligned 1, 64;\nbra end;\nsecond:\nbar.sync 1, 64;\nld.shared.u32 %r0, "
      "[%r3];\nend:\n";
  const auto r = run(kernel(code + store, ".shared .align 4 .b8 s[128];\n"), 64, 64);
  CHECK(r[0] == 5);
  CHECK(r[32] == 70);
  CHECK(r[63] == 101);
}

TEST_CASE("ptx: small things that libraries write") {
  CHECK(per_thread("mov.u32 %r0, WARP_SZ;")[0] == 32);
  // (3, 9) is exchanged in, then compared with itself and swapped for (0, 0), which is not (3, 9).
  CHECK(per_thread(".reg .b128 %q1, %q2, %q3;\nmov.u64 %d1, 3;\nmov.u64 %d2, 9;\nmov.u64 %d3, 0;\n"
                   "mov.b128 %q1, {%d1, %d2};\nmov.b128 %q2, {%d3, %d3};\nmov.u32 %r0, 0;\n"
                   "setp.ne.u32 %p1, %r9, 0;\n@%p1 bra done;\natom.global.exch.b128 _, [%d9], %q1;\n"
                   "atom.global.cas.b128 %q3, [%d9], %q1, %q2;\nmov.b128 {%d4, %d5}, %q3;\n"
                   "atom.global.cas.b128 %q3, [%d9], %q1, %q1;\nmov.b128 {%d6, %d7}, %q3;\n"
                   "ld.global.b128 %q3, [%d9];\nmov.b128 {%d10, %d11}, %q3;\nadd.u64 %d6, %d6, %d10;\n"
                   "mad.lo.u64 %d4, %d5, 10, %d4;\nmad.lo.u64 %d4, %d6, 100, %d4;\ncvt.u32.u64 %r0, %d4;\n"
                   "st.global.b128 [%d9], %q1;\ndone:\n")[0] == 93);
  CHECK(per_thread("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d1, 0.5;\n"
                   "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %d2, [%d9], 64, 128;\n"
                   "ld.global.L2::cache_hint.u32 %r0, [%d9], %d1;\nadd.u32 %r0, %r0, 4;\n"
                   "st.global.L2::cache_hint.u32 [%d9], %r0, %d2;\nmov.u32 %r0, 7;")[1] == 7);
  CHECK(per_thread("setp.lt.u32 %p1, %r9, 3;\nvote.ballot.sync.b32 %r0, %p1, 0xffffffff;")[9] == 7);
  const std::string two =
      ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 4 .b8 small[64];\n.shared .align 4 .b8 "
      "large[4096];\n.visible .entry a()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, small;\nst.shared.u32 [%r1], "
      "1;\nret;\n}\n"
      ".visible .entry b()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, large;\nst.shared.u32 [%r1], 1;\nret;\n}\n"
      ".visible .entry c()\n{\nret;\n}\n";
  const auto program = PtxProgram::parse(two, "two.ptx");
  CHECK(program->kernel("a").static_shared_bytes == 64);
  CHECK(program->kernel("b").static_shared_bytes == 4096);
  CHECK(program->kernel("c").static_shared_bytes == 0);
}

TEST_CASE("ptx async: arrays of 4-byte elements are laid out for copies of 16") {
  // `lock` stands first and takes 8 bytes; words 4 to 7 of `s` are copied at once.
  const std::string code =
      "mov.u32 %r1, lock;\nst.shared.u32 [%r1], %r9;\nmov.u32 %r2, s;\nsetp.ne.u32 %p1, %r9, 0;\n"
      "@!%p1 cp.async.cg.shared.global [%r2+16], [%d9], 16;\ncp.async.wait_all;\nbar.sync 0;\n"
      "ld.shared.u32 %r3, [%r2+24];\nand.b32 %r4, %r2, 15;\nmad.lo.u32 %r0, %r4, 100, %r3;\n";
  GlobalMemory memory;
  const Address out = memory.upload(numbers(32), "out");
  execute(
      launch(kernel(code + store, ".shared .align 4 .b8 lock[8];\n.shared .align 4 .b8 s[64];\n"), 32, out),
      memory);
  CHECK(memory.load<std::uint32_t>(out, 32)[5] == 2);
}

TEST_CASE("ptx async: dynamic shared memory begins where its alignment says") {
  const std::string code = "mov.u32 %r1, lock;\nst.shared.u32 [%r1], %r9;\nmov.u32 %r0, d;\n";
  const auto at = [&](const std::string& align) {
    GlobalMemory memory;
    const Address out = memory.upload(std::vector<std::uint32_t>(1), "out");
    PtxLaunch l = launch(kernel(code + store, ".shared .align 4 .b8 lock[8];\n",
                                ".extern .shared .align " + align + " .b8 d[];\n"),
                         1, out);
    l.dynamic_shared_bytes = 64;
    execute(l, memory);
    return memory.load<std::uint32_t>(out, 1)[0];
  };
  CHECK(at("4") == 16);
  CHECK(at("1024") == 1024);
}
