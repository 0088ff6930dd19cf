#include "models/noc/router/router_stage.h"

#include "models/noc/routing/routing.h"
#include "models/noc/routing/routing_table.h"
#include "models/tlm/txn_pool.h"
#include "tb/support/catch.h"
#include "tb/support/noc_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

RouterStageParams square(int ports) {
  RouterStageParams params;
  params.inputs = ports;
  params.outputs = ports;
  return params;
}

// Sends `count` packets of `flits` from source i to sink i as fast as they go; returns the cycles between
// arrivals.
std::vector<Cycle> permutation_gaps(const RouterStageParams& params, int flits, int count) {
  NocBench bench(params);
  for (int i = 0; i < params.inputs; ++i)
    for (int n = 0; n < count; ++n) bench.sources[static_cast<std::size_t>(i)]->plan({0, i, flits});
  bench.deliver();
  std::vector<Cycle> gaps;
  for (const auto& source : bench.sources) {
    REQUIRE(source->log.size() == static_cast<std::size_t>(count));
    for (std::size_t n = 1; n < source->log.size(); ++n)
      gaps.push_back(source->log[n].arrived - source->log[n - 1].arrived);
  }
  return gaps;
}

bool all_equal(const std::vector<Cycle>& gaps, Cycle value) {
  for (const Cycle gap : gaps)
    if (gap != value) return false;
  return !gaps.empty();
}

// Reference: 2 + 5 x hops + flits - 1, the 2 being the channels of injection and ejection; the head's way
// between the two sockets is therefore 5 x hops, whatever the length.
constexpr Cycle channels = 2;
Cycle reference_latency(const PacketLog& log) {
  return channels + log.arrived - log.sent + static_cast<Cycle>(log.flits) - 1;
}

}  // namespace

TEST_CASE("a head takes 5 cycles through an idle router") {
  NocBench bench(square(8));
  bench.deliver({{2, {10, 5, 1}}, {2, {50, 5, 2}}, {2, {90, 5, 5}}});
  const auto& log = bench.sources[2]->log;
  REQUIRE(log.size() == 3);
  CHECK(reference_latency(log[0]) == 7);   // zero_load.csv: xbar, 1 flit, 1 VC of 8 flits
  CHECK(reference_latency(log[1]) == 8);   // 2 flits
  CHECK(reference_latency(log[2]) == 11);  // 5 flits
  // The answer starts 1 cycle after the request and takes as long: 10 + 5 + 1 + 5.
  CHECK(log[0].answered == 21);
  // 16 network cycles, the sink's one, nothing else: 5 + 1 + 5.
  CHECK(log[0].ledger_sum == 11);
  CHECK(log[0].queue == 0);
}

TEST_CASE("two stages take 10 cycles") {
  RouterStageParams first = square(4);
  first.divide = 4;
  RouterStageParams second = square(4);
  second.in_credit_delay = 3;
  NocBench bench(first, 4, second);
  bench.deliver({{7, {10, 9, 1}}, {7, {50, 0, 2}}, {7, {90, 15, 5}}});
  const auto& log = bench.sources[7]->log;
  REQUIRE(log.size() == 3);
  CHECK(reference_latency(log[0]) == 12);  // zero_load.csv: fly2
  CHECK(reference_latency(log[1]) == 13);
  CHECK(reference_latency(log[2]) == 16);
  CHECK(log[0].ledger_sum == 21);  // 10 + 1 + 10
  CHECK(bench.sinks[9]->received == 1);
  CHECK(bench.sinks[0]->received == 1);
  CHECK(bench.sinks[15]->received == 1);
}

// saturation.csv, perm: .3333 flits per cycle for 1 flit: flits + 2 = 3 cycles a packet.
TEST_CASE("an input VC passes a packet of 1 flit every 3 cycles") {
  CHECK(all_equal(permutation_gaps(square(8), 1, 200), 3));
}

// saturation.csv, perm: .7143 = 5/7.
TEST_CASE("an input VC passes a packet of 5 flits every 7 cycles") {
  CHECK(all_equal(permutation_gaps(square(8), 5, 200), 7));
}

// saturation.csv, perm, 4 VCs of 4 flits, 1 flit: 1.0.
TEST_CASE("four VCs pass a flit every cycle") {
  RouterStageParams params = square(8);
  params.vcs = 4;
  params.vc_flits = 4;
  CHECK(all_equal(permutation_gaps(params, 1, 200), 1));
}

// Two inputs could give 2/3 of a flit per cycle; the output VC's bubble of one cycle lets 1/2 pass.
TEST_CASE("an output passes a packet of 1 flit every 2 cycles") {
  NocBench bench(square(4));
  for (int n = 0; n < 100; ++n) {
    bench.sources[0]->plan({0, 3, 1});
    bench.sources[1]->plan({0, 3, 1});
  }
  bench.deliver();
  for (std::size_t n = 1; n < 100; ++n)
    for (int s = 0; s < 2; ++s) {
      const auto& log = bench.sources[static_cast<std::size_t>(s)]->log;
      REQUIRE(log[n].arrived - log[n - 1].arrived == 4);  // every other grant
    }
}

// Two inputs could give 10/7; flits + 1 = 6 cycles a packet.
TEST_CASE("an output passes a packet of 5 flits every 6 cycles") {
  NocBench bench(square(4));
  for (int n = 0; n < 100; ++n) {
    bench.sources[0]->plan({0, 3, 5});
    bench.sources[1]->plan({0, 3, 5});
  }
  bench.deliver();
  for (std::size_t n = 1; n < 100; ++n)
    for (int s = 0; s < 2; ++s) {
      const auto& log = bench.sources[static_cast<std::size_t>(s)]->log;
      REQUIRE(log[n].arrived - log[n - 1].arrived == 12);
    }
}

// The sink holds the first packet from cycle 5 to 105. Behind it the VC of 8 flits fills: the first packet (5
// flits) keeps its slots, the second gets 3 of its 5 flits in. Source: packet 0 in 0..4; packet 1 begins in
// 5, is held. END_REQ of the sink: 105 + 5 = 110, so packet 0 leaves in 105..109 and its slots are usable in
// 106..110. Packet 1 needs two of them, 106 and 107: END_REQ 108. Packet 2 begins in 108 with slots 108..110,
// three, so is held again. Packet 1's turn: 110 + 2 = 112, it leaves in 112..116, slots in 113..117; packet 2
// takes 113 and 114: END_REQ 115. Its turn: 117 + 2 = 119.
TEST_CASE("a full buffer holds its sender for exactly as long as slots are missing") {
  NocBench bench(square(2));
  int holds = 0;
  bench.sinks[0]->hold = [&holds] { return holds++ == 0 ? 100 : 0; };
  for (int n = 0; n < 4; ++n) bench.sources[0]->plan({0, 0, 5});
  bench.deliver();
  const auto& log = bench.sources[0]->log;
  REQUIRE(log.size() == 4);
  CHECK(log[0].sent == 0);
  CHECK(log[0].arrived == 5);
  CHECK(log[1].sent == 5);
  CHECK(log[1].arrived == 112);
  CHECK(log[2].sent == 108);
  CHECK(log[2].arrived == 119);
  CHECK(log[3].sent == 115);
  CHECK(log[3].arrived == 126);
  // Packet 1 was sent in 5 and left in 112: 107 cycles, 1 of link, 4 of pipeline.
  CHECK(log[1].queue == 102);
  bench.stages[0]->settle(bench.clock->now());
  const auto& counters = static_cast<const RouterStageStats&>(bench.stages[0]->stats()).request.counters;
  CHECK(counters.blocked == 1);
  CHECK(counters.blocked_cycles == 100);
  CHECK(counters.held == 3);
}

TEST_CASE("a blocked output does not stop packets of other inputs to other outputs") {
  NocBench bench(square(2));
  int holds = 0;
  bench.sinks[0]->hold = [&holds] { return holds++ == 0 ? 1000 : 0; };
  bench.sources[0]->plan({0, 0, 1});
  bench.sources[0]->plan({1, 1, 1});  // behind the blocked packet in its VC
  bench.sources[1]->plan({10, 1, 1});
  bench.deliver();
  CHECK(bench.sources[1]->log[0].arrived == 15);
  // The first packet leaves in 1005, the next of its VC 3 cycles later.
  CHECK(bench.sources[0]->log[1].arrived == 1008);
}

TEST_CASE("with two VCs a packet passes one that is blocked") {
  RouterStageParams params = square(2);
  params.vcs = 2;
  NocBench bench(params);
  int holds = 0;
  bench.sinks[0]->hold = [&holds] { return holds++ == 0 ? 1000 : 0; };
  bench.deliver({{0, {0, 0, 1}}, {0, {1, 1, 1}}});
  CHECK(bench.sources[0]->log[0].arrived == 5);
  CHECK(bench.sources[0]->log[1].arrived == 6);
}

TEST_CASE("round robin serves all inputs of one output equally") {
  NocBench bench(square(8));
  for (auto& source : bench.sources)
    for (int n = 0; n < 500; ++n) source->plan({0, 3, 1});
  bench.run(2000);
  // One packet every 2 cycles from cycle 5 on: 998 in all, 124 or 125 each.
  std::uint64_t total = 0;
  for (const auto& source : bench.sources) {
    std::uint64_t arrived = 0;
    for (const PacketLog& log : source->log) arrived += log.arrived != 0 ? 1 : 0;
    CHECK(arrived >= 124);
    CHECK(arrived <= 125);
    total += arrived;
  }
  CHECK(total >= 997);
  CHECK(total <= 998);
  bench.finish();
  CHECK(bench.faults().empty());
}

TEST_CASE("loads send a header and get data back") {
  NocBench bench(square(2));
  bench.sources[0]->loads = true;
  bench.deliver({{0, {0, 1, 1}}});
  bench.stages[0]->settle(bench.clock->now());
  const auto& stats = static_cast<const RouterStageStats&>(bench.stages[0]->stats());
  CHECK(stats.request.counters.flits_in == 1);
  CHECK(stats.reply.counters.flits_in == 5);  // 8 + 128 bytes over 32
  CHECK(stats.reply.busy_cycles_max == 5);
  CHECK(stats.reply.bytes_out == 160);
}

// The latch adds nothing to the link's one cycle, and passes a flit a cycle.
TEST_CASE("a bypassed stage leads input i to output i after one cycle") {
  RouterStageParams params = square(4);
  params.bypass = true;
  NocBench bench(params);
  for (int n = 0; n < 100; ++n) bench.sources[2]->plan({0, 0, 1});  // slice 0: ignored
  for (int n = 0; n < 100; ++n) bench.sources[3]->plan({0, 0, 5});
  bench.deliver();
  CHECK(bench.sinks[2]->received == 100);
  CHECK(bench.sinks[3]->received == 100);
  for (std::size_t n = 0; n < 100; ++n) {
    REQUIRE(bench.sources[2]->log[n].arrived == n + 1);
    REQUIRE(bench.sources[3]->log[n].arrived == 5 * n + 1);
  }
  bench.stages[0]->settle(1000);
  const auto& stats = static_cast<const RouterStageStats&>(bench.stages[0]->stats());
  CHECK(stats.gated_cycles == stats.cycles);
}

TEST_CASE("the bypass can be switched while the stage is empty") {
  NocBench bench(square(4));
  RouterStage& stage = *bench.stages[0];
  bench.sources[2]->plan({0, 1, 1});
  bench.run(100);
  REQUIRE(stage.drained());
  CHECK(bench.sources[2]->log[0].arrived == 5);
  stage.set_bypass(true);
  bench.sources[2]->plan({200, 1, 1});
  bench.run(900);
  CHECK(bench.sources[2]->log[1].arrived == 201);
  CHECK(bench.sinks[2]->received == 1);
  stage.set_bypass(false);
  bench.sources[2]->plan({2000, 1, 1});
  bench.run(2000);
  CHECK(bench.sources[2]->log[2].arrived == 2005);
  CHECK(bench.sinks[1]->received == 2);
  stage.settle(3000);
  const auto& stats = static_cast<const RouterStageStats&>(stage.stats());
  CHECK(stats.cycles == 3000);
  CHECK(stats.gated_cycles == 900);  // switched on after cycle 100, off after cycle 1000
  CHECK(bench.faults().empty());
}

// router_variants.csv: lookahead 6, speed-up 2: 5.
TEST_CASE("look-ahead routing drops a stage") {
  RouterStageParams params = square(2);
  params.lookahead = true;
  NocBench bench(params);
  bench.sources[0]->plan({0, 1, 1});
  bench.finish();
  CHECK(reference_latency(bench.sources[0]->log[0]) == 6);
}

// Four stages take 7 cycles, so one takes 4.
TEST_CASE("look-ahead routing leaves a router its only stage") {
  RouterStageParams params = square(2);
  params.pipeline = 1;
  params.lookahead = true;
  NocBench bench(params);
  bench.sources[0]->plan({0, 1, 1});
  bench.finish();
  CHECK(reference_latency(bench.sources[0]->log[0]) == 4);
}

TEST_CASE("internal speed-up 2 halves the pipeline") {
  RouterStageParams params = square(2);
  params.speedup = 2;
  NocBench bench(params);
  bench.sources[0]->plan({0, 1, 1});
  bench.finish();
  CHECK(reference_latency(bench.sources[0]->log[0]) == 5);
}

TEST_CASE("an answer that comes with its request enters the reply network") {
  NocBench bench(square(2));
  bench.sinks[1]->at_once = true;
  bench.sinks[1]->service = 20;
  for (int n = 0; n < 50; ++n) bench.sources[0]->plan({0, 1, 1});
  bench.deliver();
  CHECK(bench.sources[0]->log[0].arrived == 5);
  CHECK(bench.sources[0]->log[0].answered == 5 + 20 + 5);
  CHECK(static_cast<const RouterStageStats&>(bench.stages[0]->stats()).completed_early == 50);
}

TEST_CASE("debug transport goes where the address is routed") {
  NocBench bench(square(4));
  bench.run(1);
  TxnPool pool;
  Txn& txn = pool.make(AccessClass::load, 3 * 128, 0xf, 0);
  CHECK(bench.sources[0]->port.debug(txn) == 128);
  CHECK(bench.sinks[3]->debugged == 1);
  txn.release();
}

TEST_CASE("a deadlock leaves notes of who waits for whom") {
  NocBench bench(square(2));
  bench.sinks[1]->hold = [] { return 1'000'000; };
  for (int n = 0; n < 20; ++n) bench.sources[0]->plan({0, 1, 1});
  bench.run(1000);
  const auto notes = bench.stages[0]->waits();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].what == "out[1] (requests)");
  CHECK(notes[0].waits_for == "sink_1.in_0");
  CHECK(notes[0].occupancy == 8);
  CHECK(notes[0].capacity == 8);
  REQUIRE(notes[0].oldest != nullptr);
  CHECK(notes[0].oldest->birth == 1);  // the second packet; the first lies on the held link
  CHECK_FALSE(bench.stages[0]->check_idle().empty());
}

// Routing policies: outputs worked out by hand.

namespace {

/// 8 channels of 4 slices; lines of 128 B, partitions of 256 B.
std::unique_ptr<AddressMap> small_map() {
  AddressMapParams params;
  params.channels = 8;
  params.slices_per_channel = 4;
  return make_address_map(params);
}

std::vector<int> outputs_of(const RouterStageParams& params, const std::vector<int>& slices) {
  const auto map = small_map();
  const auto routing = make_routing(params, *map);
  std::vector<int> outputs;
  for (const int slice : slices) {
    Access access;
    access.slice = static_cast<std::int16_t>(slice);
    outputs.push_back(routing->route(access, 0).output);
  }
  return outputs;
}

int output_of_line(RouterStageParams::Route route, Address line, int outputs, int divide = 1) {
  RouterStageParams params;
  params.route = route;
  params.outputs = outputs;
  params.divide = divide;
  const auto map = small_map();
  Access access;
  access.line = line;
  return make_routing(params, *map)->route(access, 0).output;
}

RouterStageParams with_table(const std::string& table, int vcs = 1) {
  RouterStageParams params;
  params.outputs = 3;
  params.vcs = vcs;
  params.routing = RoutingPolicy::table().find("table");
  params.table = table;
  return params;
}

// A packet of 4 flits is sent in 10 and leaves its router in 15 to 18, one of 1 flit comes from another input
// in 11 and could leave in 16. In another VC the arbiter, whose pointer stands behind the first input, passes
// it then; in the same VC it waits for the tail and a cycle of VC allocation: 15 + 4 + 1.
Cycle second_arrives(const std::string& table) {
  RouterStageParams params = with_table(table, 2);
  params.inputs = 2;
  NocBench bench(params);
  bench.sources[0]->plan({10, 0, 4});
  bench.sources[1]->plan({11, 1, 1});
  bench.finish();
  CHECK(bench.faults().empty());
  return bench.sources[1]->log.at(0).arrived;
}

}  // namespace

TEST_CASE("divide: an SM router divides by the slices of a controller, an MC router by 1") {
  RouterStageParams params;
  params.outputs = 8;
  params.divide = 4;
  CHECK(outputs_of(params, {0, 3, 4, 17, 31}) == std::vector<int>{0, 0, 1, 4, 7});
  params.outputs = 4;
  params.divide = 1;
  CHECK(outputs_of(params, {0, 3, 4, 17, 31}) == std::vector<int>{0, 3, 0, 1, 3});
}

TEST_CASE("divide: numbers of lines, partitions, hashes and SMs") {
  using Route = RouterStageParams::Route;
  CHECK(output_of_line(Route::line, 128 * 13, 5) == 3);     // 13 mod 5
  CHECK(output_of_line(Route::line, 128 * 13, 5, 4) == 3);  // 13 / 4 = 3
  // Number 129 = 1 << 7 | 1: folded by 7 it is 128 | 1 ^ 1 = 128, mod 7 = 2; by itself 129 mod 7 = 3.
  CHECK(output_of_line(Route::hash, 128 * 129, 7) == 2);
  CHECK(output_of_line(Route::line, 128 * 129, 7) == 3);
  // Partition 8 x 5 + 3 of all is number 5 of channel 3.
  CHECK(output_of_line(Route::partition, 256 * 43, 4) == 1);
  CHECK(output_of_line(Route::sm, Address{6} << dsmem_window_bits, 8) == 6);
}

TEST_CASE("table: an output for each destination, begun again behind its end") {
  CHECK(outputs_of(with_table("2, 0,1"), {0, 1, 2, 3, 31}) == std::vector<int>{2, 0, 1, 2, 0});
}

TEST_CASE("table: what is no step, no output and no VC of the router is refused") {
  CHECK(with_table("2,0,1").validate().empty());
  CHECK(with_table("0.1, 1.0", 2).validate().empty());
  for (const char* wrong : {"", "0,,1", "0,x", "0 1", "-1", "0.", "0.0x", "12345"}) {
    INFO(wrong);
    const Faults faults = with_table(wrong).validate();
    REQUIRE(faults.size() == 1);
    CHECK_THAT(faults[0].message, has_text("write an output for each destination"));
  }
  CHECK_THAT(with_table("0, 3").validate().at(0).message, has_text("names output 3 of 3"));
  CHECK_THAT(with_table("0.1").validate().at(0).message, has_text("names VC 1 of 1"));
  RouterStageParams unused;
  unused.table = "0";
  CHECK_THAT(unused.validate().at(0).message, has_text("is for routing: table only"));
}

TEST_CASE("table: a packet takes a free VC of its output, any of them where none is named") {
  CHECK(second_arrives("0, 0, 2") == 16);
}

TEST_CASE("table: packets in different VCs share a link") {
  CHECK(second_arrives("0.0, 0.1, 2") == 16);
}

TEST_CASE("table: packets that must take the same VC go one after the other") {
  CHECK(second_arrives("0.0, 0.0, 2") == 20);
}

namespace {

/// By the input alone: what `table` does not say.
struct ByInput final : Routing {
  explicit ByInput(int more) : offset(more) {}
  RouteStep route(const Access&, int input) const override { return {input + offset}; }
  int offset;
};

template <int offset>
RouterStageParams by_input(const char* name) {
  RoutingPolicy::table().add(
      {name, "by the input", [](const RouterStageParams&, const AddressMap&) -> std::unique_ptr<Routing> {
         return std::make_unique<ByInput>(offset);
       }});
  RouterStageParams params;
  params.inputs = params.outputs = 3;
  params.routing = RoutingPolicy::table().find(name);
  return params;
}

}  // namespace

TEST_CASE("a routing of a plug-in leads through a router") {
  NocBench bench(by_input<0>("by_input"));
  bench.sources[2]->plan({10, 0, 1});
  bench.finish();
  REQUIRE(bench.faults().empty());
  CHECK(bench.sources[2]->log.at(0).arrived != never);
  CHECK(bench.sinks[2]->received == 1);
}

TEST_CASE("a routing of a plug-in that leads out of the router is named") {
  const auto map = small_map();
  const auto routing = make_routing(by_input<1>("behind_input"), *map);
  CHECK(routing->route(Access{}, 1).output == 2);
  CHECK_THROWS_WITH(routing->route(Access{}, 2), "routing 'behind_input' names output 3; allowed: 0 to 2");
}
