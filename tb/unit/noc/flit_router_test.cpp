// Flit-exact networks of router stages, cycle by cycle. A flit sent to a stage in cycle s is seen in s + 1; a
// head then passes route computation, VC allocation in s + 2, switch allocation in s + 3 and is sent on in
// s + 5; a flit behind a head waits for the switch only: s + 1, sent on in s + 3. A slot is usable by the
// source 3 cycles after its flit has passed the switch, a credit of the sink 5 cycles after.
#include <array>
#include <vector>

#include "models/noc/router/router_stage.h"
#include "models/noc/switching/flit_crossbar.h"
#include "tb/support/catch.h"
#include "tb/support/noc_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

RouterStageParams square(int ports, int vcs, int vc_flits) {
  RouterStageParams params;
  params.inputs = ports;
  params.outputs = ports;
  params.vcs = vcs;
  params.vc_flits = vc_flits;
  return params;
}

// Cycles from a packet's head leaving the source to its tail reaching the sink.
Cycle span(const RouterStageParams& params, int flits) {
  NocBench bench(params);
  bench.deliver({{0, {10, 1, flits}}});
  const PacketLog& log = bench.sources[0]->log.at(0);
  return log.tail - log.sent;
}

// Cycles in which the tails of two packets of 4 flits, for outputs 0 and 1, leave behind a packet each that
// the sink held for 100 cycles.
std::vector<Cycle> tails_behind_holds(int read_ports) {
  RouterStageParams params = square(2, 4, 4);
  params.input_speedup = read_ports;
  NocBench bench(params);
  std::array<int, 2> holds{};
  for (std::size_t o = 0; o < 2; ++o)
    bench.sinks[o]->hold = [&holds, o] { return holds[o]++ == 0 ? 100 : 0; };
  for (const int flits : {1, 4})
    for (int o = 0; o < 2; ++o) bench.sources[0]->plan({0, o, flits});
  bench.deliver();
  return {bench.sources[0]->log[2].tail, bench.sources[0]->log[3].tail};
}

}  // namespace

// Head: switch in 3. Slots: flits 0 to 3 are sent in 0 to 3, flit 4 when the slot of flit 0 is back, in 6: at
// the switch in 7. But flit 0's credit of the sink comes in 3 + 5 = 8: sent on in 10. zero_load.csv: 12, with
// the 2 cycles of the channels at both ends.
TEST_CASE("a packet of 5 flits waits for credits of a VC of 4") {
  CHECK(span(square(2, 1, 4), 5) == 10);
}

TEST_CASE("a packet of 5 flits waits for credits of one of 4 VCs of 4") {
  CHECK(span(square(2, 4, 4), 5) == 10);
}

// Each flit waits 5 cycles for the credit of the one before: 5 + 4 x 5. router_variants.csv: 27.
TEST_CASE("a VC of 1 flit passes a flit every 5 cycles") {
  CHECK(span(square(2, 1, 1), 5) == 25);
}

TEST_CASE("a packet that fits is passed without gaps") {
  CHECK(span(square(2, 4, 8), 5) == 9);
}

// Between stages a credit takes 2 cycles: flit 4 passes the first switch in 3 + 5 + 2, the second in 3 more,
// 5 cycles behind the head. zero_load.csv, fly2: 17.
TEST_CASE("a packet of 5 flits passes two stages with VCs of 4") {
  RouterStageParams first = square(2, 4, 4);
  first.divide = 2;
  RouterStageParams second = square(2, 4, 4);
  second.in_credit_delay = 2;
  NocBench bench(first, 2, second);
  bench.deliver({{0, {10, 3, 5}}, {1, {60, 0, 1}}});
  CHECK(bench.sources[0]->log[0].tail - bench.sources[0]->log[0].sent == 15);
  CHECK(bench.sources[1]->log[0].tail - bench.sources[1]->log[0].sent == 10);
  // 10 cycles of links and routers there, 4 of the tail and 1 for the credit, 1 in the sink, 10 back.
  CHECK(bench.sources[0]->log[0].ledger_sum == 26);
  CHECK(bench.sources[0]->log[0].queue == 1);
}

// saturation.csv, perm, 5 flits, 4 VCs of 4: .7143 = 5/7. The source sends 4 flits, the fifth follows when a
// slot is back; the next VC's packet begins behind it.
TEST_CASE("a source and 4 VCs of 4 flits pass a packet of 5 flits every 7 cycles") {
  NocBench bench(square(2, 4, 4));
  for (int n = 0; n < 200; ++n) bench.sources[0]->plan({0, 1, 5});
  bench.deliver();
  const auto& log = bench.sources[0]->log;
  CHECK(log[150].tail - log[50].tail == 700);
}

// Both VCs of the output grant the first queue; the second queue gets its VC a cycle later, in 3. So A's head
// passes in 3, then B and A by turns: B in 4, 6, ..., 12, A in 5, ..., 11.
TEST_CASE("flits of two packets interleave on an output") {
  NocBench bench(square(2, 2, 8));
  bench.deliver({{0, {0, 1, 5}}, {1, {0, 1, 5}}});
  CHECK(bench.sources[0]->log[0].tail == 13);
  CHECK(bench.sources[1]->log[0].tail == 14);
}

// A keeps the switch in 3 to 7, B passes in 8 to 12.
TEST_CASE("a packet that holds the switch is not interleaved") {
  RouterStageParams params = square(2, 2, 8);
  params.hold_switch = true;
  NocBench bench(params);
  bench.deliver({{0, {0, 1, 5}}, {1, {0, 1, 5}}});
  CHECK(bench.sources[0]->log[0].tail == 9);
  CHECK(bench.sources[1]->log[0].tail == 14);
}

// The second iteration gives the second VC to the second queue at once: B's head competes from 3 on and loses
// that cycle only.
TEST_CASE("a second iteration of the VC allocator leaves no VC idle") {
  RouterStageParams params = square(2, 2, 8);
  params.islip_iterations = 2;
  NocBench bench(params);
  bench.deliver({{0, {0, 1, 1}}, {1, {0, 1, 1}}});
  CHECK(bench.sources[0]->log[0].tail == 5);
  CHECK(bench.sources[1]->log[0].tail == 6);
}

TEST_CASE("iSLIP with one iteration leaves an input and an output unmatched") {
  Islip islip(2, 2);
  islip.bid(0, 0);
  islip.bid(0, 1);
  islip.bid(1, 1);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  const auto note = [&](std::size_t i, std::size_t o) { pairs.emplace_back(i, o); };
  // Both outputs grant input 0, which accepts output 0.
  islip.match(1, note);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0] == std::make_pair(std::size_t{0}, std::size_t{0}));
  // Output 0 and the accept pointer of input 0 have moved on, output 1 has not: it grants input 0 again.
  pairs.clear();
  islip.bid(0, 0);
  islip.bid(0, 1);
  islip.bid(1, 1);
  islip.match(1, note);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0] == std::make_pair(std::size_t{0}, std::size_t{1}));
  // Now the pointers are apart: output 0 grants 0, output 1 grants 1.
  pairs.clear();
  islip.bid(0, 0);
  islip.bid(0, 1);
  islip.bid(1, 1);
  islip.match(1, note);
  CHECK(pairs.size() == 2);
}

TEST_CASE("a second iteration of iSLIP matches what is left") {
  Islip islip(2, 2);
  islip.bid(0, 0);
  islip.bid(0, 1);
  islip.bid(1, 1);
  int count = 0;
  islip.match(2, [&](std::size_t i, std::size_t o) {
    ++count;
    CHECK(i == o);
  });
  CHECK(count == 2);
}

// VCs are FIFOs: the packet for output 1 waits behind one whose output is held. Virtual output queues let it
// pass: the VC's 8 slots hold both.
TEST_CASE("virtual output queues let a packet pass one that is blocked") {
  RouterStageParams params = square(2, 1, 8);
  params.queues = RouterStageParams::Queues::voq;
  NocBench bench(params);
  int holds = 0;
  bench.sinks[0]->hold = [&holds] { return holds++ == 0 ? 1000 : 0; };
  bench.sources[0]->plan({0, 0, 1});
  bench.sources[0]->plan({1, 0, 1});  // waits behind the first in the queue of output 0
  bench.sources[0]->plan({2, 1, 1});
  bench.deliver();
  CHECK(bench.sources[0]->log[2].arrived == 7);
  CHECK(bench.sources[0]->log[1].arrived > 1000);
}

// router_variants.csv: 5 and 9 cycles with the 2 of the channels.
TEST_CASE("look-ahead and speed-up 2 take 3 cycles for a head") {
  RouterStageParams params = square(2, 4, 4);
  params.lookahead = true;
  params.speedup = 2;
  NocBench bench(params);
  bench.deliver({{0, {10, 1, 1}}, {0, {50, 1, 5}}});
  CHECK(bench.sources[0]->log[0].tail - bench.sources[0]->log[0].sent == 3);
  CHECK(bench.sources[0]->log[1].tail - bench.sources[0]->log[1].sent == 7);
}

// Both outputs are held by their sinks while a packet of 4 flits waits for each in VCs 2 and 3 of the input.
// The head for output 0 has passed the switch before; 3 flits follow from 106 on, 4 for output 1 from 107 on,
// and leave 2 cycles later. One read port passes them in turn: for output 0 in 106, 108, 110, for output 1 in
// 107, 109, 111, 112. Two pass them without gaps.
TEST_CASE("VCs of one read port pass flits in turn") {
  CHECK(tails_behind_holds(1) == std::vector<Cycle>{112, 114});
}

TEST_CASE("VCs of different read ports pass flits in the same cycle") {
  CHECK(tails_behind_holds(2) == std::vector<Cycle>{110, 112});
}

// The first flit is held by the sink from 5 to 105; three more lie in the VC and at most one on the link.
TEST_CASE("a held packet stops its output, and the sender when the VC is full") {
  NocBench bench(square(2, 1, 3));
  int holds = 0;
  bench.sinks[0]->hold = [&holds] { return holds++ == 0 ? 100 : 0; };
  for (int n = 0; n < 8; ++n) bench.sources[0]->plan({0, 0, 1});
  bench.run(100);
  CHECK(bench.sources[0]->log.size() <= 5);
  const auto notes = bench.stages[0]->waits();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].what == "out[0] (requests)");
  CHECK_FALSE(bench.stages[0]->drained());
  CHECK_FALSE(bench.stages[0]->check_idle().empty());
  bench.finish();
  CHECK(bench.faults().empty());
  CHECK(bench.sinks[0]->received == 8);
  CHECK(bench.stages[0]->drained());
}

TEST_CASE("a bypassed stage with several VCs is a latch") {
  RouterStageParams params = square(4, 4, 4);
  params.bypass = true;
  NocBench bench(params);
  for (int n = 0; n < 50; ++n) bench.sources[2]->plan({0, 0, 5});  // slice 0: ignored
  bench.deliver();
  CHECK(bench.sinks[2]->received == 50);
  CHECK(bench.sources[2]->log[0].tail == 5);
}

// The sink holds a packet for good. The second stage waits for it, the first for credits of the second.
TEST_CASE("a deadlock behind two linked stages is seen in both") {
  RouterStageParams first = square(2, 2, 4);
  first.divide = 2;
  RouterStageParams second = square(2, 2, 4);
  second.in_credit_delay = 2;
  NocBench bench(first, 2, second);
  bench.sinks[3]->hold = [] { return 1'000'000; };
  for (int n = 0; n < 20; ++n) bench.sources[0]->plan({0, 3, 5});
  bench.run(1000);
  const auto behind = bench.stages[3]->waits();
  REQUIRE(behind.size() == 1);
  CHECK(behind[0].what == "out[1] (requests)");
  CHECK(behind[0].waits_for == "sink_3.in_0");
  const auto before = bench.stages[0]->waits();
  REQUIRE(before.size() == 1);
  CHECK(before[0].what == "out[1] (requests)");
  CHECK(before[0].waits_for == "second_1.in_0");
  CHECK(before[0].occupancy > 0);
}

// The crossbars of a private LLC gate their second stage while it is empty; flits and credits go on beside.
TEST_CASE("the bypass of a linked stage can be switched while it is empty") {
  RouterStageParams first = square(2, 4, 4);
  first.divide = 2;
  RouterStageParams second = square(2, 4, 4);
  second.in_credit_delay = 2;
  NocBench bench(first, 2, second);
  RouterStage& stage = *bench.stages[3];
  bench.sources[0]->plan({0, 3, 5});
  bench.run(200);
  REQUIRE(stage.drained());
  stage.set_bypass(true);
  for (int n = 0; n < 20; ++n) bench.sources[0]->plan({300, 3, 5});  // cluster 0 leads to output 0 now
  bench.run(800);
  CHECK(bench.sinks[2]->received == 20);
  REQUIRE(stage.drained());
  stage.set_bypass(false);
  for (int n = 0; n < 20; ++n) bench.sources[0]->plan({2000, 3, 5});
  bench.finish();
  CHECK(bench.sinks[3]->received == 21);
  CHECK(bench.faults().empty());
}

// Inputs with several read ports (`input_speedup`). A stage of 4 cycles behind a link of 1: a head sent to it
// in cycle s leaves in s + 5 at best; a port is free 2 cycles behind a tail, an output 1 cycle.

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
