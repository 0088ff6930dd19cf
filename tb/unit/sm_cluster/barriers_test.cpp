// Thread block clusters: their CTAs start together, and meet.
#include <fstream>

#include "models/common/faults.h"
#include "models/sm_cluster/cluster_barriers.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"
#include "tb/support/temp_folder.h"
#include "traces/accelsim/kernel_file.h"

using namespace strata;
using namespace strata::tb;

namespace {

WarpInstruction meets(Sync sync, int after = no_register) {
  WarpInstruction i = plain(OpClass::other);
  i.sync = sync;
  i.sources[0] = static_cast<std::uint8_t>(after);
  return i;
}

}  // namespace

TEST_CASE("a phase of a cluster's barrier ends when all warps have arrived") {
  ClusterBarriers barriers;
  const ClusterBarriers::Cluster cluster{3, 7};
  const ClusterWarp one{0, 5}, other{1, 5};
  CHECK(barriers.wait(cluster, one));  // it has not arrived anywhere
  CHECK(barriers.arrive(cluster, 2, one).empty());
  CHECK_FALSE(barriers.wait(cluster, one));
  const std::vector<ClusterWarp> freed = barriers.arrive(cluster, 2, other);
  REQUIRE(freed.size() == 1);
  CHECK(freed[0].sm == 0);
  CHECK(barriers.wait(cluster, other));  // its phase is over
  CHECK(barriers.arrive(cluster, 2, other).empty());
  CHECK_FALSE(barriers.wait(cluster, other));
}

// Both CTAs start in cycle 0. CTA 0 loads: issued in 1, sent in 2, answered in 52, so that it arrives in 53
// and, the phase being over, passes its wait in 54 and stores in 55. CTA 1 has arrived in 1 and waits since
// 2; it goes on in
// 54. Stores leave a cycle after their issue.
TEST_CASE("CTAs of a cluster start together on different SMs and wait for each other") {
  SmClusterParams params = one_scheduler();
  params.sms = 2;
  ClusterBench bench(params);
  bench.target->hits = [](const Access& access) { return access.access_class == AccessClass::store; };
  bench.source.add_kernel(2, 1).cluster = {2, 1, 1};
  bench.source.warps = [](auto, std::uint64_t cta) -> std::vector<Program> {
    const WarpInstruction waits = meets(Sync::cluster_wait);
    if (cta == 0) return {{load(0x1000, 1), meets(Sync::cluster_arrive, 1), waits, store(0x2000)}};
    return {{meets(Sync::cluster_arrive), waits, store(0x3000)}};
  };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 3);
  CHECK(bench.target->log[0].at == 2);
  CHECK(bench.target->log[1].access.line == 0x3000);
  CHECK(bench.target->log[1].access.sm == 1);
  CHECK(bench.target->log[1].at == 55);
  CHECK(bench.target->log[2].access.line == 0x2000);
  CHECK(bench.target->log[2].at == 56);
}

// CTA 1 makes a barrier for one arrival (1) and waits there since 2. CTA 0 has its load in 52 and arrives, in
// 53, at the barrier of rank 1: CTA 1 goes on in 54 and its store leaves in 55.
TEST_CASE("an arrival may be at the barrier of another CTA of the cluster") {
  SmClusterParams params = one_scheduler();
  params.sms = 2;
  ClusterBench bench(params);
  bench.target->hits = [](const Access& access) { return access.access_class == AccessClass::store; };
  bench.source.add_kernel(2, 1).cluster = {2, 1, 1};
  bench.source.warps = [](auto, std::uint64_t cta) -> std::vector<Program> {
    const auto at_barrier = [](Sync sync, std::uint16_t operand, Address address, int after = no_register) {
      WarpInstruction i = plain(sync == Sync::mbarrier_wait ? OpClass::shared_load : OpClass::shared_store);
      i.sync = sync;
      i.operand = operand;
      i.active_mask = 1;
      i.address_kind = AddressKind::stride;
      i.address = address;
      i.width = 8;
      i.sources[0] = static_cast<std::uint8_t>(after);
      return i;
    };
    constexpr Address rank_1 = Address{2} << 24;
    if (cta == 0) return {{load(0x1000, 1), at_barrier(Sync::mbarrier_arrive, 1, rank_1 + 64, 1)}};
    return {{at_barrier(Sync::mbarrier_init, 1, 64), at_barrier(Sync::mbarrier_wait, 0, 64), store(0x3000)}};
  };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 2);
  CHECK(bench.target->log[1].at == 55);
}

// The first cluster of 2 x 2 in a grid of 4 x 2 CTAs has CTAs 0, 1, 4 and 5. An SM takes one CTA.
TEST_CASE("a cluster of several directions has the CTAs of its place in the grid") {
  SmClusterParams params = one_scheduler();
  params.sms = 4;
  params.ctas = 1;
  ClusterBench bench(params);
  KernelInfo& kernel = bench.source.add_kernel(8, 1);
  kernel.grid = {4, 2, 1};
  kernel.cluster = {2, 2, 1};
  bench.source.warps = [](auto, std::uint64_t cta) -> std::vector<Program> {
    return {{meets(Sync::cluster_arrive), meets(Sync::cluster_wait), store(0x1000 * (1 + cta))}};
  };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 8);
  std::vector<Address> lines;
  for (const RequestLog& request : bench.target->log) lines.push_back(request.access.line / 0x1000 - 1);
  CHECK(lines == std::vector<Address>{0, 1, 4, 5, 2, 3, 6, 7});
}

namespace {

std::string refusal(std::uint32_t ctas, const Dim3& cluster) {
  ClusterBench bench(one_scheduler());
  bench.source.add_kernel(ctas, 32).cluster = cluster;
  bench.source.warps = [](auto, auto) -> std::vector<Program> {
    return std::vector<Program>(32, Program{alu(1)});
  };
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  REQUIRE(bench.dispatcher->failure() != nullptr);
  try {
    std::rethrow_exception(bench.dispatcher->failure());
  } catch (const TraceError& error) {
    return error.what();
  }
}

}  // namespace

// An SM takes two CTAs of 32 warps.
TEST_CASE("a cluster that is larger than a cluster of SMs is refused by name") {
  CHECK_THAT(refusal(128, {16, 1, 1}),
             has_text("its clusters have 16 thread blocks") && has_text("the largest has room for 2"));
}

TEST_CASE("clusters that do not divide their grid are refused") {
  CHECK_THAT(refusal(3, {2, 1, 1}),
             has_text("clusters of (2,1,1) thread blocks do not divide its grid (3,1,1)"));
}

// CTA 0 copies 512 B to both: four lines, read once, which report to the barrier at 64 of each. Both CTAs
// wait for them, and their stores leave in the same cycle, behind the last line.
TEST_CASE("a multicast is read once and lands in every CTA of its mask") {
  SmClusterParams params = one_scheduler();
  params.sms = 2;
  params.tma_latency = 0;
  ClusterBench bench(params);
  bench.source.add_kernel(2, 1).cluster = {2, 1, 1};
  bench.source.warps = [](auto, std::uint64_t cta) -> std::vector<Program> {
    const auto at_barrier = [](Sync sync, std::uint16_t operand, Address address) {
      WarpInstruction i = plain(sync == Sync::mbarrier_wait ? OpClass::shared_load : OpClass::shared_store);
      i.sync = sync;
      i.operand = operand;
      i.active_mask = 1;
      i.address_kind = AddressKind::stride;
      i.address = address;
      i.width = 8;
      return i;
    };
    const Program begin = {at_barrier(Sync::mbarrier_init, 1, 64), at_barrier(Sync::mbarrier_expect, 32, 64)};
    const Program end = {at_barrier(Sync::mbarrier_wait, 0, 64), store(cta == 0 ? 0x20000 : 0x30000)};
    Program warp = begin;
    if (cta == 0) {
      WarpInstruction copy = load(0x10000, no_register, 16);
      copy.width = 16;
      copy.async = copy.bulk = true;
      warp.push_back(copy);
      for (const Address rank : {1, 2}) warp.push_back(at_barrier(Sync::bulk_arrive, 32, (rank << 24) + 64));
    }
    warp.insert(warp.end(), end.begin(), end.end());
    return {warp};
  };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 6);
  CHECK(bench.target->log[4].at == bench.target->log[5].at);
  CHECK(bench.target->log[4].at > bench.target->log[3].at + 10);
  CHECK(bench.clusters[0]->counters().copy_lines == 4);
  CHECK(bench.clusters[0]->counters().multicast_lines == 4);
}

// Barriers in shared memory of Accel-Sim traces: who waits for what follows from who waits and arrives how
// often. Runs have an SM of one scheduler; an instruction issued in cycle i has its first line out in i + 1.

using strata::traces::KernelFile;

namespace {

using Code = std::vector<std::string>;

Code operator+(Code one, const Code& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

std::string line(const std::string& opcode, const std::string& rest, const std::string& mask = "00000001",
                 const std::string& pc = "0100") {
  return pc + " " + mask + " 0 " + opcode + " 0 " + rest;
}
std::string at(const std::string& opcode, unsigned address, const std::string& mask = "00000001") {
  char text[32];
  std::snprintf(text, sizeof text, "8 1 0x%x 0 0 0 NoVal", address);
  return line(opcode, text, mask);
}
Code make(unsigned address) {
  return {at("SYNCS.EXCH.64", address)};
}
Code arrive(unsigned address) {
  return {at("SYNCS.ARRIVE.TRANS64.A1T0", address)};
}
Code expect(unsigned address) {
  return {at("SYNCS.ARRIVE.TRANS64", address)};
}
Code wait(unsigned address) {
  return {at("SYNCS.PHASECHK.TRANS64.TRYWAIT", address)};
}
/// A bulk load of `bytes`, of a line each 128, to the barrier.
Code copy(unsigned barrier, unsigned bytes, unsigned long long from) {
  char text[96];
  std::snprintf(text, sizeof text, "16 0x%x 0 %u 0 4 0x%llx %u", barrier, bytes, from, bytes / 128);
  std::string places = text;
  for (unsigned n = 1; n < bytes / 128; ++n) places += " 128";
  return {line("UTMALDG.2D", places + " 0 0 NoVal")};
}
const Code meet = {line("BAR.SYNC.DEFER_BLOCKING", "0 0 0 NoVal", "ffffffff")};
const Code work = {line("HGMMA.64x64x16.F32", "0 0 0 0 NoVal", "ffffffff")};
const Code retry = {line("BRA", "0 0 0 NoVal", "ffffffff")};

std::shared_ptr<CtaTrace> read(const std::vector<Code>& warps) {
  const TempFolder folder;
  const std::string path = folder.path() + "/kernel-1.traceg";
  std::ofstream file(path);
  file << "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (" << 32 * warps.size()
       << ",1,1)\n-shmem = 0\n-nregs = 16\n-binary version = 90\n-accelsim tracer version = 6\n"
       << "#traces format\n#BEGIN_TB\nthread block = 0,0,0\n";
  for (std::size_t w = 0; w < warps.size(); ++w) {
    file << "warp = " << w << "\ninsts = " << warps[w].size() + 1 << "\n";
    for (const std::string& text : warps[w]) file << text << "\n";
    file << "0f00 ffffffff 0 EXIT 0 0 0 0 NoVal\n";
  }
  file << "#END_TB\n";
  file.close();
  return KernelFile(path, false).next();
}

/// `init 2`, `expect 32`, `phase 1`, `unknown`: what orders a warp.
std::vector<std::string> orders(const CtaTrace& cta, std::uint32_t warp) {
  std::vector<std::string> all;
  for (std::uint32_t n = cta.warp_begin[warp]; n < cta.warp_begin[warp + 1]; ++n) {
    const WarpInstruction& i = cta.instructions[n];
    const auto add = [&](const char* name) { all.push_back(name + std::to_string(i.operand)); };
    if (i.sync == Sync::mbarrier_init) add("init ");
    if (i.sync == Sync::mbarrier_arrive) add("arrive ");
    if (i.sync == Sync::mbarrier_expect) add("expect ");
    if (i.sync == Sync::mbarrier_copies) add("copies ");
    if (i.sync == Sync::mbarrier_phase) add("phase ");
    if (i.sync == Sync::bulk_arrive) add("bytes ");
    if (i.sync == Sync::none && i.op == OpClass::other && i.async) all.emplace_back("unknown");
  }
  return all;
}
using Words = std::vector<std::string>;

/// Cycles in which records issue, on an SM of one scheduler whose copies start at once.
struct Run {
  explicit Run(const std::vector<Code>& warps) : bench(params()) {
    cta = read(warps);
    bench.source.add_kernel(1, static_cast<std::uint32_t>(warps.size()));
    bench.source.warps = [this](auto, auto) {
      std::vector<Program> programs;
      for (std::uint32_t w = 0; w < cta->warps(); ++w)
        programs.emplace_back(cta->instructions.begin() + cta->warp_begin[w],
                              cta->instructions.begin() + cta->warp_begin[w + 1]);
      return programs;
    };
    bench.run();
    CHECK(bench.broken.empty());
    for (const RequestLog& request : bench.target->log) sent.push_back(request.at);
  }
  static SmClusterParams params() {
    SmClusterParams p;
    p.schedulers = 1;
    p.tma_latency = 0;
    return p;
  }
  std::shared_ptr<CtaTrace> cta;
  ClusterBench bench;
  std::vector<Cycle> sent;
};

const Code stores = {"0200 00000001 0 STG.E 2 R2 R3 4 1 0x7f0000900000 0 0 0 NoVal"};

}  // namespace

TEST_CASE("mbarriers of traces: a consumer waits for the bytes of its tile") {
  const auto cta =
      read({make(64) + meet + expect(64) + copy(64, 512, 0x7f0000000000), meet + wait(64) + work});
  CHECK(orders(*cta, 0) == Words{"init 1", "expect 32", "bytes 32"});
  CHECK(orders(*cta, 1) == Words{"phase 1"});
}

// The copy leaves in cycle c, its answer comes 10 cycles later and is taken in c + 11, when the phase ends.
// The store issues in c + 12 and leaves in c + 13.
TEST_CASE("mbarriers of traces: the wait takes as long as the copy") {
  const Run run({make(64) + meet + expect(64) + copy(64, 128, 0x7f0000000000), meet + wait(64) + stores});
  REQUIRE(run.sent.size() == 2);
  CHECK(run.sent[1] - run.sent[0] == 13);
}

TEST_CASE("mbarriers of traces: tries that fail are one wait") {
  const Code tries = wait(64) + retry + wait(64) + retry + wait(64) + retry + wait(64) + retry + wait(64);
  const Run run({make(64) + meet + expect(64) + copy(64, 128, 0x7f0000000000), meet + tries + stores});
  CHECK(orders(*run.cta, 1) == Words{"phase 1"});
  REQUIRE(run.sent.size() == 2);
  CHECK(run.sent[1] - run.sent[0] == 13);  // as with one try
}

namespace {

/// A producer and a consumer with so many places; the producer waits for a free one, the consumer for its
/// tile of one line.
std::vector<Code> pipeline(unsigned places, unsigned tiles) {
  Code producer, consumer = meet;
  for (unsigned p = 0; p < places; ++p) producer = producer + make(64 + 16 * p) + make(128 + 16 * p);
  producer = producer + meet;
  for (unsigned t = 0; t < tiles; ++t) {
    const unsigned full = 64 + 16 * (t % places), empty = 128 + 16 * (t % places);
    producer = producer + wait(empty) + expect(full) + copy(full, 128, 0x7f0000000000 + t * 128ULL);
    consumer = consumer + wait(full) + work + arrive(empty);
  }
  return {producer, consumer};
}

}  // namespace

// The producer's first wait is for a free place, which there is: it passes. A copy that leaves in cycle c has
// landed in c + 11. The consumer's product issues in c + 12, its release in c + 13 and, as the scheduler
// stays with its warp, its next wait in c + 14; the producer expects in c + 15 and copies in c + 16, which
// leaves in c + 17.
TEST_CASE("mbarriers of traces: with one place each copy waits for the product before it") {
  const Run run(pipeline(1, 3));
  CHECK(orders(*run.cta, 0) == Words{"init 1", "init 1", "expect 8", "bytes 8", "phase 1", "expect 8",
                                     "bytes 8", "phase 2", "expect 8", "bytes 8"});
  CHECK(orders(*run.cta, 1) == Words{"phase 1", "arrive 1", "phase 2", "arrive 1", "phase 3", "arrive 1"});
  REQUIRE(run.sent.size() == 3);
  CHECK(run.sent[1] - run.sent[0] == 17);
  CHECK(run.sent[2] - run.sent[1] == 17);
}

// Behind the first copy come its end, the wait that passes, the arrival and the second copy, 4 cycles later.
// The third one waits for the first product as before: three tiles take 17 cycles from the first to the last
// copy, where one place takes 34.
TEST_CASE("mbarriers of traces: with two places the second copy does not wait") {
  const Run run(pipeline(2, 3));
  REQUIRE(run.sent.size() == 3);
  CHECK(run.sent[1] - run.sent[0] == 4);
  CHECK(run.sent[2] - run.sent[0] == 17);
}

// Two consumer warps of 32 lanes each release a place: 64 arrivals a phase.
TEST_CASE("mbarriers of traces: arrivals a phase follow from all arrivals") {
  const Code release = {at("SYNCS.ARRIVE.TRANS64.A1T0", 128, "ffffffff")};
  const Code consumer = meet + wait(64) + work + release + wait(64) + work + release;
  const auto cta =
      read({make(64) + make(128) + meet + wait(128) + expect(64) + wait(128) + expect(64) + wait(128),
            consumer, consumer});
  CHECK(orders(*cta, 0) == Words{"init 1", "init 64", "expect 0", "phase 1", "expect 0", "phase 2"});
  CHECK(orders(*cta, 2) == Words{"phase 1", "arrive 1", "phase 2", "arrive 1"});
}

TEST_CASE("mbarriers of traces: what cannot be found out waits for nothing and is marked") {
  // No warp arrives.
  CHECK(orders(*read({make(64) + wait(64), wait(64)}), 1) == Words{"unknown"});
  // Three arrivals and two waits fit one another in no way.
  const auto odd =
      read({make(64) + meet + arrive(64) + arrive(64), meet + arrive(64) + arrive(64) + arrive(64),
            meet + wait(64) + work + wait(64) + work + wait(64)});
  CHECK(orders(*odd, 2) == Words{"unknown", "unknown", "unknown"});
  CHECK(orders(*odd, 0).empty());
  // Without addresses.
  const Code blind = {line("SYNCS.PHASECHK.TRANS64.TRYWAIT", "0 0 0 NoVal")};
  CHECK(orders(*read({blind}), 0) == Words{"unknown"});
  // Each warp waits for the other, which arrives later: the trace cannot be of this order.
  const auto circle =
      read({make(64) + make(128) + meet + expect(64) + wait(128) + work + wait(128) + work + expect(64),
            meet + wait(64) + work + wait(64) + work + expect(128) + expect(128)});
  CHECK(circle->warps() == 2);
}

TEST_CASE("mbarriers of traces: arrivals of asynchronous copies") {
  const Code load = {line("LDGSTS.E.128", "16 1 0x7f0000000000 16 0 0 NoVal", "ffffffff")};
  const Code lands = {at("ARRIVES.LDGSTSBAR.64.ARVCNT", 64, "ffffffff")};
  const auto cta = read({make(64) + meet + load + lands, meet + wait(64)});
  CHECK(orders(*cta, 0) == Words{"init 32", "copies 1"});
  CHECK(orders(*cta, 1) == Words{"phase 1"});
  // Without .noinc each lane counts once more than the barrier was made for, and comes back.
  const Code more = {at("SYNCS.ARRIVE.TRANS64.RED.A0T1", 64, "ffffffff"),
                     at("ARRIVES.LDGSTSBAR.64.TRANSCNT", 64, "ffffffff")};
  const auto on_top = read({make(64) + meet + load + more + arrive(64), meet + wait(64)});
  CHECK(orders(*on_top, 0) == Words{"init 1", "copies 0", "arrive 1"});
}

TEST_CASE("mbarriers of traces: what registers held says counts and parities") {
  // 2^21 - 2 * 2 is a barrier of 2 arrivals: four of them are two phases, of which one is waited for.
  const Code made = {"0100 00000001 0 SYNCS.EXCH.64 2 UR4 UR6 8 1 0x40 0 0 0 Val 1 0x40 1 0x1ffffc"};
  const Code first = {
      "0100 00000001 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R2 R3 8 1 0x40 0 0 0 Val 1 0x1 1 0x40 1 "
      "0x80000000"};
  const auto cta =
      read({made + meet + arrive(64) + arrive(64) + arrive(64) + arrive(64), meet + first + work + wait(64)});
  CHECK(orders(*cta, 0).front() == "init 2");
  CHECK(orders(*cta, 1) == Words{"phase 1"});  // of parity 1 passes
}

TEST_CASE("mbarriers of traces: a copy that does not name its barrier reports where its warp expects bytes") {
  const auto cta = read({make(64) + meet + expect(64) + copy(0, 128, 0x7f0000000000), meet + wait(64)});
  CHECK(orders(*cta, 0) == Words{"init 1", "expect 8", "bytes 8"});
}

TEST_CASE("mbarriers of traces: another warp than the one that arrives may copy") {
  const auto cta = read({make(64) + meet + expect(64) + wait(64) + work + expect(64),
                         meet + copy(64, 128, 0x7f0000000000) + copy(64, 256, 0x7f0000001000),
                         meet + wait(64) + work + wait(64)});
  CHECK(orders(*cta, 0) == Words{"init 1", "expect 8", "phase 1", "expect 16"});
}

// The second copy reports to a barrier whose phase would be over without it, and goes out behind the wait for
// that phase: all warps would wait for ever.
TEST_CASE("mbarriers of traces: bytes that come behind the wait for them make it unknown") {
  const auto cta = read({make(64) + meet + expect(64) + copy(64, 128, 0x7f0000000000) + wait(64) +
                             copy(64, 128, 0x7f0000001000),
                         meet + wait(64)});
  CHECK(orders(*cta, 0) == Words{"bytes 8", "unknown", "bytes 8"});
  CHECK(orders(*cta, 1) == Words{"unknown"});
}

TEST_CASE("mbarriers of traces: the barrier of a cluster is met by all warps or by none") {
  const Code arrives = {line("UCGABAR_ARV", "0 0 0 NoVal", "ffffffff")};
  const Code waits = {line("UCGABAR_WAIT", "0 0 0 NoVal", "ffffffff")};
  const auto both = read({arrives + waits, arrives + waits});
  CHECK(both->instructions[0].sync == Sync::cluster_arrive);
  CHECK(both->instructions[1].sync == Sync::cluster_wait);
  const auto one = read({arrives + waits, work});
  CHECK(orders(*one, 0) == Words{"unknown", "unknown"});
}

// A warp arrives at the barrier of rank 1, whose address has the rank from bit 24 on: its own barrier does
// not count that, and its wait is for its own arrival.
TEST_CASE("mbarriers of traces: arrivals at other thread blocks are marked") {
  const auto cta = read({make(64) + meet + arrive(64) + arrive((1U << 24) + 64), meet + wait(64)});
  CHECK(orders(*cta, 0) == Words{"init 1", "arrive 1", "unknown"});
  CHECK(orders(*cta, 1) == Words{"phase 1"});
}
