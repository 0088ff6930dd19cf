// Routers of whole packets in lt: where packets do not meet, or nobody has a choice, every cycle is that of
// at (router_stage_shell_test.cpp has the same cases, worked out by hand there).
#include "models/router_stage/packet_router_lt.h"

#include <algorithm>

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

/// One stage in lt, with protocol checkers or without.
struct LtBench : NocBench {
  explicit LtBench(const RouterStageParams& params, bool checked = true) : NocBench(params, checked, true) {
    REQUIRE(dynamic_cast<PacketRouterLt*>(stages[0].get()) != nullptr);
  }
  const std::vector<PacketLog>& log(std::size_t source) {
    finish();
    const Faults found = faults();
    for (const Fault& fault : found) UNSCOPED_INFO(fault.message);
    REQUIRE(found.empty());
    return sources[source]->log;
  }
  const RouterStageStats& counted() {
    stages[0]->settle(clock->now());
    return static_cast<const RouterStageStats&>(stages[0]->stats());
  }
};

void one_after_the_other(int flits, Cycle gap) {
  LtBench bench(square(8));
  for (auto& source : bench.sources)
    for (int n = 0; n < 100; ++n) source->plan({0, static_cast<int>(&source - &bench.sources[0]), flits});
  for (std::size_t i = 0; i < 8; ++i) {
    const auto& log = bench.log(i);
    REQUIRE(log.size() == 100);
    for (std::size_t n = 0; n < 100; ++n) REQUIRE(log[n].arrived == 5 + n * gap);
  }
}

// Packets of two inputs for one output: it is never idle longer than between two packets.
void two_inputs(int flits, Cycle gap) {
  LtBench bench(square(4));
  for (int n = 0; n < 100; ++n)
    for (std::size_t i = 0; i < 2; ++i) bench.sources[i]->plan({0, 3, flits});
  std::vector<Cycle> arrivals;
  for (std::size_t i = 0; i < 2; ++i)
    for (const PacketLog& packet : bench.log(i)) arrivals.push_back(packet.arrived);
  std::sort(arrivals.begin(), arrivals.end());
  REQUIRE(arrivals.size() == 200);
  for (std::size_t n = 0; n < 200; ++n) REQUIRE(arrivals[n] == 5 + n * gap);
}

}  // namespace

TEST_CASE("lt: a head takes 5 cycles through an idle router, and its answer as many") {
  LtBench bench(square(8));
  bench.sources[2]->plan({10, 5, 1});
  bench.sources[2]->plan({50, 5, 2});
  bench.sources[2]->plan({90, 5, 5});
  const auto& log = bench.log(2);
  REQUIRE(log.size() == 3);
  CHECK(log[0].arrived == 15);
  CHECK(log[1].arrived == 55);
  CHECK(log[2].arrived == 95);
  CHECK(log[0].answered == 21);  // 1 cycle in the sink
  CHECK(log[0].ledger_sum == 11);
  CHECK(log[0].queue == 0);
}

TEST_CASE("lt: two stages take 10 cycles, and charge each of them") {
  RouterStageParams first = square(4);
  first.divide = 4;
  RouterStageParams second = square(4);
  second.in_credit_delay = 3;
  NocBench bench(first, 4, second, false, true);
  bench.sources[7]->plan({10, 9, 1});
  bench.sources[7]->plan({50, 0, 2});
  bench.finish();
  REQUIRE(bench.faults().empty());
  const auto& log = bench.sources[7]->log;
  CHECK(log[0].arrived == 20);
  CHECK(log[0].answered == 31);
  CHECK(log[0].ledger_sum == 21);  // 10 + 1 + 10
  CHECK(log[0].queue == 0);
  CHECK(log[1].arrived == 60);
}

TEST_CASE("lt: an input passes a packet of 1 flit every 3 cycles") {
  one_after_the_other(1, 3);
}

TEST_CASE("lt: an input passes a packet of 5 flits every 7 cycles") {
  one_after_the_other(5, 7);
}

TEST_CASE("lt: an output passes a packet of 1 flit every 2 cycles") {
  two_inputs(1, 2);
}

TEST_CASE("lt: an output passes a packet of 5 flits every 6 cycles") {
  two_inputs(5, 6);
}

TEST_CASE("lt: a full buffer holds its sender for exactly as long as slots are missing") {
  LtBench bench(square(2));
  int holds = 0;
  bench.sinks[0]->hold = [&holds] { return holds++ == 0 ? 100 : 0; };
  for (int n = 0; n < 4; ++n) bench.sources[0]->plan({0, 0, 5});
  const auto& log = bench.log(0);
  REQUIRE(log.size() == 4);
  CHECK(log[0].sent == 0);
  CHECK(log[0].arrived == 5);
  CHECK(log[1].sent == 5);
  CHECK(log[1].arrived == 112);
  CHECK(log[2].sent == 108);
  CHECK(log[2].arrived == 119);
  CHECK(log[3].sent == 115);
  CHECK(log[3].arrived == 126);
  CHECK(log[1].queue == 102);
  const CrossbarCounters& counters = bench.counted().request.counters;
  CHECK(counters.blocked == 1);
  CHECK(counters.blocked_cycles == 100);
  CHECK(counters.held == 3);
}

TEST_CASE("lt: a blocked output does not stop packets of other inputs to other outputs") {
  LtBench bench(square(2));
  int holds = 0;
  bench.sinks[0]->hold = [&holds] { return holds++ == 0 ? 1000 : 0; };
  bench.sources[0]->plan({0, 0, 1});
  bench.sources[0]->plan({1, 1, 1});  // behind the blocked packet
  bench.sources[1]->plan({10, 1, 1});
  CHECK(bench.log(1)[0].arrived == 15);
  CHECK(bench.log(0)[1].arrived == 1008);
}

// A latch: input i leads to output i, whatever the address, with no cycle between packets.
TEST_CASE("lt: a bypassed stage leads input i to output i after one cycle") {
  RouterStageParams params = square(4);
  params.bypass = true;
  LtBench bench(params);
  for (int n = 0; n < 100; ++n) bench.sources[2]->plan({0, 0, 1});
  for (int n = 0; n < 100; ++n) bench.sources[3]->plan({0, 0, 5});
  for (std::size_t n = 0; n < 100; ++n) {
    REQUIRE(bench.log(2)[n].arrived == n + 1);
    REQUIRE(bench.log(3)[n].arrived == 5 * n + 1);
  }
  CHECK(bench.sinks[2]->received == 100);
  CHECK(bench.sinks[3]->received == 100);
  CHECK(bench.counted().gated_cycles == bench.counted().cycles);
}

// Where the latch of at has 2 slots, a packet that the sink holds lies here as a whole, in 5. END_REQ of the
// sink is 1 + 100 + 5 = 106, so the first leaves in 101..105, and the second, which was held without a slot,
// in 106.
TEST_CASE("lt: a gated router holds a packet as a whole") {
  RouterStageParams params = square(2);
  params.bypass = true;
  LtBench bench(params);
  int holds = 0;
  bench.sinks[0]->hold = [&holds] { return holds++ == 0 ? 100 : 0; };
  bench.sources[0]->plan({0, 0, 5});
  bench.sources[0]->plan({0, 0, 5});
  const auto& log = bench.log(0);
  CHECK(log[0].arrived == 1);
  CHECK(log[1].arrived == 106);
  CHECK(bench.counted().request.counters.held == 1);
}

TEST_CASE("lt: an answer that comes with its request enters the reply network") {
  LtBench bench(square(2));
  bench.sinks[1]->at_once = true;
  bench.sinks[1]->service = 20;
  for (int n = 0; n < 50; ++n) bench.sources[0]->plan({0, 1, 1});
  CHECK(bench.log(0)[0].arrived == 5);
  CHECK(bench.log(0)[0].answered == 5 + 20 + 5);
  CHECK(bench.counted().completed_early == 50);
}

TEST_CASE("lt: a deadlock leaves notes of who waits for whom") {
  LtBench bench(square(2));
  bench.sinks[1]->hold = [] { return 1'000'000; };
  for (int n = 0; n < 20; ++n) bench.sources[0]->plan({0, 1, 1});
  bench.run(1000);
  const auto notes = bench.stages[0]->waits();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].what == "out[1] (requests)");
  CHECK(notes[0].waits_for == "sink_1.in_0");
  CHECK(notes[0].capacity == 8);
  CHECK(notes[0].occupancy == 8);
  REQUIRE(notes[0].oldest != nullptr);
  CHECK(notes[0].oldest->birth == 1);
  CHECK_FALSE(bench.stages[0]->check_idle().empty());
}
