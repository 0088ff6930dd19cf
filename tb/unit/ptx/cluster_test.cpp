#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"

using namespace strata;
using namespace strata::traces;
using ptx_bench::kernel;
using ptx_bench::launch;

namespace {

/// A kernel for clusters of two thread blocks; `directive` stands before its body.
std::string clustered(const std::string& code, const std::string& before = "",
                      const std::string& directive = ".reqnctapercluster 2, 1, 1\n") {
  std::string text = kernel(code, before);
  const auto at = text.find(")\n{");
  return text.insert(at + 2, directive);
}
const std::string shared = ".shared .align 4 .b8 s[128];\n";
const std::string meet = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
/// %r0 to out[ctaid.x * ntid.x + tid.x].
const std::string store =
    "mov.u32 %r18, %ctaid.x;\nmov.u32 %r19, %ntid.x;\nmad.lo.u32 %r18, %r18, %r19, %r9;\n"
    "mul.wide.u32 %d8, %r18, 4;\nadd.s64 %d8, %d9, %d8;\nst.global.b32 [%d8], %r0;\n";

std::vector<std::uint32_t> run_blocks(const std::string& text, unsigned blocks, unsigned threads = 32,
                                      std::optional<Dim3> cluster = {}) {
  GlobalMemory memory;
  const Address out = memory.upload(std::vector<std::uint32_t>(std::size_t{blocks} * threads), "out");
  PtxLaunch l = launch(text, threads, out, blocks);
  l.cluster = cluster;
  execute(l, memory);
  return memory.load<std::uint32_t>(out, std::size_t{blocks} * threads);
}
std::string fault_of(const std::string& text, unsigned blocks, std::optional<Dim3> cluster = {}) {
  try {
    run_blocks(text, blocks, 32, cluster);
  } catch (const TraceError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("ptx cluster: a thread block reads what the other one has written") {
  // Each writes 100 * rank + thread to its own shared memory, and reads that of the other: by a shared
  // address, and by a generic one.
  const std::string code =
      "mov.u32 %r1, s;\nmov.u32 %r2, %cluster_ctarank;\nxor.b32 %r3, %r2, 1;\n"
      "mad.lo.u32 %r4, %r9, 4, %r1;\nmad.lo.u32 %r5, %r2, 100, %r9;\nst.shared.u32 [%r4], %r5;\n" +
      meet +
      "mapa.shared::cluster.u32 %r6, %r4, %r3;\nld.shared::cluster.u32 %r0, [%r6];\n"
      "cvt.u64.u32 %d1, %r4;\ncvta.shared.u64 %d1, %d1;\nmapa.u64 %d2, %d1, %r3;\nld.u32 %r7, [%d2];\n"
      "getctarank.u64 %r8, %d2;\ngetctarank.shared::cluster.u32 %r10, %r4;\n"
      "mad.lo.u32 %r0, %r7, 1000, %r0;\nmad.lo.u32 %r0, %r8, 1000000, %r0;\n"
      "mad.lo.u32 %r0, %r10, 10000000, %r0;\n" +
      meet + store + "ret;";
  const auto r = run_blocks(clustered(code, shared), 4);
  // Block 2 has rank 0: it reads 105 twice, of rank 1; block 3 reads 5.
  CHECK(r[5] == 105 + 105000 + 1000000);
  CHECK(r[32 + 5] == 5 + 5000 + 10000000);
  CHECK(r[64 + 5] == r[5]);
  CHECK(r[96 + 31] == 31 + 31000 + 10000000);
}

TEST_CASE("ptx cluster: places in the grid and in the cluster") {
  // Grid (4,2), clusters (2,2): block (3,1) is at (1,1) of cluster (1,0), rank 3.
  const std::string code =
      "mov.u32 %r1, %cluster_ctaid.x;\nmov.u32 %r2, %cluster_ctaid.y;\nmov.u32 %r3, %clusterid.x;\n"
      "mov.u32 %r4, %nclusterid.x;\nmov.u32 %r5, %cluster_nctaid.y;\nmov.u32 %r6, %cluster_nctarank;\n"
      "mov.u32 %r7, %cluster_ctarank;\nmov.pred %p1, %is_explicit_cluster;\nselp.u32 %r8, 1, 0, %p1;\n"
      "mad.lo.u32 %r0, %r2, 10, %r1;\nmad.lo.u32 %r0, %r3, 100, %r0;\nmad.lo.u32 %r0, %r4, 1000, %r0;\n"
      "mad.lo.u32 %r0, %r5, 10000, %r0;\nmad.lo.u32 %r0, %r6, 100000, %r0;\n"
      "mad.lo.u32 %r0, %r7, 1000000, %r0;\nmad.lo.u32 %r0, %r8, 10000000, %r0;\n"
      "mov.u32 %r18, %ctaid.y;\nmov.u32 %r19, %ctaid.x;\nmad.lo.u32 %r18, %r18, 4, %r19;\n"
      "mul.wide.u32 %d8, %r18, 4;\nadd.s64 %d8, %d9, %d8;\nst.global.b32 [%d8], %r0;\nret;";
  GlobalMemory memory;
  const Address out = memory.upload(std::vector<std::uint32_t>(8), "out");
  PtxLaunch l = launch(kernel(code), 1, out);
  l.grid = {4, 2, 1};
  l.cluster = Dim3{2, 2, 1};
  execute(l, memory);
  auto r = memory.load<std::uint32_t>(out, 8);
  CHECK(r[7] == 13422111);
  CHECK(r[1] == 11422001);
  l.cluster.reset();  // each by itself
  execute(l, memory);
  r = memory.load<std::uint32_t>(out, 8);
  CHECK(r[7] == 114300);
}

TEST_CASE("ptx cluster: thread blocks add to the memory of one and wait at its barrier") {
  // 2 * 64 threads add 1 to a counter of rank 0 and arrive at its barrier, for which only rank 0 waits.
  const std::string code =
      "mov.u32 %r1, s;\nmov.u32 %r2, b;\nmov.u32 %r3, %cluster_ctarank;\nsetp.ne.u32 %p1, %r9, 0;\n"
      "@%p1 bra ready;\nmbarrier.init.shared::cta.b64 [%r2], 128;\nready:\n" +
      meet +
      "mapa.shared::cluster.u32 %r4, %r1, 0;\nmapa.shared::cluster.u32 %r5, %r2, 0;\n"
      "red.shared::cluster.add.u32 [%r4], 1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];\n"
      "setp.ne.u32 %p2, %r3, 0;\n@%p2 bra end;\n"
      "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0;\n@!%p3 bra again;\nend:\n"
      "ld.shared.u32 %r0, [%r1];\n" +
      meet + store + "ret;";
  const auto r = run_blocks(clustered(code, shared + ".shared .align 8 .b64 b;\n"), 2, 64);
  CHECK(r[0] == 128);
  CHECK(r[63] == 128);
  CHECK(r[64] == 0);
}

TEST_CASE("ptx cluster: asynchronous stores report their bytes to a barrier of the other thread block") {
  const std::string code =
      "mov.u32 %r1, s;\nmov.u32 %r2, b;\nmov.u32 %r3, %cluster_ctarank;\nxor.b32 %r4, %r3, 1;\n"
      "setp.ne.u32 %p1, %r9, 0;\n@%p1 bra ready;\nmbarrier.init.shared::cta.b64 [%r2], 1;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;\nready:\n" +
      meet +
      "mad.lo.u32 %r5, %r9, 4, %r1;\nmapa.shared::cluster.u32 %r6, %r5, %r4;\n"
      "mapa.shared::cluster.u32 %r7, %r2, %r4;\nmad.lo.u32 %r8, %r3, 100, %r9;\n"
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6], %r8, [%r7];\n"
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6], 1000, [%r7];\n"
      "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0;\n@!%p3 bra again;\n"
      "ld.shared.u32 %r0, [%r5];\n" +
      meet + store + "ret;";
  const auto r = run_blocks(clustered(code, shared + ".shared .align 8 .b64 b;\n"), 2);
  CHECK(r[7] == 1107);
  CHECK(r[32 + 7] == 1007);
}

TEST_CASE("ptx cluster: windows of shared memory") {
  // The other's memory is shared::cluster, not shared::cta; its own is both, also by its rank.
  const std::string code =
      "mov.u32 %r1, %cluster_ctarank;\nxor.b32 %r2, %r1, 1;\nmov.u64 %d1, s;\ncvta.shared.u64 %d1, %d1;\n"
      "mapa.u64 %d2, %d1, %r2;\nmapa.u64 %d3, %d1, %r1;\nmov.u32 %r0, 0;\n"
      "isspacep.shared::cta %p1, %d2;\n@%p1 add.u32 %r0, %r0, 1;\n"
      "isspacep.shared::cluster %p1, %d2;\n@%p1 add.u32 %r0, %r0, 10;\n"
      "isspacep.shared %p1, %d3;\n@%p1 add.u32 %r0, %r0, 100;\n"
      "isspacep.shared::cta %p1, %d1;\n@%p1 add.u32 %r0, %r0, 1000;\n"
      "isspacep.global %p1, %d2;\n@%p1 add.u32 %r0, %r0, 10000;\n" +
      store + "ret;";
  CHECK(run_blocks(clustered(code, shared), 2)[0] == 1110);
}

TEST_CASE("ptx cluster: what is recorded is the same in all orders of the thread blocks") {
  const std::string code =
      "mov.u32 %r1, s;\nmov.u32 %r3, %cluster_ctarank;\nst.shared.u32 [%r1], %r3;\n" + meet +
      "mapa.shared::cluster.u32 %r4, %r1, 1;\nld.shared::cluster.u32 %r0, [%r4];\n" + meet + store + "ret;";
  PtxSource source([&] {
    PtxWorkload w;
    const Address out = w.memory.upload(std::vector<std::uint32_t>(128), "out");
    w.launches.push_back(launch(clustered(code, shared), 32, out, 4));
    return w;
  });
  CHECK(source.kernels()[0].cluster.x == 2);
  const auto third = source.fetch(0, 2), first = source.fetch(0, 0);
  REQUIRE(third->instructions.size() == first->instructions.size());
  std::vector<std::uint64_t> loads;
  for (const WarpInstruction& i : first->instructions)
    if (i.op == OpClass::shared_load) loads.push_back(i.address);
  CHECK(loads == std::vector<std::uint64_t>{2U << 24});  // rank 1, byte 0
}

TEST_CASE("ptx cluster: of a cooperative launch") {
  const std::string code =
      "mov.u32 %r1, s;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %cluster_ctarank;\nxor.b32 %r3, %r3, 1;\n"
      "st.shared.u32 [%r1], %r2;\n" +
      meet + "mapa.shared::cluster.u32 %r4, %r1, %r3;\nld.shared::cluster.u32 %r0, [%r4];\n" + meet + store +
      "ret;";
  GlobalMemory memory;
  const Address out = memory.upload(std::vector<std::uint32_t>(128), "out");
  PtxLaunch l = launch(clustered(code, shared), 32, out, 4);
  l.cooperative = true;
  execute(l, memory);
  const auto r = memory.load<std::uint32_t>(out, 128);
  CHECK(r[0] == 1);
  CHECK(r[32] == 0);
  CHECK(r[64] == 3);
  CHECK(r[96] == 2);
}

TEST_CASE("ptx cluster: faults") {
  const std::string waits = "barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;";
  CHECK(fault_of(clustered("ret;"), 3).find("clusters that divide the grid (3,1,1), found (2,1,1)") !=
        std::string::npos);
  CHECK(fault_of(kernel("ret;"), 32, Dim3{32, 1, 1}).find("at most 16 thread blocks in a cluster") !=
        std::string::npos);
  CHECK(fault_of(clustered("ret;", "", ".maxclusterrank 4\n"), 8, Dim3{8, 1, 1})
            .find("at most 4 thread blocks in a cluster") != std::string::npos);
  CHECK(fault_of(clustered("ret;"), 4, Dim3{4, 1, 1}).find("for which it is compiled") != std::string::npos);
  CHECK(fault_of(clustered("barrier.cluster.wait;\nret;"), 2).find("where it has not arrived") !=
        std::string::npos);
  CHECK(fault_of(clustered("barrier.cluster.arrive;\nbarrier.cluster.arrive;\nret;"), 2)
            .find("has arrived at the barrier of the cluster already") != std::string::npos);
  // Rank 1 waits for the barrier of its own thread block, at which no other warp arrives.
  const std::string elsewhere =
      "mov.u32 %r3, %cluster_ctarank;\nsetp.eq.u32 %p1, %r3, 1;\n@%p1 bra other;\n" + waits +
      "\nother:\nbar.sync 1, 64;\nret;";
  CHECK(fault_of(clustered(elsewhere), 2).find("no other warp will arrive at this barrier") !=
        std::string::npos);
  CHECK(fault_of(clustered("mov.u32 %r1, s;\nmapa.shared::cluster.u32 %r2, %r1, 2;\nret;", shared), 2)
            .find("no thread block of the cluster has the rank 2") != std::string::npos);
  // Rank 0 ends at once; rank 1 reads its memory behind the barrier of a thread block that has left.
  const std::string late =
      "mov.u32 %r1, s;\nmov.u32 %r3, %cluster_ctarank;\nst.shared.u32 [%r1], %r3;\n"
      "barrier.cluster.arrive;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 exit;\nbarrier.cluster.wait;\n"
      "mapa.shared::cluster.u32 %r2, %r1, 0;\nld.shared::cluster.u32 %r0, [%r2];\nret;";
  CHECK(fault_of(clustered(late, shared), 2)
            .find("shared memory of a thread block of the cluster that has ended") != std::string::npos);
}

TEST_CASE("ptx cluster: threads that have left do not keep the others at the barrier") {
  // The upper half of each warp leaves; the rest meets.
  const std::string code = "mov.u32 %r0, 0;\nsetp.gt.u32 %p1, %r9, 15;\n@%p1 exit;\n" + meet +
                           "mov.u32 %r0, 3;\n" + store + "ret;";
  const auto r = run_blocks(clustered(code), 2);
  CHECK(r[0] == 3);
  CHECK(r[16] == 0);
  CHECK(r[32 + 15] == 3);
}

namespace {

/// Threads of the cluster `who` loop until there is something at out[0], which goes to %r0; those of cluster
/// 2 put 7 there.
std::string wait_for_cluster_2(const std::string& who) {
  return "mov.u32 %r1, %clusterid.x;\nmov.u32 %r2, %cluster_ctarank;\nmov.u32 %r0, 7;\n"
         "setp.eq.u32 %p1, %r1, 2;\n@!%p1 bra L;\nst.volatile.global.u32 [%d9], %r0;\nbra E;\nL:\n" +
         who + "A: ld.volatile.global.u32 %r0, [%d9];\nsetp.eq.s32 %p2, %r0, 0;\n@%p2 bra A;\nE:\n" + meet +
         "red.global.add.u32 [%d9+4], %r0;\nret;";
}

}  // namespace

TEST_CASE("ptx cluster: a cluster that waits for one behind it goes on beside it") {
  // All of clusters 0 and 1 wait for cluster 2: 6 blocks of 32 threads add 7.
  auto r = run_blocks(clustered(wait_for_cluster_2("")), 6);
  CHECK(r[0] == 7);
  CHECK(r[1] == 6 * 32 * 7);
  // Of these clusters rank 0 is at the barrier meanwhile, with the 7 that it had.
  r = run_blocks(clustered(wait_for_cluster_2("setp.eq.u32 %p3, %r2, 0;\n@%p3 bra E;\n")), 6);
  CHECK(r[1] == 6 * 32 * 7);
}

TEST_CASE("ptx cluster: clusters that wait for an event that never comes are a fault, or may be ended") {
  const std::string text = clustered(wait_for_cluster_2("setp.eq.u32 %p3, %r2, 0;\n@%p3 bra E;\n"));
  const std::string fault = fault_of(text, 4);  // there is no cluster 2
  CHECK(fault.find("ld.volatile.global.u32: no end: all thread blocks of the launch wait for each other") !=
        std::string::npos);
  CHECK(fault.find("thread block (1,0,0)") != std::string::npos);
  // The callback gets a warp that loops, not one at the barrier of the cluster.
  GlobalMemory memory;
  const Address out = memory.upload(std::vector<std::uint32_t>(2), "out");
  PtxOptions options;
  int asked = 0;
  options.wait = [&](const PtxWaiting& waiting) {
    CHECK(waiting.where.find("thread block (1,0,0)") != std::string::npos);
    if (++asked == 3) memory.store(out, std::vector<std::uint32_t>{9});
    return PtxWaiting::Next::again;
  };
  PtxLaunch l = launch(text, 32, out, 4);
  execute(l, memory, options);
  CHECK(asked == 3);
  // Rank 0 of both has 7, rank 1 the 9.
  CHECK(memory.load<std::uint32_t>(out, 2)[1] == 2 * 32 * (7 + 9));
}

TEST_CASE("ptx cluster: lanes arrive at its barrier one part after another") {
  // Lane 0 waits for the others of its warp, which have arrived, and arrives behind them.
  const std::string code =
      "setp.eq.u32 %p1, %r9, 0;\n@%p1 bra S;\nbarrier.cluster.arrive;\nmov.u32 %r1, 1;\n"
      "st.volatile.global.u32 [%d9], %r1;\nbra E;\n"
      "S: ld.volatile.global.u32 %r0, [%d9];\nsetp.eq.s32 %p2, %r0, 0;\n@%p2 bra S;\n"
      "barrier.cluster.arrive;\nE: barrier.cluster.wait;\nred.global.add.u32 [%d9+4], 1;\nret;";
  CHECK(run_blocks(clustered(code), 4)[1] == 4 * 32);
}
