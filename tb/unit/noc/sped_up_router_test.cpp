// Inputs with several read ports (`input_speedup`). A stage of 4 cycles behind a link of 1: a head sent to it
// in cycle s leaves in s + 5 at best; a port is free 2 cycles behind a tail, an output 1 cycle.
#include "tb/support/catch.h"
#include "tb/support/noc_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

RouterStageParams ports(int input_speedup, int vc_flits = 16) {
  RouterStageParams params;
  params.inputs = params.outputs = 4;
  params.vc_flits = vc_flits;
  params.input_speedup = input_speedup;
  return params;
}

/// Sends plans and returns the cycles in which the packets of source 1 arrive.
std::vector<Cycle> arrivals(const RouterStageParams& params, const std::vector<PacketPlan>& first,
                            const std::vector<PacketPlan>& second) {
  NocBench bench(params);
  for (const PacketPlan& plan : first) bench.sources[0]->plan(plan);
  for (const PacketPlan& plan : second) bench.sources[1]->plan(plan);
  bench.finish();
  CHECK(bench.faults().empty());
  std::vector<Cycle> cycles;
  for (const PacketLog& log : bench.sources[1]->log) {
    CHECK(log.ledger_sum == log.answered - log.sent);
    cycles.push_back(log.arrived);
  }
  return cycles;
}

using Cycles = std::vector<Cycle>;

}  // namespace

// Sent in 10 and 11. One port: 15, and 15 + 1 + 2. Two: as they come.
TEST_CASE("with one read port a packet waits for the one before it") {
  CHECK(arrivals(ports(1), {}, {{10, 1, 1}, {10, 2, 1}}) == Cycles{15, 18});
}
TEST_CASE("with two read ports a packet does not wait for the one before it") {
  CHECK(arrivals(ports(2), {}, {{10, 1, 1}, {10, 2, 1}}) == Cycles{15, 16});
}

// Sent in 10, 11, 12 and 13; the first port is free again in 15 + 1 + 2, the second one in 16 + 1 + 2.
TEST_CASE("a third packet waits for the first of two read ports") {
  CHECK(arrivals(ports(2), {}, {{10, 0, 1}, {10, 1, 1}, {10, 2, 1}, {10, 3, 1}}) == Cycles{15, 16, 18, 19});
}

// Both sources want output 1 in 15; source 0 comes first, the output is free for source 1 in 17. What was
// behind that packet, ready since 16, goes in 17 to output 2, but in 18 to output 0, which has been served
// then.
TEST_CASE("the packet behind one that leaves goes in the same cycle to an output that is served later") {
  CHECK(arrivals(ports(2), {{10, 1, 1}}, {{10, 1, 1}, {10, 2, 1}}) == Cycles{17, 17});
}
TEST_CASE("the packet behind one that leaves goes in the next cycle to an output that has been served") {
  CHECK(arrivals(ports(2), {{10, 1, 1}}, {{10, 1, 1}, {10, 0, 1}}) == Cycles{17, 18});
}

// The head waits for output 1 until 15 + 9 + 1 = 25, where source 0 sends 9 flits; what is behind it waits as
// long, though its outputs are idle.
TEST_CASE("packets of one input do not overtake each other") {
  CHECK(arrivals(ports(4), {{10, 1, 9}}, {{10, 1, 1}, {10, 2, 1}, {10, 3, 1}}) == Cycles{25, 25, 25});
}

// Of 5 flits: sent in 10 and 15. The second leaves in 20; with one port behind the tail of the first: 15 + 5
// + 2.
TEST_CASE("two long packets of one input leave side by side") {
  CHECK(arrivals(ports(2), {}, {{10, 1, 5}, {10, 2, 5}}) == Cycles{15, 20});
}

TEST_CASE("slots of packets that leave side by side come back together") {
  // A buffer of 10 flits is full of two packets of 5, which wait for output 1: source 0 sends 9 flits to it
  // from 15 on. Both leave in 25, so that a slot of each is free in 26, and the third packet, held since 20,
  // comes in from 26 on.
  NocBench bench(ports(2, 10));
  bench.sources[0]->plan({10, 1, 9});
  bench.sources[1]->plan({10, 1, 5});
  bench.sources[1]->plan({10, 2, 5});
  bench.sources[1]->plan({10, 3, 5});
  bench.finish();
  CHECK(bench.faults().empty());
  const auto& log = bench.sources[1]->log;
  CHECK(log[0].arrived == 25);
  CHECK(log[1].arrived == 25);
  CHECK(log[2].sent == 20);
  CHECK(log[2].released == 31);  // slots are back in 26, 26, 27, ...; a flit a cycle from 26 to 30
  CHECK(log[2].arrived == 32);   // 26 + 5 = 31, but a port is free in 25 + 5 + 2
}

TEST_CASE("a packet that the next hop holds keeps those behind it") {
  // Sink 1 takes its packet 20 cycles late: 15 + 20, and its tail leaves in 35. The next one bids in 36.
  NocBench bench(ports(4));
  bench.sinks[1]->hold = [] { return 20; };
  bench.sources[1]->plan({10, 1, 1});
  bench.sources[1]->plan({10, 2, 1});
  bench.finish();
  CHECK(bench.faults().empty());
  CHECK(bench.sources[1]->log[0].arrived == 15);
  CHECK(bench.sources[1]->log[1].arrived == 36);
}

TEST_CASE("one read port passes a packet of 1 flit every 3 cycles") {
  // To all outputs in turn.
  std::vector<PacketPlan> plan;
  for (int n = 0; n < 40; ++n) plan.push_back({0, n % 4, 1});
  const Cycles one = arrivals(ports(1), {}, plan);
  CHECK(one.back() - one.front() == 3 * 39);
}

TEST_CASE("three read ports pass a packet of 1 flit every cycle") {
  std::vector<PacketPlan> plan;
  for (int n = 0; n < 40; ++n) plan.push_back({0, n % 4, 1});
  const Cycles three = arrivals(ports(3), {}, plan);
  CHECK(three.back() - three.front() == 39);
}

TEST_CASE("several read ports want VCs that share them, or whole packets") {
  RouterStageParams params = ports(2);
  params.vcs = 2;
  CHECK(params.validate().empty());
  CHECK(params.needs_flits(0));
  params.input_speedup = 3;
  const Faults faults = params.validate();
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].message.find("is 3; allowed: 1, or with speedup: 1") != std::string::npos);
}
