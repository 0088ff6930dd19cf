// Distributed shared memory over a network: a router stage between the SMs of a cluster. As in
// barriers_test.cpp an instruction issued in cycle i reads a result that came in a in a + 1, and a
// store leaves a cycle after its issue.
//
// The router has links of 1 and 4 stages, so that a head sent in cycle t leaves it in t + 5 and is seen
// there then; flits of 32 B and headers of 8 B. Shared memory has a latency of 20.
#include <random>

#include "models/noc/router/router_stage.h"
#include "models/sm_cluster/sm_cluster_dsmem.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

/// In shared memory of the CTA of a rank.
Address in_rank(unsigned rank, Address place = 0) {
  return Address{rank + 1} << 24 | place;
}
WarpInstruction shared(OpClass op, Address address, int destination = no_register, int stride = 4) {
  WarpInstruction i = load(address, destination, stride);
  i.op = op;
  return i;
}
WarpInstruction shared_load(Address address, int destination, int stride = 4) {
  return shared(OpClass::shared_load, address, destination, stride);
}
WarpInstruction one_lane(WarpInstruction i) {
  i.active_mask = 1;
  return i;
}
WarpInstruction after(int source, WarpInstruction i) {
  i.sources[0] = static_cast<std::uint8_t>(source);
  return i;
}
WarpInstruction meets(Sync sync) {
  WarpInstruction i = plain(OpClass::other);
  i.sync = sync;
  return i;
}
WarpInstruction at_barrier(Sync sync, std::uint16_t operand, Address address) {
  WarpInstruction i =
      one_lane(shared(sync == Sync::mbarrier_wait ? OpClass::shared_load : OpClass::shared_store, address));
  i.sync = sync;
  i.operand = operand;
  i.width = 8;
  return i;
}
/// Not to end before the others of the cluster: their shared memory would.
void meet_at_end(Program& program) {
  program.push_back(meets(Sync::cluster_arrive));
  program.push_back(meets(Sync::cluster_wait));
}

SmClusterParams with_network(int sms) {
  SmClusterParams params = one_scheduler();
  params.sms = sms;
  params.ctas = 1;
  params.dsmem = Dsmem::network;
  return params;
}

/// SMs of one cluster with CTAs of one thread block cluster, one an SM.
struct DsmemBench : ClusterBench {
  explicit DsmemBench(const SmClusterParams& params, RouterStageParams stage = {}, Hertz frequency = {})
      : ClusterBench(params) {
    stage.inputs = stage.outputs = params.sms;
    stage.route = RouterStageParams::Route::sm;
    if (frequency.count != 0) noc = std::make_unique<ClockDomain>("noc", frequency, &clock);
    const BuildContext context{noc != nullptr ? *noc : clock, *map};
    router = make_router_stage("dsm", stage, context);
    auto& cluster = dynamic_cast<SmClusterDsmem&>(*clusters[0]);
    for (int s = 0; s < params.sms; ++s) {
      checkers.bind(cluster.dsmem_out(s), router->in(s));
      checkers.bind(router->out(s), cluster.dsmem_in(s));
    }
    target->hits = [](const Access& access) { return access.access_class == AccessClass::store; };
    source.add_kernel(static_cast<std::uint32_t>(params.sms), 1).cluster = {
        static_cast<std::uint32_t>(params.sms), 1, 1};
  }
  void run(Cycle limit = 100000) {
    ClusterBench::run(limit);
    for (const Fault& fault : router->check_idle()) broken.push_back(to_text(fault));
  }
  const SmClusterStats& counted() const { return clusters[0]->counters(); }
  /// The first access of the SM that left for its L1.
  Cycle left(int sm) const {
    for (const RequestLog& request : target->log)
      if (request.access.sm == sm) return request.at;
    return never;
  }
  std::unique_ptr<ClockDomain> noc;
  std::unique_ptr<RouterStage> router;
};

/// The cycle in which a store of SM 0 leaves behind `access`, whose result it reads; SM 1 waits.
Cycle left_behind(const WarpInstruction& access, const SmClusterParams& params = with_network(2),
                  DsmemBench* given = nullptr) {
  std::unique_ptr<DsmemBench> own;
  if (given == nullptr) own = std::make_unique<DsmemBench>(params);
  DsmemBench& bench = given != nullptr ? *given : *own;
  bench.source.warps = [&](auto, std::uint64_t cta) -> std::vector<Program> {
    Program program;
    if (cta == 0) program = {access, after(1, store(0x2000))};
    meet_at_end(program);
    return {program};
  };
  bench.run();
  CHECK(bench.broken.empty());
  return bench.left(0);
}

}  // namespace

// Issued in 1, sent in 2, there in 7; shared memory takes it in 8 and has the words in 28. The head of the
// reply, 8 + 128 B in 5 flits, is back in 33, the last flit in 37: the store issues in 38.
TEST_CASE("a load from another SM's shared memory") {
  DsmemBench bench(with_network(2));
  CHECK(left_behind(shared_load(in_rank(1), 1), {}, &bench) == 39);
  const SmClusterStats& stats = bench.counted();
  CHECK(stats.dsmem_loads == 1);
  CHECK(stats.dsmem_bytes == 128);
  CHECK(stats.dsmem_requests == 1);
  CHECK(stats.dsmem_replies == 1);
  CHECK(stats.dsmem_served == 1);
  CHECK(stats.dsmem_shared_cycles == 1);
  CHECK(stats.dsmem_latency == 36);
  CHECK(stats.instructions[static_cast<std::size_t>(OpClass::shared_load)] == 1);
  // Those 36 cycles by place: its turn in the queue comes a cycle after the issue. Waiting there is none.
  const LedgerTotals::Sums& loads = bench.clusters[0]->ledger()->groups[LedgerTotals::loads];
  CHECK(loads.count == 1);
  CHECK(loads.latency == 36);
  CHECK(bench.spent(loads, "sm.queue") == 1);
  CHECK(bench.spent(loads, "noc.request_link") == 1);
  CHECK(bench.spent(loads, "noc.request_router") == 4);
  CHECK(bench.spent(loads, "sm.port") == 1);
  CHECK(bench.spent(loads, "sm.pipeline") == 20);
  CHECK(bench.spent(loads, "noc.reply_link") == 1);
  CHECK(bench.spent(loads, "noc.reply_router") == 4);
  CHECK(bench.spent(loads, "noc.reply_serial") == 4);
}

// A local load of 33 cycles, and links of 68 in place of 1: a word is there in 33 + 2 * (68 + 4) + 3 cycles.
// So it was measured on H800, 181 cycles at least.
TEST_CASE("links and stages say how far other SMs are") {
  SmClusterParams params = with_network(2);
  params.shared_latency = 33;
  RouterStageParams stage;
  stage.link_latency = 68;
  stage.vc_flits = 144;
  DsmemBench bench(params, stage);
  CHECK(left_behind(one_lane(shared_load(in_rank(1), 1)), {}, &bench) == 1 + 180 + 1);
}

// One lane's word makes a packet of 12 B: one flit. The store leaves 4 cycles sooner than above.
TEST_CASE("a reply brings the words that lanes ask for") {
  CHECK(left_behind(one_lane(shared_load(in_rank(1), 1))) == 35);
}

// All lanes ask for different words of one bank: 32 cycles instead of one.
TEST_CASE("bank conflicts are those of the shared memory that serves") {
  CHECK(left_behind(shared_load(in_rank(1), 1, 128)) == 39 + 31);
}

// Lane i asks the CTA of rank i / 16, each a bank of its own: half of the lanes are at home. The reply brings
// 64 B: 3 flits.
TEST_CASE("lanes may ask several CTAs at once") {
  DsmemBench bench(with_network(2));
  WarpInstruction halves = shared_load(in_rank(0), 1, (1 << 20) + 4);
  CHECK(left_behind(halves, {}, &bench) == 37);
  CHECK(bench.counted().dsmem_bytes == 64);
}

// By its own rank or by none, it is a load from its own shared memory: 20 cycles.
TEST_CASE("a CTA's own rank needs no network") {
  DsmemBench bench(with_network(2));
  CHECK(left_behind(shared_load(in_rank(0), 1), {}, &bench) == 22);
  CHECK(bench.counted().dsmem_requests == 0);
}

TEST_CASE("a CTA's own shared memory needs no network") {
  CHECK(left_behind(shared_load(64, 1)) == 22);
}

// The request brings 128 B in 5 flits: there in 7, the last one in 11, taken in 12. The reply is a header.
// Request and reply of an atomic with a result both carry data: 4 cycles more than a load.
TEST_CASE("an atomic on another SM's shared memory") {
  DsmemBench bench(with_network(2));
  WarpInstruction adds = shared(OpClass::shared_store, in_rank(1), 1);
  CHECK(left_behind(adds, {}, &bench) == 43);
  CHECK(bench.counted().dsmem_atomics == 1);
  CHECK(bench.clusters[0]->ledger()->groups[LedgerTotals::atomics].count == 1);
}

// No instruction waits for a store: the next one leaves in 3. Its reply, a flit, is sent in 12 + 20 and back
// in 37: 36 cycles after the issue.
TEST_CASE("a store to another SM's shared memory") {
  DsmemBench bench(with_network(2));
  CHECK(left_behind(shared(OpClass::shared_store, in_rank(1)), {}, &bench) == 3);
  CHECK(bench.counted().dsmem_stores == 1);
  CHECK(bench.counted().dsmem_latency == 36);
  CHECK(bench.clusters[0]->ledger()->groups[LedgerTotals::stores].latency == 36 + 10 + 1);
}

// One lane's word goes in a packet of 12 B, one flit, and the atomic's comes back in one.
TEST_CASE("requests bring the words of lanes too") {
  DsmemBench bench(with_network(2));
  CHECK(left_behind(one_lane(shared(OpClass::shared_store, in_rank(1), 1)), {}, &bench) == 35);
  CHECK(bench.counted().dsmem_bytes == 4);
}

// CTA 1 makes its barrier in 1 and waits there since 2. The arrival of CTA 0 is issued in 3, sent in 4, there
// in 9 and happens in 10: the wait ends in 11, the store leaves in 12.
TEST_CASE("an arrival at another SM's barrier comes over the network") {
  DsmemBench bench(with_network(2));
  bench.source.warps = [&](auto, std::uint64_t cta) -> std::vector<Program> {
    Program program = {alu(1), alu(2), at_barrier(Sync::mbarrier_arrive, 1, in_rank(1, 64))};
    if (cta == 1)
      program = {at_barrier(Sync::mbarrier_init, 1, 64), at_barrier(Sync::mbarrier_wait, 0, 64),
                 store(0x3000)};
    meet_at_end(program);
    return {program};
  };
  bench.run();
  CHECK(bench.broken.empty());
  CHECK(bench.left(1) == 12);
  CHECK(bench.counted().dsmem_reports == 1);
  CHECK(bench.counted().dsmem_bytes == 0);
}

// CTA 0's copy of 512 B is issued in 1: lines leave in 7, 9, 11 and 13, and the last one is there in 24, when
// the report is put into the queue: sent in 25, there in 27, and in 28 the phase ends. The store issues
// in 29. The bytes go to CTA 1 as four packets of 5 flits, sent in 3, 8, 13 and 18.
TEST_CASE("a bulk copy to another CTA passes its bytes on and reports when it has landed") {
  SmClusterParams params = with_network(2);
  params.tma_latency = 5;
  params.tma_bytes_per_cycle = 64;
  RouterStageParams stage;
  stage.pipeline = 1;
  DsmemBench bench(params, stage);
  bench.target->hits = [](const Access&) { return true; };
  bench.source.warps = [&](auto, std::uint64_t cta) -> std::vector<Program> {
    Program program;
    if (cta == 0) {
      WarpInstruction copy = load(0x10000, no_register, 16),
                      passes_on = shared(OpClass::shared_store, in_rank(1));
      copy.width = passes_on.width = 16;
      passes_on.stride = 16;
      copy.async = copy.bulk = passes_on.async = passes_on.bulk = true;
      program = {copy, passes_on, at_barrier(Sync::bulk_arrive, 512 / 16, in_rank(1, 64))};
    } else {
      program = {at_barrier(Sync::mbarrier_init, 1, 64), at_barrier(Sync::mbarrier_expect, 512 / 16, 64),
                 at_barrier(Sync::mbarrier_wait, 0, 64), store(0x3000)};
    }
    meet_at_end(program);
    return {program};
  };
  bench.run();
  CHECK(bench.broken.empty());
  CHECK(bench.left(1) == 30);
  CHECK(bench.counted().copy_lines == 4);
  CHECK(bench.counted().dsmem_bytes == 512);
  CHECK(bench.counted().dsmem_requests == 5);
}

// 16 B a lane are four packets of 128 B, each a cycle of shared memory. Replies of 5 flits: a router of one
// stage has no bubbles, so that the last flit of the last one comes 4 * 5 - 1 cycles after the first one's
// head. With link and stage a head takes 2 cycles. Issued in 1, sent in 2, there in 4, taken in 5, sent back
// in 25, back in 27, all of it in 27 + 19: the store leaves in 48.
TEST_CASE("wide accesses are several packets") {
  RouterStageParams stage;
  stage.pipeline = 1;
  DsmemBench bench(with_network(2), stage);
  WarpInstruction wide = shared_load(in_rank(1), 1, 16);
  wide.width = 16;
  wide.destination_count = 4;
  CHECK(left_behind(wide, {}, &bench) == 48);
  CHECK(bench.counted().dsmem_requests == 4);
  CHECK(bench.counted().dsmem_bytes == 512);
}

// N loads of 128 B in a row: 5 flits each, so that replies come every 5 cycles however fast shared memory is.
// Both SMs do it at once, each over a link of its own. The first request would be taken in 5 as above, but
// the SM's own loads, issued in 1 to 16, pass its shared memory too: it has the next turn, in 6, and its
// reply is whole in 28 + 4, the last one 5 (N - 1) cycles later. What waits for it issues in the next cycle
// and leaves a cycle later.
TEST_CASE("the width of the network limits loads") {
  constexpr int loads = 16;
  RouterStageParams stage;
  stage.pipeline = 1;
  DsmemBench bench(with_network(2), stage);
  bench.source.warps = [&](auto, std::uint64_t cta) -> std::vector<Program> {
    Program program;
    for (int n = 0; n < loads; ++n) program.push_back(shared_load(in_rank(cta == 0 ? 1 : 0, 128 * n), 1 + n));
    program.push_back(after(loads, store(0x2000)));
    meet_at_end(program);
    return {program};
  };
  bench.run();
  CHECK(bench.broken.empty());
  constexpr Cycle last = 28 + 4 + 5 * (loads - 1);
  CHECK(bench.left(0) == last + 2);
  CHECK(bench.left(1) == last + 2);
  CHECK(bench.counted().dsmem_served == 2 * loads);
}

// SM 1 loads from its own shared memory with conflicts of 8 cycles, issued in 1, 9, 17...; the request of SM
// 0 is there in 7 and would be taken in 8. It has the next turn, in 9, and the SM's own second load the one
// after it, in 10. So the request is a cycle late, and the SM's loads are too.
TEST_CASE("requests of others and own instructions take turns") {
  DsmemBench bench(with_network(2));
  bench.source.warps = [&](auto, std::uint64_t cta) -> std::vector<Program> {
    Program program;
    if (cta == 0) {
      program = {shared_load(in_rank(1), 1), after(1, store(0x2000))};
    } else {
      for (int n = 0; n < 3; ++n) program.push_back(shared_load(0, 1 + n, 32));
      program.push_back(after(3, store(0x3000)));
    }
    meet_at_end(program);
    return {program};
  };
  bench.run();
  CHECK(bench.broken.empty());
  CHECK(bench.left(0) == 40);
  // Issued in 18, with 7 more cycles for its bank and 20 to its result in 45: without the request 17 and 44.
  CHECK(bench.left(1) == 46);
}

// Without a network they cost what an access to the own shared memory costs, and are counted.
TEST_CASE("without a network accesses of other CTAs take the own port and are counted") {
  SmClusterParams params = with_network(2);
  params.dsmem = Dsmem::own_port;
  ClusterBench bench(params);
  bench.target->hits = [](const Access&) { return true; };
  bench.source.add_kernel(2, 1).cluster = {2, 1, 1};
  bench.source.warps = [&](auto, std::uint64_t cta) -> std::vector<Program> {
    Program program = {shared_load(in_rank(1), 1), after(1, store(0x2000))};
    if (cta == 1) program = {at_barrier(Sync::mbarrier_init, 2, 64)};
    program.push_back(at_barrier(Sync::mbarrier_arrive, 1, in_rank(1, 64)));
    meet_at_end(program);
    return {program};
  };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 1);
  CHECK(bench.target->log[0].at == 22);
  CHECK(bench.clusters[0]->counters().dsmem_own_port == 2);  // CTA 0's load and its arrival
  CHECK(bench.clusters[0]->counters().dsmem_requests == 0);
}

TEST_CASE("accesses of other CTAs can be refused by name") {
  SmClusterParams params;
  params.dsmem = Dsmem::refuse;
  CtaDecoder decoder(params);
  KernelInfo kernel;
  kernel.name = "k";
  kernel.cluster = {2, 1, 1};
  DecodedCta out;
  WarpInstruction access = shared_load(in_rank(1), 1);
  access.pc = 48;
  const auto cta = make_cta({{alu(1)}, {shared_load(in_rank(0), 1), access}}, 3);
  CHECK_THROWS_WITH(
      decoder.decode(*cta, out, {&kernel, 0}),
      has_text("kernel 0 'k', CTA 3, warp 1, pc 48: it goes to the shared memory of another") &&
          has_text("allowed: dsmem: network, with a router_stage between dsmem_out and dsmem_in"));
  CHECK_NOTHROW(decoder.decode(*make_cta({{shared_load(in_rank(0), 1)}}), out, {&kernel, 0}));
  CHECK_NOTHROW(decoder.decode(*cta, out));  // no cluster
}

namespace {

/// 8 SMs whose warps load, store, add and arrive at random; every access has its reply, at barriers come as
/// many arrivals as they were made for.
void at_random(const SmClusterParams& params, RouterStageParams stage = {}, Hertz noc = {}) {
  constexpr unsigned ranks = 8, warps = 3, each = 20;
  DsmemBench bench(params, stage, noc);
  const_cast<KernelInfo&>(bench.source.kernels()[0]).block.x = 32 * warps;
  std::uint64_t bytes = 0, out[3] = {0, 0, 0}, reports = 0;
  bench.source.warps = [&](auto, std::uint64_t cta) {
    std::mt19937 random(static_cast<unsigned>(cta) + 1);
    std::vector<Program> programs(warps);
    for (unsigned w = 0; w < warps; ++w) {
      Program& program = programs[w];
      if (w == 0) program.push_back(at_barrier(Sync::mbarrier_init, ranks * (warps - 1), 8));
      meet_at_end(program);
      for (unsigned n = 0; n < each; ++n) {
        const unsigned rank = random() % ranks, kind = random() % 4;
        WarpInstruction access =
            shared(kind == 0 ? OpClass::shared_load : OpClass::shared_store,
                   in_rank(rank, 1024 + 4 * (random() % 256)),
                   kind < 2 ? static_cast<int>(10 + n) : no_register, 4 * static_cast<int>(random() % 9));
        access.active_mask = random() | 1U;
        if (kind == 3) access.width = 16;
        program.push_back(access);
        if (random() % 2 == 0) program.push_back(after(static_cast<int>(10 + n), alu(1)));
        if (rank == cta) continue;
        bytes += access.width * static_cast<unsigned>(access.active_lanes());
        ++out[kind < 2 ? kind : 2];
      }
      for (unsigned rank = 0; w != 0 && rank < ranks; ++rank) {
        program.push_back(at_barrier(Sync::mbarrier_arrive, 1, in_rank(rank, 8)));
        reports += rank != cta;
      }
      if (w == 0) program.push_back(at_barrier(Sync::mbarrier_wait, 0, 8));
      meet_at_end(program);
    }
    return programs;
  };
  bench.run(2'000'000);
  CHECK(bench.broken.empty());
  const SmClusterStats& stats = bench.counted();
  CHECK(stats.ctas_done == ranks);
  CHECK(stats.dsmem_loads == out[0]);
  CHECK(stats.dsmem_atomics == out[1]);
  CHECK(stats.dsmem_stores == out[2]);
  CHECK(stats.dsmem_reports == reports);
  CHECK(stats.dsmem_bytes == bytes);
  CHECK(stats.dsmem_requests == stats.dsmem_replies);
  CHECK(stats.dsmem_requests == stats.dsmem_served);
  const auto count = [&](LedgerTotals::Group group) {
    return bench.clusters[0]->ledger()->groups[group].count;
  };
  CHECK(count(LedgerTotals::loads) + count(LedgerTotals::stores) + count(LedgerTotals::atomics) ==
        stats.dsmem_requests);
}

}  // namespace

TEST_CASE("8 SMs reach each other at random") {
  at_random(with_network(8));
}

TEST_CASE("8 SMs reach each other over a slower router with buffers of one flit") {
  RouterStageParams stage;
  stage.vc_flits = 1;
  stage.channel_bytes = 16;
  SmClusterParams params = with_network(8);
  params.dsmem_depth = 1;
  params.await_stores = true;
  at_random(params, stage, Hertz{613'000'000});
}

TEST_CASE("8 SMs reach each other over a faster router with virtual output queues") {
  RouterStageParams stage;
  stage.queues = RouterStageParams::Queues::voq;
  SmClusterParams params = with_network(8);
  params.schedulers = 4;
  params.arbitration = Arbitration::oldest;
  params.loads_per_warp = 2;
  at_random(params, stage, Hertz{2'300'000'000});
}

TEST_CASE("a network that leads to another SM is refused by name") {
  RouterStageParams stage;
  stage.divide = 2;  // SM 1's requests come to SM 0
  DsmemBench bench(with_network(2), stage);
  bench.source.warps = [&](auto, std::uint64_t) -> std::vector<Program> {
    Program program = {one_lane(shared(OpClass::shared_store, in_rank(1)))};
    meet_at_end(program);
    return {program};
  };
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  CHECK_THROWS_WITH(bench.run(),
                    has_text("a request for shared memory of SM 1 of a cluster came to dsmem_in[0]") &&
                        has_text("route: sm"));
}
