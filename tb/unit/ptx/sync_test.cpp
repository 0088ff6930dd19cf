// Lanes of a warp that wait for each other, and what is recorded of that.
#include "models/common/faults.h"
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

using namespace strata::traces::ptx_bench;

namespace {

/// Every thread takes the lock out[0] and counts in out[1].
const char* const lock_and_count =
    "L: atom.global.cas.b32 %r0, [%d9], 0, 1;\nsetp.ne.s32 %p1, %r0, 0;\n@%p1 bra L;\nmembar.gl;\n"
    "ld.volatile.global.u32 %r1, [%d9+4];\nadd.s32 %r1, %r1, 1;\nst.volatile.global.u32 [%d9+4], "
    "%r1;\nmembar.gl;\natom.global.exch.b32 %r2, [%d9], 0;\n";

std::shared_ptr<const CtaTrace> record(const std::string& text, unsigned threads, PtxStats* stats = nullptr) {
  PtxSource source([=] {
    PtxWorkload w;
    const Address out = w.memory.upload(std::vector<std::uint32_t>(64), "out");
    w.launches.push_back(launch(text, threads, out));
    return w;
  });
  const auto cta = source.fetch(0, 0);
  if (stats != nullptr) *stats = source.stats();
  return cta;
}

std::size_t count_of(const CtaTrace& cta, OpClass op) {
  std::size_t count = 0;
  for (const WarpInstruction& i : cta.instructions) count += i.op == op ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("ptx progress: lanes of warps take a lock one after another") {
  for (const unsigned threads : {2u, 32u, 50u, 128u}) {
    const auto r = run(kernel(std::string(lock_and_count) + "ret;"), threads, 64, {}, 3);
    CHECK(r[0] == 0);
    CHECK(r[1] == 3 * threads);
  }
}

TEST_CASE("ptx progress: a ticket lock goes from lane to lane") {
  const auto r = run(kernel("atom.global.add.u32 %r3, [%d9], 1;\nL: ld.volatile.global.u32 %r0, "
                            "[%d9+4];\nsetp.ne.s32 %p1, %r0, %r3;\n@%p1 bra L;\nld.volatile.global.u32 %r1, "
                            "[%d9+8];\nadd.s32 %r1, %r1, 1;\nst.volatile.global.u32 [%d9+8], %r1;\nadd.s32 "
                            "%r3, %r3, 1;\nst.volatile.global.u32 [%d9+4], %r3;\nret;"),
                     96, 64);
  CHECK(r[0] == 96);
  CHECK(r[1] == 96);
  CHECK(r[2] == 96);
}

TEST_CASE("ptx progress: lanes that went on alone meet where they shuffle and at barriers") {
  // Behind the lock lane 0 of each warp adds the sum of 1 over its lanes: 32 for each of 2 x 2 warps. The
  // mask is a number, or one that a register holds.
  for (const std::string mask : {"-1", "%r12"}) {
    std::string sum = "mov.u32 %r12, -1;\nmov.u32 %r4, 1;\n";
    for (const char* const step : {"16", "8", "4", "2", "1"})
      sum += "shfl.sync.bfly.b32 %r5|%p2, %r4, " + std::string(step) + ", 31, " + mask +
             ";\nadd.s32 %r4, %r4, %r5;\n";
    sum +=
        "and.b32 %r6, %r9, 31;\nsetp.ne.u32 %p3, %r6, 0;\n@%p3 bra E;\nred.global.add.u32 [%d9+8], "
        "%r4;\nE: ret;";
    const auto r = run(kernel(lock_and_count + sum), 64, 64, {}, 2);
    CHECK(r[1] == 128);
    CHECK(r[2] == 4 * 32);
  }
  // A barrier that counts: all 64 threads of each block; thread 0 adds what it found.
  const auto r =
      run(kernel(std::string(lock_and_count) +
                 "setp.eq.s32 %p2, %r2, %r2;\nbar.red.popc.u32 %r5, 0, %p2;\nsetp.ne.u32 %p3, %r9, 0;\n@%p3 "
                 "bra E;\nred.global.add.u32 [%d9+8], %r5;\nE: ret;"),
          64, 64, {}, 2);
  CHECK(r[2] == 128);
}

TEST_CASE("ptx progress: lanes meet again behind the branch that holds the loop") {
  // Odd lanes count behind the lock, even ones go on: behind that the warp stores as one, in one record.
  const std::string text =
      kernel("and.b32 %r6, %r9, 1;\nsetp.eq.u32 %p3, %r6, 0;\n@%p3 bra E;\n" + std::string(lock_and_count) +
             "E: mul.wide.u32 %d8, %r9, 4;\nadd.s64 %d8, %d9, %d8;\nst.global.u32 [%d8+64], %r9;\nret;");
  const auto r = run(text, 32, 64);
  CHECK(r[1] == 16);
  for (unsigned t = 0; t < 32; ++t) CHECK(r[16 + t] == t);
  const auto cta = record(text, 32);
  std::size_t whole = 0;
  for (const WarpInstruction& i : cta->instructions)
    whole += i.op == OpClass::store && i.active_mask == 0xffffffff ? 1 : 0;
  CHECK(whole == 1);
}

TEST_CASE("ptx progress: one lane sets what the others of its warp wait for") {
  const auto r =
      run(kernel("setp.eq.u32 %p1, %r9, 7;\n@%p1 bra S;\nL: ld.volatile.global.u32 %r0, "
                 "[%d9];\nsetp.eq.s32 %p2, %r0, 0;\n@%p2 bra L;\nbra E;\nS: mov.u32 %r0, "
                 "5;\nst.volatile.global.u32 [%d9], %r0;\nE: red.global.add.u32 [%d9+4], %r0;\nret;"),
          32, 64);
  CHECK(r[1] == 32 * 5);
}

TEST_CASE("ptx progress: a function that takes the lock returns lane after lane") {
  const auto r = run(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".func take(.param .u64 at)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %d<2>;\n"
      "ld.param.u64 %d1, [at];\nL: atom.global.exch.b32 %r1, [%d1], 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra "
      "L;\nmembar.gl;\nret;\n}\n"
      ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<2>;\nld.param.u64 %d1, [out];\n"
      "{\n.param .u64 p;\nst.param.u64 [p], %d1;\ncall.uni take, (p);\n}\n"
      "ld.volatile.global.u32 %r1, [%d1+4];\nadd.s32 %r1, %r1, 1;\nst.volatile.global.u32 [%d1+4], %r1;\n"
      "membar.gl;\nst.volatile.global.u32 [%d1], 0;\nret;\n}\n",
      64, 64);
  CHECK(r[1] == 64);
}

TEST_CASE("ptx progress: what is recorded of a loop that waits is bounded") {
  // The first warp waits for the second, which counts to `n` before it sets the flag: the record is the same
  // whatever `n` is, but for the counting, and says all that the second warp does.
  const auto text = [](unsigned n) {
    return kernel(
        "setp.ge.u32 %p1, %r9, 32;\n@%p1 bra S;\nL: ld.volatile.global.u32 %r0, "
        "[%d9];\nsetp.eq.s32 %p2, %r0, 0;\n@%p2 bra L;\nret;\nS: mov.u32 %r1, 0;\nC: add.s32 %r1, "
        "%r1, 1;\nsetp.lt.u32 %p3, %r1, " +
        std::to_string(n) + ";\n@%p3 bra C;\nst.volatile.global.u32 [%d9], %r1;\nret;");
  };
  PtxStats few, many;
  const auto a = record(text(10), 64, &few), b = record(text(1000000), 64, &many);
  // One round that found nothing at first, two that are kept of those alike, and the one that finds the flag.
  CHECK(count_of(*a, OpClass::load) <= 5);
  CHECK(count_of(*b, OpClass::load) == count_of(*a, OpClass::load));
  CHECK(count_of(*b, OpClass::store) == 1);
  CHECK(many.waits == 1);
  CHECK(many.waiting_rounds > few.waiting_rounds);
  // The statistics count what is recorded.
  std::uint64_t recorded = 0;
  for (const WarpInstruction& i : a->instructions) recorded += i.weight;
  CHECK(few.warp_instructions == recorded);
}

TEST_CASE("ptx progress: what is recorded of lanes that went on alone is what they count") {
  PtxStats stats;
  const auto cta = record(kernel(std::string(lock_and_count) +
                                 "mov.u32 %r4, 1;\nadd.s32 %r4, %r4, 2;\nshfl.sync.bfly.b32 %r5|%p2, %r4, 1, "
                                 "31, -1;\nbar.sync 0;\nret;"),
                          64, &stats);
  std::uint64_t recorded = 0, threads = 0;
  for (const WarpInstruction& i : cta->instructions) {
    recorded += i.weight;
    threads += std::uint64_t{i.weight} * static_cast<unsigned>(__builtin_popcount(i.active_mask));
  }
  CHECK(stats.warp_instructions == recorded);
  CHECK(stats.thread_instructions == threads);
  CHECK(count_of(*cta, OpClass::barrier) == 2);  // each warp comes to it as one
}

TEST_CASE("ptx progress: loops that count or read the clock while they wait come to their end") {
  CHECK(word("mov.u32 %r0, 0;\nL: add.s32 %r0, %r0, 1;\nld.volatile.global.u32 %r1, [%d9];\nsetp.ge.u32 %p1, "
             "%r0, 70000;\n@%p1 bra E;\nsetp.eq.s32 %p2, %r1, 0;\n@%p2 bra L;\nE: mov.u32 %r1, %r1;") ==
        70000);
}

TEST_CASE("ptx progress: a loop that no other lane can end is a fault with its line") {
  const std::string text =
      kernel("L: ld.volatile.global.u32 %r0, [%d9];\nsetp.eq.s32 %p1, %r0, 0;\n@%p1 bra L;\nret;");
  CHECK_THROWS_WITH(run(text, 32, 64), tb::has_text("kernel k, thread block (0,0,0)") &&
                                           tb::has_text("ld.volatile.global.u32: no end"));
  // Who is asked may let it look again, and then give up.
  PtxOptions options;
  int asked = 0;
  options.wait = [&](const PtxWaiting& waiting) {
    CHECK(waiting.where.find("test.ptx:") == 0);
    return ++asked < 4 ? PtxWaiting::Next::again : PtxWaiting::Next::stop;
  };
  CHECK(run(text, 32, 64, options)[0] == 0);
  CHECK(asked == 4);
}

TEST_CASE("ptx progress: a loop whose atomics change nothing, but that computes, is no deadlock") {
  // Each lane goes round 3000 + 7 t times; the atomic finds 100 and leaves it there each time.
  PtxStats stats;
  const std::string text = kernel(
      "mad.lo.u32 %r1, %r9, 7, 3000;\nmov.u32 %r2, 100;\natom.global.max.u32 %r0, [%d9], %r2;\nL: "
      "atom.global.max.u32 %r0, [%d9], 5;\nadd.u32 %r1, %r1, -1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra "
      "L;\nred.global.add.u32 [%d9+4], 1;\nret;");
  const auto cta = record(text, 32, &stats);
  CHECK(stats.waits == 0);
  CHECK(count_of(*cta, OpClass::atomic) == 1 + 3000 + 31 * 7 + 1);
}

// Warps and thread blocks that wait for each other.

TEST_CASE("ptx: warps leave a barrier together where they are asked to") {
  // Each warp reads what the first thread wrote before a barrier; then the first thread writes again, without
  // one.
  const std::string race = kernel(
      "setp.ne.u32 %p1, %r9, 0;\nmov.u32 %r1, 7;\n@%p1 bra A;\nst.shared.u32 [s], %r1;\nA: bar.sync "
      "0;\nld.shared.u32 %r0, [s];\nmov.u32 %r1, 8;\n@%p1 bra B;\nst.shared.u32 [s], %r1;\nB: "
      "mul.wide.u32 %d8, %r9, 4;\nadd.s64 %d8, %d9, %d8;\nst.global.b32 [%d8], %r0;\nret;",
      ".shared .align 4 .b8 s[4];\n");
  PtxOptions options;
  CHECK(run(race, 128, 128, options)[127] == 8);  // the first warp has run to its end
  options.turns_after_barrier = 1;
  const auto r = run(race, 128, 128, options);
  for (unsigned t = 0; t < 128; ++t) CHECK(r[t] == 7);
}

TEST_CASE("ptx: a thread block that waits for one behind it goes on in turns with those") {
  // Block b waits until word 63 holds b + 1 blocks fewer than there are, which the blocks behind it have
  // counted.
  const auto turn = [](const char* wanted) {
    return kernel(
        "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.x;\nsub.u32 %r3, %r2, %r1;\nadd.u32 %r3, %r3, " +
        std::string(wanted) +
        ";\nL: ld.volatile.global.u32 %r0, [%d9+252];\nsetp.ne.u32 %p1, %r0, %r3;\n@%p1 bra "
        "L;\nbar.sync 0;\nsetp.ne.u32 %p2, %r9, 0;\n@%p2 bra E;\nmul.wide.u32 %d8, %r1, 4;\nadd.s64 %d8, "
        "%d9, "
        "%d8;\nst.global.b32 [%d8], %r0;\nadd.u32 %r0, %r0, 1;\nst.volatile.global.u32 [%d9+252], "
        "%r0;\nE: ret;");
  };
  const auto r = run(turn("-1"), 64, 64, {}, 12);
  for (unsigned block = 0; block < 12; ++block) CHECK(r[block] == 11 - block);
  CHECK(r[63] == 12);
  CHECK_THROWS_WITH(run(turn("0"), 64, 64, {}, 12),
                    tb::has_text("all thread blocks of the launch wait for each other"));
}

TEST_CASE("ptx: thread blocks that meet at a barrier of the whole grid, made by hand") {
  // Five rounds: each block counts itself and waits for the others; word 62 sums what it sees at once, 5 x 30
  // x 30.
  const auto r =
      run(kernel("mov.u32 %r1, 0;\nmov.u32 %r2, %nctaid.x;\nmov.u32 %r3, 0;\nsetp.ne.u32 %p3, %r9, 0;\nR: "
                 "add.u32 %r3, %r3, "
                 "%r2;\nbar.sync 0;\n@%p3 bra S;\nmembar.gl;\nred.global.add.u32 [%d9+252], 1;\nL: "
                 "ld.volatile.global.u32 %r0, [%d9+252];\nsetp.lt.u32 %p1, %r0, %r3;\n@%p1 bra "
                 "L;\nred.global.add.u32 "
                 "[%d9+248], %r2;\nS: bar.sync 0;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 5;\n@%p2 bra "
                 "R;\nret;"),
          128, 64, {}, 30);
  CHECK(r[63] == 5 * 30);
  CHECK(r[62] == 5 * 30 * 30);
}
