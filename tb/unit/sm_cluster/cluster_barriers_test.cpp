// Thread block clusters: their CTAs start together, and meet.
#include "models/sm_cluster/cluster_barriers.h"

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"
#include "tb/unit/sm_cluster/one_scheduler.h"

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

// Of a grid of 4 x 2 CTAs in clusters of 2 x 2 the first has CTAs 0, 1, 4 and 5. An SM takes one CTA.
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
