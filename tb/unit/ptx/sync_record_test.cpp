#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"

using namespace strata;
using namespace strata::traces;
using ptx_bench::kernel;
using ptx_bench::launch;

namespace {

struct Seen {
  OpClass op;
  Sync sync;
  std::uint16_t operand;
  int lanes;
  bool operator==(const Seen& other) const {
    return op == other.op && sync == other.sync && operand == other.operand && lanes == other.lanes;
  }
};

/// What orders a warp, of the records of one warp of the first thread block.
std::vector<Seen> syncs(const std::string& code, const std::string& before = "", unsigned threads = 32,
                        std::size_t warp = 0, std::optional<Dim3> cluster = {}) {
  const std::string text = kernel(code, before);
  PtxSource source([&] {
    PtxWorkload w;
    const Address out = w.memory.upload(std::vector<std::uint32_t>(1024), "out");
    w.launches.push_back(launch(text, threads, out, cluster ? cluster->x : 1));
    w.launches[0].cluster = cluster;
    return w;
  });
  const auto cta = source.fetch(0, 0);
  std::vector<Seen> all;
  for (std::uint32_t n = cta->warp_begin[warp]; n < cta->warp_begin[warp + 1]; ++n) {
    const WarpInstruction& i = cta->instructions[n];
    if (i.sync != Sync::none) all.push_back({i.op, i.sync, i.operand, i.active_lanes()});
  }
  return all;
}
constexpr OpClass stores = OpClass::shared_store, loads = OpClass::shared_load, other = OpClass::other;
const std::string shared = ".shared .align 128 .b8 s[1024];\n.shared .align 8 .b64 b;\n";

}  // namespace

TEST_CASE("ptx sync: barriers by number say it, the one of all warps does not") {
  CHECK(syncs("bar.sync 0;\nret;").empty());
  // Two warps at barrier 3, 64 threads; warp 0 arrives at 2, warp 1 waits there.
  const std::string code =
      "bar.sync 3, 64;\nmov.u32 %r1, 5;\nbar.sync %r1;\nmov.u32 %r1, 0;\nbar.sync %r1;\n"
      "setp.gt.u32 %p1, %r9, 31;\n@%p1 bra second;\nbar.arrive 2, 64;\nret;\nsecond:\nbar.sync 2, 64;\nret;";
  const std::vector<Seen> first = {
      {OpClass::barrier, Sync::barrier_sync, barrier_operand(3, 2), 32},
      {OpClass::barrier, Sync::barrier_sync, barrier_operand(5, 0), 32},  // of a register; then 0: all warps
      {OpClass::barrier, Sync::barrier_arrive, barrier_operand(2, 2), 32}};
  CHECK(syncs(code, "", 64) == first);
  CHECK(syncs(code, "", 64, 1).back() ==
        Seen{OpClass::barrier, Sync::barrier_sync, barrier_operand(2, 2), 32});
}

TEST_CASE("ptx sync: a barrier in shared memory and a bulk copy that it waits for") {
  const std::string code =
      "mov.u32 %r1, b;\nmov.u32 %r2, s;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra wait;\n"
      "mbarrier.init.shared::cta.b64 [%r1], 1;\n"
      "again:\nmbarrier.arrive.expect_tx.shared::cta.b64 %d1, [%r1], 512;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d9], 512, [%r1];\n"
      "wait:\nbar.warp.sync 0xffffffff;\n"
      "poll:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;\n@!%p2 bra poll;\n"
      "@%p1 exit;\ncp.async.bulk.global.shared::cta.bulk_group [%d9], [%r2], 512;\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 1;\nret;";
  const std::vector<Seen> wanted = {
      {stores, Sync::mbarrier_init, 1, 1},      {stores, Sync::mbarrier_expect, 512 / 16, 1},
      {stores, Sync::bulk_arrive, 512 / 16, 1}, {loads, Sync::mbarrier_wait, 0, 32},
      {other, Sync::bulk_commit, 0, 1},         {other, Sync::bulk_wait, 1, 1}};
  CHECK(syncs(code, shared) == wanted);
}

TEST_CASE("ptx sync: the tests that fail are not recorded") {
  // Warp 0 waits for warp 1, which first goes round a loop of 40 000 instructions: several turns.
  const std::string code =
      "mov.u32 %r1, b;\nsetp.ne.u32 %p1, %r9, 0;\n@!%p1 mbarrier.init.shared::cta.b64 [%r1], 32;\n"
      "bar.sync 0;\nsetp.gt.u32 %p1, %r9, 31;\n@%p1 bra second;\n"
      "poll:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;\n@!%p2 bra poll;\nret;\n"
      "second:\nmov.u32 %r2, 0;\nloop:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p3, %r2, 40000;\n@%p3 bra loop;\n"
      "mbarrier.arrive.shared::cta.b64 _, [%r1];\nret;";
  const std::vector<Seen> waits = {{stores, Sync::mbarrier_init, 32, 1}, {loads, Sync::mbarrier_wait, 0, 32}};
  CHECK(syncs(code, shared, 64) == waits);
  CHECK(syncs(code, shared, 64, 1) == std::vector<Seen>{{stores, Sync::mbarrier_arrive, 1, 32}});
}

TEST_CASE("ptx sync: arrivals of copies, and bytes without an arrival") {
  const std::string code =
      "mov.u32 %r1, b;\nmov.u32 %r2, s;\nsetp.ne.u32 %p1, %r9, 0;\n"
      "@!%p1 mbarrier.init.shared::cta.b64 [%r1], 64;\nbar.warp.sync 0xffffffff;\nmad.lo.u32 %r3, %r9, 4, "
      "%r2;\n"
      "cp.async.ca.shared.global [%r3], [%d9], 4;\ncp.async.mbarrier.arrive.shared.b64 [%r1];\n"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];\n"
      "@!%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 48;\n"
      "@!%p1 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], 48;\nret;";
  const std::vector<Seen> wanted = {{stores, Sync::mbarrier_init, 64, 1},
                                    {stores, Sync::mbarrier_copies, 0, 32},
                                    {stores, Sync::mbarrier_copies, 1, 32},
                                    {stores, Sync::mbarrier_expect, 3 | 0x8000, 1},
                                    {stores, Sync::bulk_arrive, 3, 1}};
  CHECK(syncs(code, shared) == wanted);
}

TEST_CASE("ptx sync: the barrier of a cluster, and stores that report to another thread block") {
  const std::string code =
      "mov.u32 %r1, b;\nmov.u32 %r2, s;\nsetp.ne.u32 %p1, %r9, 0;\n"
      "@!%p1 mbarrier.init.shared::cta.b64 [%r1], 1;\n"
      "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 128;\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\nmov.u32 %r3, %cluster_ctarank;\nxor.b32 %r3, %r3, 1;\n"
      "mad.lo.u32 %r4, %r9, 4, %r2;\nmapa.shared::cluster.u32 %r4, %r4, %r3;\n"
      "mapa.shared::cluster.u32 %r5, %r1, %r3;\n"
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4], %r9, [%r5];\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;";
  const std::vector<Seen> wanted = {
      {stores, Sync::mbarrier_init, 1, 1},  {stores, Sync::mbarrier_expect, 8, 1},
      {other, Sync::cluster_arrive, 0, 32}, {other, Sync::cluster_wait, 0, 32},
      {stores, Sync::bulk_arrive, 8, 1},  // 32 lanes, 4 bytes each
      {other, Sync::cluster_arrive, 0, 32}, {other, Sync::cluster_wait, 0, 32}};
  CHECK(syncs(code, shared, 32, 0, Dim3{2, 1, 1}) == wanted);
}

TEST_CASE("ptx sync: copies are marked as what they are") {
  const std::string text = kernel(
      "mov.u32 %r1, b;\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r9, 16, %r2;\n"
      "cp.async.cg.shared.global [%r3], [%d9], 16;\ncp.async.wait_all;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 "
      "exit;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%d9], [%r2], 64;\nld.global.u32 %r4, [%d9];\n"
      "st.shared.u32 [%r2], %r4;\nret;",
      shared);
  PtxSource source([&] {
    PtxWorkload w;
    const Address out = w.memory.upload(std::vector<std::uint32_t>(1024), "out");
    w.launches.push_back(launch(text, 32, out));
    return w;
  });
  std::string marks;
  const auto cta = source.fetch(0, 0);
  for (const WarpInstruction& i : cta->instructions)
    if (touches_global_memory(i.op) || touches_shared_memory(i.op))
      marks += i.bulk ? (i.async ? 'B' : '?') : i.async ? 'a' : '-';
  // Load and store of cp.async, the bulk copy's store to global memory (its side in shared memory is the
  // engine's), ld, st.
  CHECK(marks == "a-B--");
}
