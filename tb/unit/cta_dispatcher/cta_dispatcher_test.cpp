// The dispatcher: where CTAs go, kernel order, faults of the source. Each CTA stores once to line 128 * its
// number, so that the target's log tells which SM ran it.
#include "models/cta_dispatcher/cta_placement.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

std::vector<Program> one_store(std::uint32_t, std::uint64_t cta) {
  return {{store(128 * (cta + 1)), plain(OpClass::exit)}};
}

// Two clusters of two SMs that hold `ctas` CTAs each; SM of each CTA as 10 * cluster + sm.
std::vector<int> placement(CtaPolicy policy, std::uint32_t ctas, int per_sm) {
  SmClusterParams sm;
  sm.sms = 2;
  sm.ctas = per_sm;
  CtaDispatcherParams dispatch;
  dispatch.clusters = 2;
  dispatch.scheduler = policy;
  ClusterBench bench(sm, dispatch);
  bench.source.add_kernel(ctas, 1);
  bench.source.warps = one_store;
  bench.run();
  CHECK(bench.broken.empty());
  std::vector<int> places(ctas, -1);
  for (const RequestLog& entry : bench.target->log)
    if (entry.access.access_class == AccessClass::store)
      places[entry.access.cta] = entry.port / 2 * 10 + entry.port % 2;
  return places;
}

}  // namespace

TEST_CASE("two-level round robin takes clusters, then SMs in turn") {
  CHECK(placement(CtaPolicy::two_level_rr, 8, 32) == std::vector<int>{0, 10, 1, 11, 0, 10, 1, 11});
}

TEST_CASE("BCS sends pairs of adjacent CTAs to one SM") {
  CHECK(placement(CtaPolicy::bcs, 9, 32) == std::vector<int>{0, 0, 10, 10, 1, 1, 11, 11, 0});
}

TEST_CASE("BCS with room for one CTA an SM falls back to single CTAs") {
  CHECK(placement(CtaPolicy::bcs, 4, 1) == std::vector<int>{0, 10, 1, 11});
}

TEST_CASE("DCS gives each cluster a contiguous range") {
  // CTAs 0-3 to cluster 0, 4-7 to cluster 1, alternating SMs.
  CHECK(placement(CtaPolicy::dcs, 8, 32) == std::vector<int>{0, 1, 0, 1, 10, 11, 10, 11});
}

TEST_CASE("CTAs wait for room and one is launched a cycle") {
  SmClusterParams sm;
  sm.ctas = 2;
  ClusterBench bench(sm);
  bench.source.add_kernel(3, 1);
  bench.source.warps = [](auto, auto cta) -> std::vector<Program> {
    return {{load(128 * (cta + 1), 1), alu(2, 1)}};
  };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 3);
  // Launches in 0 and 1, loads leave in 2 and 3. The first CTA's alu issues in 13 and ends it; the dispatcher
  // launches the third in 14, its load leaves in 16.
  CHECK(bench.target->log[0].at == 2);
  CHECK(bench.target->log[1].at == 3);
  CHECK(bench.target->log[2].at == 16);
  CHECK(bench.dispatcher->counters().full_cycles == 14 - 2);
}

TEST_CASE("launch_jitter pauses between CTAs and leaves their places alone") {
  SmClusterParams sm;
  CtaDispatcherParams dispatch;
  dispatch.launch_jitter = 3;
  ClusterBench bench(sm, dispatch);
  bench.source.add_kernel(24, 1);
  bench.source.warps = one_store;
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.target->log.size() == 24);
  // A CTA a cycle, then 0 to 3 cycles of pause: gaps of 1 to 4 cycles. That one of the four does not occur in
  // 23 draws has a chance of 4 * 0.75^23 = 0.5 %; the seed is fixed.
  std::vector<int> gaps(5, 0);
  for (std::size_t i = 1; i < 24; ++i) {
    const Cycle gap = bench.target->log[i].at - bench.target->log[i - 1].at;
    REQUIRE(gap >= 1);
    REQUIRE(gap <= 4);
    ++gaps[gap];
    CHECK(bench.target->log[i].access.cta == i);
  }
  for (std::size_t gap = 1; gap <= 4; ++gap) CHECK(gaps[gap] > 0);
}

TEST_CASE("an error of the source stops the run and is kept") {
  ClusterBench bench;
  bench.source.add_kernel(2, 1);
  bench.source.warps = [](auto, auto cta) -> std::vector<Program> {
    if (cta == 1) throw TraceError({{"file.traceg", 7, 0}, "cut short"});
    return {{alu(1)}};
  };
  bench.run();
  REQUIRE(bench.dispatcher->failure() != nullptr);
  CHECK_THROWS_AS(std::rethrow_exception(bench.dispatcher->failure()), TraceError);
  CHECK_FALSE(bench.dispatcher->finished());
  CHECK(bench.dispatcher->progress(0).ctas_launched == 1);
}

TEST_CASE("a kernel that fits no SM is a trace error that names the resource") {
  ClusterBench bench;
  bench.source.add_kernel(1, 1).shared_bytes = 100000;
  bench.source.warps = one_store;
  bench.run();
  REQUIRE(bench.dispatcher->failure() != nullptr);
  try {
    std::rethrow_exception(bench.dispatcher->failure());
  } catch (const TraceError& error) {
    // 100000 B round up to 100096.
    CHECK(error.fault().message ==
          "kernel 0 'kernel0' fits no SM: it needs 100096 bytes of shared memory a CTA of 65536");
  }
}

TEST_CASE("a CTA with more warps than its block is a trace error") {
  ClusterBench bench;
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> { return {{alu(1)}, {alu(1)}}; };
  bench.run();
  CHECK(bench.dispatcher->failure() != nullptr);
}

TEST_CASE("a source without kernels is finished in cycle 0") {
  ClusterBench bench;
  bench.run();
  CHECK(bench.broken.empty());
  CHECK(bench.dispatcher->finished());
  CHECK(bench.dispatcher->end_cycle() == 0);
}

namespace {

// Takes 30 cycles for each boundary.
struct SlowBoundary final : sc_core::sc_module, KernelBoundaryIf {
  explicit SlowBoundary(sc_core::sc_module_name name) : sc_module(name) {}
  void kernel_ended(std::uint32_t, KernelBoundaryDoneIf& done, Cycle now) override {
    ended.push_back(now);
    done.kernel_boundary_done(now + 30);
  }
  std::vector<Cycle> ended;
};

}  // namespace

TEST_CASE("the next kernel waits for the work at the boundary") {
  CtaDispatcherParams params;
  params.flush_l1 = false;
  ClusterBench bench({}, params);
  SlowBoundary slow("slow");
  bench.dispatcher->boundary.bind(slow);
  bench.source.add_kernel(1, 1);
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](auto, auto) -> std::vector<Program> { return {{alu(1)}}; };
  bench.run();
  CHECK(bench.broken.empty());
  // The alu of kernel 0 issues in 1; the dispatcher sees the end in 2 and asks. Kernel 1 is launched in 33
  // (32 ends the boundary), issues in 34, its end is seen in 35; the last boundary ends in 65.
  CHECK(slow.ended == std::vector<Cycle>{2, 35});
  CHECK(bench.dispatcher->end_cycle() == 65);
}

TEST_CASE("statistics of modules are complete: parameters have ranges and laws name counters") {
  SmClusterParams sm;
  CtaDispatcherParams dispatch;
  CHECK_NOTHROW(require_valid(sm, "sm"));
  CHECK_NOTHROW(require_valid(dispatch, "dispatch"));
  sm.schedulers = 4;
  sm.warps = 2;
  CHECK_THROWS_AS(require_valid(sm, "sm"), ConfigError);
  CHECK(broken_laws(SmClusterStats{}).empty());
  CHECK(broken_laws(CtaDispatcherStats{}).empty());
  CHECK(sm_cluster_kind().ports(sm).size() == 5);
  CHECK(cta_dispatcher_kind().ports(dispatch).size() == 2);
}

TEST_CASE("places of the CTA placements are those of CtaPolicy") {
  const auto& table = CtaPlacementRow::table();
  CHECK(table.find("two_level_rr") == static_cast<int>(CtaPolicy::two_level_rr));
  CHECK(table.find("bcs") == static_cast<int>(CtaPolicy::bcs));
  CHECK(table.find("dcs") == static_cast<int>(CtaPolicy::dcs));
}
