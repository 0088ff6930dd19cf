#include <map>
#include <random>
#include <string>

#include "models/noc/router/router_stage.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"
#include "tb/support/noc_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

constexpr int packets_per_source = 400;

void check_laws(RouterStage& stage, Cycle now) {
  stage.settle(now);
  REQUIRE(StatNames(stage.stats()).laws.size() >= 8);
  CHECK(broken_laws(stage.stats()) == std::vector<std::string>{});
}

// Random packets in bursts to random slices; sinks and sources hold what arrives for random times.
void load(NocBench& bench, int slices, std::mt19937_64& random, unsigned longest = 9) {
  for (auto& source : bench.sources) {
    Cycle at = 0;
    for (int n = 0; n < packets_per_source; ++n) {
      if (random() % 4 == 0) at += random() % 40;
      const int slice = static_cast<int>(random() % static_cast<std::uint64_t>(slices));
      const int flits =
          1 + static_cast<int>(random() % longest);  // up to 8 sectors: longer than a VC of 8 flits
      source->plan({at, slice, flits});
    }
    source->hold_reply = [&random] { return random() % 8 == 0 ? 1 + static_cast<int>(random() % 60) : 0; };
  }
  for (auto& sink : bench.sinks) {
    sink->service = 1 + static_cast<int>(random() % 30);
    sink->hold = [&random] { return random() % 6 == 0 ? 1 + static_cast<int>(random() % 100) : 0; };
  }
}

// Nothing is lost, doubled, misrouted or early; ledgers sum to latencies; every credit comes home. `hops`
// stages of `enter` cycles lie between source and sink.
void judge(NocBench& bench, int hops, Cycle enter, bool in_order) {
  bench.finish();
  const Faults faults = bench.faults();
  for (const Fault& fault : faults) UNSCOPED_INFO(fault.message);
  REQUIRE(faults.empty());
  std::uint64_t received = 0;
  for (const auto& sink : bench.sinks) received += sink->received;
  REQUIRE(received == bench.sources.size() * packets_per_source);
  for (const auto& source : bench.sources) {
    REQUIRE(source->log.size() == packets_per_source);
    std::map<int, Cycle> last;
    for (const PacketLog& log : source->log) {
      REQUIRE(log.arrived >= log.sent + static_cast<Cycle>(hops) * enter);
      REQUIRE(log.answered > log.arrived);
      REQUIRE(log.ledger_sum == log.answered - log.sent);
      // With one VC packets of one source to one sink stay in order, and their tails do not overlap.
      if (in_order) REQUIRE(log.arrived >= last[log.slice]);
      last[log.slice] = log.arrived + static_cast<Cycle>(log.flits);
    }
  }
  for (const auto& stage : bench.stages) check_laws(*stage, bench.clock->now());
}

void one_stage(int inputs, int outputs, int vcs, int vc_flits, std::uint64_t seed) {
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  RouterStageParams params;
  params.inputs = inputs;
  params.outputs = outputs;
  params.vcs = vcs;
  params.vc_flits = vc_flits;
  NocBench bench(params);
  load(bench, outputs, random, 9);
  judge(bench, 1, 5, vcs == 1);
}

void two_stages(int vcs, int vc_flits, bool fast, std::uint64_t seed, bool checked = true) {
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  RouterStageParams first;
  first.inputs = 5;
  first.outputs = 4;
  first.divide = 3;
  first.vcs = vcs;
  first.vc_flits = vc_flits;
  first.lookahead = fast;
  first.speedup = fast ? 2 : 1;
  first.out_credit_delay = 3;
  RouterStageParams second = first;
  second.inputs = 4;
  second.outputs = 3;
  second.divide = 1;
  second.in_credit_delay = 3;
  second.out_credit_delay = 1;
  NocBench bench(first, 4, second, checked);
  load(bench, 12, random, 9);
  judge(bench, 2, fast ? 3 : 5, vcs == 1);
}

void variant(const RouterStageParams& changed, int hops_enter, std::uint64_t seed) {
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  NocBench bench(changed);
  load(bench, changed.outputs, random, 9);
  judge(bench, 1, static_cast<Cycle>(hops_enter), changed.input_speedup > 1);
}

}  // namespace

TEST_CASE("random traffic is conserved: 8x8 1 VC of 8 flits seed 1") {
  one_stage(8, 8, 1, 8, 1);
}
TEST_CASE("random traffic is conserved: 8x8 1 VC of 8 flits seed 2") {
  one_stage(8, 8, 1, 8, 2);
}
TEST_CASE("random traffic is conserved: 8x8 4 VCs of 4 flits seed 3") {
  one_stage(8, 8, 4, 4, 3);
}
TEST_CASE("random traffic is conserved: 8x8 1 VC of 1 flit seed 4") {
  one_stage(8, 8, 1, 1, 4);
}
TEST_CASE("random traffic is conserved: concentrator 10x1 seed 5") {
  one_stage(10, 1, 1, 8, 5);
}
TEST_CASE("random traffic is conserved: 1x16 2 VCs seed 6") {
  one_stage(1, 16, 2, 8, 6);
}
TEST_CASE("random traffic is conserved: 80x64 1 VC of 8 flits seed 7") {
  one_stage(80, 64, 1, 8, 7);
}
TEST_CASE("random traffic is conserved: 80x70 3 VCs of 5 flits seed 8") {
  one_stage(80, 70, 3, 5, 8);
}
TEST_CASE("random traffic is conserved: virtual output queues seed 14") {
  RouterStageParams params;
  params.inputs = 6;
  params.queues = RouterStageParams::Queues::voq;
  variant(params, 5, 14);
}
TEST_CASE("random traffic is conserved: virtual output queues sped up seed 15") {
  RouterStageParams params;
  params.queues = RouterStageParams::Queues::voq;
  params.vcs = 2;
  params.vc_flits = 3;
  params.speedup = 3;
  variant(params, 3, 15);
}
TEST_CASE("random traffic is conserved: 3 iterations and held switches seed 16") {
  RouterStageParams params;
  params.vcs = 4;
  params.vc_flits = 4;
  params.islip_iterations = 3;
  params.hold_switch = true;
  variant(params, 5, 16);
}
TEST_CASE("random traffic is conserved: long links seed 17") {
  RouterStageParams params;
  params.vcs = 2;
  params.vc_flits = 6;
  params.link_latency = 9;
  variant(params, 13, 17);
}
TEST_CASE("random traffic is conserved: no link and one stage seed 18") {
  RouterStageParams params;
  params.vcs = 2;
  params.link_latency = 0;
  params.pipeline = 1;
  variant(params, 1, 18);
}
TEST_CASE("random traffic is conserved: 100x90 2 VCs of 2 flits seed 19") {
  one_stage(100, 90, 2, 2, 19);
}
TEST_CASE("random traffic is conserved: inputs of 3 read ports seed 27") {
  RouterStageParams params;
  params.input_speedup = 3;
  variant(params, 5, 27);  // packets longer than the buffer too
}
TEST_CASE("random traffic is conserved: 100x90 with 90 read ports seed 28") {
  RouterStageParams params;
  params.inputs = 100;
  params.outputs = 90;
  params.pipeline = 1;
  params.vc_flits = 64;
  params.input_speedup = 90;
  variant(params, 2, 28);
}
TEST_CASE("random traffic is conserved: two stages 1 VC of 1 flit seed 20") {
  two_stages(1, 1, false, 20);
}

TEST_CASE("random traffic is conserved: two stages 1 VC of 8 flits seed 9") {
  two_stages(1, 8, false, 9);
}
TEST_CASE("random traffic is conserved: two stages 1 VC of 3 flits seed 10") {
  two_stages(1, 3, false, 10);
}
TEST_CASE("random traffic is conserved: two stages 4 VCs of 4 flits seed 11") {
  two_stages(4, 4, false, 11);
}
TEST_CASE("random traffic is conserved: two stages deep and sped up seed 12") {
  two_stages(1, 64, true, 12);
}
TEST_CASE("random traffic is conserved: two stages 4 VCs sped up seed 13") {
  two_stages(4, 8, true, 13);
}
