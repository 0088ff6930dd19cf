// Asynchronous copies, bulk copies, and the barriers that warps wait for them at. As in sm_core_test.cpp an
// instruction issued in cycle i has its first line out in i + 1 and, with a latency of 10, its result in i
// + 12.
#include "models/sm_cluster/cta_barriers.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

using Cycles = std::vector<Cycle>;

namespace {

WarpInstruction copy(Address address) {
  WarpInstruction i = load(address, no_register);
  i.async = true;
  return i;
}
WarpInstruction group(Sync sync, std::uint16_t groups_left = 0) {
  WarpInstruction i = plain(OpClass::other);
  i.sync = sync;
  i.operand = groups_left;
  return i;
}
WarpInstruction barrier(Sync sync, unsigned number, unsigned warps) {
  WarpInstruction i = plain(OpClass::barrier);
  i.sync = sync;
  i.operand = barrier_operand(number, warps);
  return i;
}
/// An operation of one lane at a barrier in shared memory.
WarpInstruction at_barrier(Sync sync, std::uint16_t operand, Address address = 0) {
  WarpInstruction i = plain(sync == Sync::mbarrier_wait ? OpClass::shared_load : OpClass::shared_store);
  i.sync = sync;
  i.operand = operand;
  i.active_mask = 1;
  i.address_kind = AddressKind::stride;
  i.address = address;
  i.width = 8;
  return i;
}
WarpInstruction bulk(OpClass op, Address address) {
  WarpInstruction i = op == OpClass::store ? store(address, 16) : load(address, no_register, 16);
  i.width = 16;
  i.async = i.bulk = true;
  return i;
}

}  // namespace

// The first copy is issued in 1 and there in 13, the second one, issued in 3, in 15.
TEST_CASE("a wait for groups leaves the newest ones in flight") {
  CoreBench bench(one_scheduler());
  bench.launch(
      {{copy(0x1000), group(Sync::copy_commit), copy(0x2000), group(Sync::copy_commit),
        group(Sync::copy_wait, 1), alu(1), group(Sync::copy_wait, 0), alu(2), plain(OpClass::exit)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 3, 4, 13, 14, 15, 16, 17});
  CHECK(bench.stats.async_lines == 2);
  CHECK(broken_laws(bench.stats).empty());
}

// No instruction waits: the warp ends when its copy has landed, in 12.
TEST_CASE("copies that nothing waits for hold up the end of their warp only") {
  CoreBench bench(one_scheduler());
  bench.launch({{copy(0x1000), group(Sync::copy_commit), alu(1), plain(OpClass::exit)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 3, 4});
  CHECK(bench.ends == Cycles{13});
}

// An uncommitted copy is of no group: the wait passes.
TEST_CASE("a wait is for committed copies") {
  CoreBench bench(one_scheduler());
  bench.launch({{copy(0x1000), group(Sync::copy_wait, 0), alu(1)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 3});
}

// Loads would wait for the one entry; copies of a group share it. The last is issued in 5: there in 17.
TEST_CASE("copies of a group need one entry in the table of loads") {
  SmClusterParams params = one_scheduler();
  params.loads_per_warp = 1;
  CoreBench bench(params);
  Program program;
  for (unsigned n = 0; n < 5; ++n) program.push_back(copy(0x1000 + n * 0x1000));
  program.push_back(group(Sync::copy_commit));
  program.push_back(group(Sync::copy_wait, 0));
  program.push_back(alu(1));
  bench.launch({program});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 3, 4, 5, 6, 17, 18});
}

// Two groups of two warps. Warps 0 and 2 load (issued in 1 and 3 by the oldest first) and arrive in 13 and
// 15; warps 1 and 3 wait there since 2 and 4. The groups go on in 14 and 16, independently of each other.
TEST_CASE("barriers by number release their own warps") {
  CoreBench bench(one_scheduler());
  const auto warp = [](unsigned number, bool loads) {
    Program program;
    if (loads) program = {load(0x1000 * (number + 1), 1)};
    WarpInstruction meets = barrier(Sync::barrier_sync, number, 2);
    if (loads) meets.sources[0] = 1;
    program.push_back(meets);
    program.push_back(alu(2));
    return program;
  };
  bench.launch({warp(1, true), warp(1, false), warp(2, true), warp(2, false)});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 3, 4, 13, 14, 15, 16, 17, 18});
  CHECK(bench.stats.instructions[static_cast<std::size_t>(OpClass::barrier)] == 4);
}

// The producer arrives in 1 and goes on in 2; the consumer, with its load issued in 3, arrives in 15.
TEST_CASE("who arrives without waiting goes on") {
  CoreBench bench(one_scheduler());
  WarpInstruction waits = barrier(Sync::barrier_sync, 3, 2);
  waits.sources[0] = 1;
  bench.launch({{barrier(Sync::barrier_arrive, 3, 2), alu(1)}, {load(0x1000, 1), waits, alu(2)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 3, 15, 16});
}

TEST_CASE("a barrier whose warps do not come names itself") {
  CoreBench bench(one_scheduler());
  bench.launch({{barrier(Sync::barrier_sync, 5, 2), alu(1)}, {alu(2)}});
  bench.run();
  CHECK(bench.core.waiting_at_barriers() == "warp 0 at barrier 5 of CTA 0 of kernel 0, 1 warps have arrived");
}

// Arrivals of copies: the warp's copy is there in 13, which ends the phase; the wait was issued in 4.
TEST_CASE("an arrival of copies comes when they have landed") {
  CoreBench bench(one_scheduler());
  bench.launch({{at_barrier(Sync::mbarrier_init, 1), copy(0x1000), at_barrier(Sync::mbarrier_copies, 1),
                 at_barrier(Sync::mbarrier_wait, 0), alu(1)}});
  bench.run();
  CHECK(bench.issues == Cycles{1, 2, 3, 4, 15});  // landed in 14, on the way in 15
}

TEST_CASE("a phase ends when arrivals and bytes have come, and the next one begins") {
  CtaBarriers barriers;
  barriers.init(64, 2);
  CHECK_FALSE(barriers.wait_at(64, 0, 0b100));
  CHECK(barriers.arrive_at(64, 1, 512) == 0);
  CHECK(barriers.bytes_at(64, 256) == 0);
  CHECK(barriers.arrive_at(64, 1, 0) == 0);  // 256 bytes are missing
  CHECK(barriers.bytes_at(64, 256) == 0b100);
  CHECK(barriers.wait_at(64, 0, 0b100));         // that phase is over
  CHECK_FALSE(barriers.wait_at(64, 1, 0b1000));  // the next one waits for two arrivals again
  CHECK(barriers.arrive_at(64, 2, 0) == 0b1000);
}

// The copy is issued in 3 and its engine starts 5 cycles later: at 64 B a cycle lines leave in 9, 11, 13 and
// 15, are answered 10 cycles later, and with the last one in 26 the phase ends. The store issues in 27. The
// warp has waited since 5, and its load in 4 has not been held up by the copy.
TEST_CASE("a bulk copy goes through the engine and reports to its barrier") {
  SmClusterParams params = one_scheduler();
  params.tma_latency = 5;
  params.tma_bytes_per_cycle = 64;
  ClusterBench bench(params);
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> {
    return {{at_barrier(Sync::mbarrier_init, 1), at_barrier(Sync::mbarrier_expect, 512 / 16),
             bulk(OpClass::load, 0x10000), at_barrier(Sync::bulk_arrive, 512 / 16), load(0x20000, 1),
             at_barrier(Sync::mbarrier_wait, 0), store(0x30000)}};
  };
  bench.run();
  CHECK(bench.broken.empty());
  Cycles sent;
  for (const RequestLog& request : bench.target->log) sent.push_back(request.at);
  CHECK(sent == Cycles{6, 9, 11, 13, 15, 28});
  CHECK(bench.clusters[0]->counters().copy_lines == 4);
}

// Two lines may be in flight: the third one leaves with the answer to the first.
TEST_CASE("the engine keeps to its lines in flight") {
  SmClusterParams params = one_scheduler();
  params.tma_latency = 0;
  params.tma_in_flight = 2;
  ClusterBench bench(params);
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> {
    return {
        {bulk(OpClass::store, 0x10000), group(Sync::bulk_commit), group(Sync::bulk_wait, 0), store(0x30000)}};
  };
  bench.run();
  CHECK(bench.broken.empty());
  Cycles sent;
  for (const RequestLog& request : bench.target->log) sent.push_back(request.at);
  // Issued in 1: 2, 3; answers of 12 and 13 are taken in 13 and 14; the last answer, of 24, in 25.
  CHECK(sent == Cycles{2, 3, 13, 14, 26});
}

TEST_CASE("a wait for a number of phases passes once they have ended") {
  CtaBarriers barriers;
  barriers.init(64, 1);
  CHECK(barriers.wait_phases(64, 0, 0b1));
  CHECK_FALSE(barriers.wait_phases(64, 1, 0b1));
  CHECK(barriers.arrive_at(64, 1, 0) == 0b1);
  CHECK(barriers.arrive_at(64, 1, 0) == 0);
  CHECK(barriers.wait_phases(64, 1, 0b1));  // two have ended
  CHECK(barriers.wait_phases(64, 2, 0b1));
  CHECK_FALSE(barriers.wait_phases(64, 3, 0b1));
}

// Three arrivals, then the barrier is made for two: a phase has ended, and one arrival of the next is there.
TEST_CASE("arrivals that come before a barrier is made count") {
  CtaBarriers barriers;
  barriers.arrive_at(64, 3, 0);
  barriers.init(64, 2);
  CHECK(barriers.wait_phases(64, 1, 0b1));
  CHECK_FALSE(barriers.wait_phases(64, 2, 0b1));
  CHECK(barriers.arrive_at(64, 1, 0) == 0b1);
  barriers.init(64, 2);  // made again it begins anew
  CHECK_FALSE(barriers.wait_phases(64, 1, 0b1));
}
