// SM clusters and the dispatcher behind TLM sockets, with a scripted target in the place of the L1s. The
// dispatcher launches the first CTA in cycle 0; its warps issue from cycle 1 on, the first line leaves in 2.
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

Access access_of(const ClusterBench& bench, std::size_t i) {
  return bench.target->log.at(i).access;
}

}  // namespace

TEST_CASE("a load that hits carries who asked and is charged to queue and L1") {
  ClusterBench bench;
  bench.source.add_kernel(1, 1).application = 3;
  bench.source.warps = [](auto, auto) -> std::vector<Program> {
    Program program = {load(0x1000, 1), load(0x1080, 2), alu(3, 2)};
    program[0].pc = 0x40;
    program[0].non_coherent = true;
    return {program};
  };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 2);
  CHECK(bench.target->log[0].at == 2);
  CHECK(bench.target->log[1].at == 3);
  const Access first = access_of(bench, 0);
  CHECK(first.line == 0x1000);
  CHECK(first.sectors == 0xf);
  CHECK(first.pc == 0x40);
  CHECK(first.non_coherent);
  CHECK(first.application == 3);
  CHECK(first.birth == 1);
  CHECK(access_of(bench, 1).sectors == 0xf);
  const auto& loads = bench.clusters[0]->ledger()->groups[LedgerTotals::loads];
  // Each: issued in i, sent in i + 1, answered in i + 11: 1 cycle in the queue, 10 in the L1.
  CHECK(loads.count == 2);
  CHECK(loads.latency == 22);
  CHECK(bench.spent(loads, "sm.queue") == 2);
  CHECK(bench.spent(loads, "target.pipeline") == 20);
  CHECK(bench.clusters[0]->counters().answered_at_once == 2);
  CHECK(bench.clusters[0]->counters().flush_replies == 1);
  // The second load is answered in 13, so the alu issues in 14 and ends the CTA; flush: asked for in 15 by
  // the dispatcher, done in 16, told in 18; the dispatcher sees it in 19.
  CHECK(bench.target->flushes == std::vector<Cycle>{16});
  CHECK(bench.dispatcher->finished());
  CHECK(bench.dispatcher->end_cycle() == 19);
}

// 32 lines of one load, four a cycle: 2 to 9. No line waits for the link. All are answered 10 cycles later,
// the last in 19.
TEST_CASE("several lines leave in a cycle where the L1 takes them") {
  SmClusterParams params;
  params.lines_per_cycle = 4;
  ClusterBench bench(params);
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> { return {{load(0x1000, 1, 128), alu(2, 1)}}; };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 32);
  for (std::size_t i = 0; i < 32; ++i) CHECK(bench.target->log[i].at == 2 + i / 4);
  CHECK(bench.clusters[0]->counters().link_wait_cycles == 0);
  const auto& loads = bench.clusters[0]->ledger()->groups[LedgerTotals::loads];
  CHECK(loads.latency == 4 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8) + 32 * 10);
  CHECK(bench.dispatcher->end_cycle() == 25);  // the alu in 20, then as above
}

// The first is held for five cycles: the others of its cycle wait with it, and charge that to the port.
TEST_CASE("lines behind a held one wait for the port") {
  SmClusterParams params;
  params.lines_per_cycle = 2;
  ClusterBench bench(params);
  bench.target->hits = [](const Access& access) { return access.line != 0x1000; };
  bench.target->hold = [](const Access& access) { return access.line == 0x1000 ? Cycle{5} : Cycle{0}; };
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> { return {{store(0x1000), load(0x1080, 1)}}; };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 2);
  CHECK(bench.target->log[1].at >= 7);
}

// 5000 B are 20 blocks of 256 B. Of 16 KiB three such CTAs fit; of the kernel without shared memory as many
// as may.
TEST_CASE("whatever keeps lines learns how much shared memory a kernel's CTAs take") {
  SmClusterParams params;
  params.shared_memory.count = 16 * KiB;
  ClusterBench bench(params);
  bench.source.add_kernel(8, 1).shared_bytes = 5000;
  bench.source.add_kernel(2, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> { return {{alu(1)}}; };
  bench.run();
  CHECK(bench.broken.empty());
  CHECK(bench.target->shared_bytes == std::vector<std::uint64_t>{3 * 20 * 256, 0});
}

TEST_CASE("a load that misses comes back as a response with its ledger") {
  ClusterBench bench;
  bench.target->hits = [](const Access&) { return false; };
  bench.target->keeps_ledger = true;
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> { return {{load(0x1000, 1), alu(2, 1)}}; };
  bench.run();
  CHECK(bench.broken.empty());
  const auto& loads = bench.clusters[0]->ledger()->groups[LedgerTotals::loads];
  CHECK(loads.count == 1);
  CHECK(loads.latency == 51);  // issued in 1, sent in 2, answered in 52
  CHECK(bench.spent(loads, "target.access") == 50);
  CHECK(bench.spent(loads, "target.external") == 0);
  CHECK(bench.clusters[0]->counters().round_trips == 1);
  // The alu ends the CTA in 53, the dispatcher acts in 54, flush in 55.
  CHECK(bench.target->flushes == std::vector<Cycle>{55});
}

TEST_CASE("what a module without ledger keeps is charged to external") {
  ClusterBench bench;
  bench.target->hits = [](const Access&) { return false; };
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> { return {{load(0x1000, 1), store(0x2000)}}; };
  bench.run();
  CHECK(bench.broken.empty());
  const auto& totals = *bench.clusters[0]->ledger();
  CHECK(bench.spent(totals.groups[LedgerTotals::loads], "target.external") == 50);
  CHECK(bench.spent(totals.groups[LedgerTotals::stores], "target.external") == 50);
}

TEST_CASE("a held request holds up the queue and its wait is the port's") {
  ClusterBench bench;
  bench.target->hits = [](const Access&) { return false; };
  bench.target->hold = [](const Access& access) { return Cycle{access.line == 0x1000 ? 20U : 0U}; };
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> {
    return {{load(0x1000, 1), load(0x2000, 2)}};
  };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 2);
  CHECK(bench.target->log[0].at == 2);
  CHECK(bench.target->log[1].at == 23);  // END_REQ in 22, seen by the SM in 23
  CHECK(bench.clusters[0]->counters().held_requests == 1);
  const auto& loads = bench.clusters[0]->ledger()->groups[LedgerTotals::loads];
  // The second load's turn was in 3; it left in 23.
  CHECK(bench.spent(loads, "target.port") == 20);
}

TEST_CASE("a kernel ends only when its stores are acknowledged and the next one waits for the flush") {
  ClusterBench bench;
  bench.target->hits = [](const Access&) { return false; };
  bench.target->miss_latency = 200;
  bench.target->flush_time = 10;
  bench.source.add_kernel(1, 1);
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto kernel, auto) -> std::vector<Program> {
    return {{store(0x1000 * (kernel + 1)), plain(OpClass::exit)}};
  };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 2);
  CHECK(bench.target->log[0].at == 2);
  // Acknowledged in 202, taken in 203, the dispatcher asks for the flush in 204, from 205 to 215, told in
  // 217, seen in 218; the dispatcher starts kernel 1 in 219, which issues in 220 and sends in 221.
  CHECK(bench.target->flushes.at(0) == 205);
  CHECK(bench.target->log[1].at == 221);
  CHECK(access_of(bench, 1).kernel == 1);
  CHECK(bench.clusters[0]->counters().flushes == 2);
  CHECK(bench.clusters[0]->counters().flush_replies == 2);
  CHECK(bench.dispatcher->counters().kernels_done == 2);
  CHECK(bench.dispatcher->counters().phase_cycles[static_cast<int>(KernelPhase::draining)] > 2 * 190);
}

TEST_CASE("without flush the next kernel follows the drain") {
  CtaDispatcherParams params;
  params.flush_l1 = false;
  params.kernel_launch_latency = 100;
  ClusterBench bench({}, params);
  bench.source.add_kernel(1, 1);
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> { return {{load(0x1000, 1)}}; };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 2);
  CHECK(bench.target->log[0].at == 102);
  // Answered in 112, the CTA ends in 113, the dispatcher sees it in 114 and launches 100 later: 214, sent in
  // 216.
  CHECK(bench.target->log[1].at == 216);
}

TEST_CASE("atomics without a result fire and count, those with one are waited for") {
  ClusterBench bench;
  bench.target->hits = [](const Access&) { return false; };
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> {
    Program program = {load(0x1000, 255), load(0x2000, 1), store(0x3000)};
    program[0].op = program[1].op = OpClass::atomic;
    program[2].sources[0] = 1;
    return {program};
  };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 3);
  CHECK(bench.target->log[1].at == 3);
  CHECK(bench.target->log[2].at == 55);  // answered in 53, the store issues in 54
  CHECK(bench.target->log[0].access.reduces);
  CHECK_FALSE(bench.target->log[1].access.reduces);
  CHECK(bench.target->log[0].access.lanes.sum(0xf) == 32);
  CHECK(bench.target->log[1].access.lanes.most_same(0xf) == 1);
  CHECK(bench.clusters[0]->counters().atomic_lines == 2);
  CHECK(bench.clusters[0]->ledger()->groups[LedgerTotals::atomics].count == 2);
}

TEST_CASE("a mixed run gives the recorded order of accesses in every process") {
  // Three clusters of two SMs, random programs from a fixed seed, mixed hits, misses and held requests. The
  // digest of (cycle, socket, line) was recorded once: any dependence on addresses, hashing or process state
  // changes it.
  SmClusterParams sm;
  sm.sms = 2;
  CtaDispatcherParams dispatch;
  dispatch.clusters = 3;
  ClusterBench bench(sm, dispatch);
  bench.target->hits = [](const Access& access) { return (access.line / 128) % 3 != 0; };
  bench.target->hold = [](const Access& access) { return (access.line / 128) % 5; };
  bench.source.add_kernel(20, 3);
  bench.source.add_kernel(7, 5);
  bench.source.warps = [](std::uint32_t kernel, std::uint64_t cta) {
    std::vector<Program> warps;
    std::uint64_t state = 12345 + kernel * 1000 + cta;
    const auto next = [&state](std::uint64_t bound) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return (state >> 33) % bound;
    };
    for (std::uint32_t w = 0; w < (kernel == 0 ? 3U : 5U); ++w) {
      Program program;
      for (int i = 0; i < 40; ++i) {
        const auto kind = next(4);
        const int reg = static_cast<int>(next(8));
        if (kind == 0) {
          const int stride = static_cast<int>(next(3)) * 64;  // drawn first whatever the compiler's order
          program.push_back(load(128 * next(1000), reg, stride));
        }
        if (kind == 1) program.push_back(store(128 * next(1000)));
        if (kind >= 2) program.push_back(alu(reg, static_cast<int>(next(8))));
      }
      program.push_back(plain(OpClass::barrier));
      program.push_back(plain(OpClass::exit));
      warps.push_back(program);
    }
    return warps;
  };
  bench.run();
  CHECK(bench.broken.empty());
  std::uint64_t lines = 0;
  for (const auto& cluster : bench.clusters) {
    const auto& counters = cluster->counters();
    lines += counters.line_accesses;
    CHECK(counters.records_issued == counters.records_launched);
    CHECK(counters.lines_in_flight == 0);
  }
  CHECK(bench.target->log.size() == lines);
  CHECK(bench.target->flushes.size() == 2 * 6);
  CHECK(bench.dispatcher->counters().ctas_done == 27);
  std::uint64_t digest = 1469598103934665603ULL;
  for (const RequestLog& entry : bench.target->log)
    for (const std::uint64_t part : {entry.at, static_cast<std::uint64_t>(entry.port), entry.access.line})
      digest = (digest ^ part) * 1099511628211ULL;
  INFO("digest " << digest);
  CHECK(digest == 16658817067749774554ULL);
}

TEST_CASE("statistics that are reset in the middle of a run keep their laws") {
  ClusterBench bench;
  bench.target->hits = [](const Access&) { return false; };
  bench.source.add_kernel(4, 2);
  bench.source.warps = [](auto, auto) -> std::vector<Program> {
    return {{load(0x1000, 1), alu(2, 1), store(0x1000)}, {load(0x2000, 1), alu(2, 1)}};
  };
  sc_core::sc_start(bench.clock.delay_to(20));
  CHECK(bench.clusters[0]->counters().lines_in_flight > 0);
  bench.clusters[0]->reset_stats();
  bench.dispatcher->reset_stats();
  bench.run();
  CHECK(bench.broken.empty());
}

TEST_CASE("a hang says who waits for what") {
  ClusterBench bench;
  bench.target->hits = [](const Access&) { return false; };
  bench.target->miss_latency = 1000000;
  bench.target->hold = [](const Access& access) { return Cycle{access.line == 0x2000 ? 900000U : 0U}; };
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> {
    return {{load(0x1000, 1), load(0x2000, 2), store(0x3000), alu(3, 1)}};
  };
  bench.run(1000);
  const auto notes = bench.clusters[0]->waits();
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].occupancy == 1);
  CHECK(notes[0].waits_for == "target.port_0");
  REQUIRE(notes[0].oldest != nullptr);
  CHECK(notes[0].oldest->line == 0x2000);
  CHECK(notes[1].what ==
        "SM 0: 2 line accesses in flight; 1 warps wait for loads, 0 for the load/store queue, 0 at barriers");
  CHECK(bench.dispatcher->waits().size() == 1);
  CHECK_FALSE(bench.clusters[0]->check_idle().empty());
}
