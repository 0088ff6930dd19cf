// With one access outstanding an lt block does exactly what its at twin does: times, decisions, victims,
// counters and ledgers. One TEST_CASE = one elaboration = one process.
#include "models/dram_channel/dram_channel_at.h"
#include "models/dram_channel/dram_channel_lt.h"
#include "models/l1/l1_at.h"
#include "models/l1/l1_lt.h"
#include "models/l1/l1_private.h"
#include "models/llc_slice/llc_slice_lt.h"
#include "models/llc_slice/llc_slice_shell.h"
#include "models/memory_controller/memory_controller_at.h"
#include "models/memory_controller/memory_controller_lt.h"
#include "models/router_stage/router_stage_shell.h"
#include "tb/support/lt_bench.h"

using namespace strata;
using strata::tb::Twins;

namespace {

constexpr std::uint64_t seed = 20190622;

struct L1Twins : Twins {
  explicit L1Twins(const L1PrivateParams& params, std::uint64_t which)
      : Twins(tb::sparse_orders(600, 400, 48, which)),
        map(make_address_map({})),
        at("at", params, BuildContext{core, *map}),
        lt("lt", params, BuildContext{core, *map}),
        at_llc("at_llc", core, 100),
        lt_llc("lt_llc", core, 100) {
    INFO("seed " << which);
    bind(at.sm, lt.sm);
    REQUIRE(checkers.bind(at.noc, at_llc.in));
    lt.noc.check_calls();
    REQUIRE(lt.noc.bind_to(lt_llc.in));
    run();
    check(at, lt);
    tb::check_same(at_llc.arrivals, lt_llc.arrivals);
    CHECK(lt.noc.violations() == 0);
    for (unsigned line = 0; line < 48; ++line)
      CHECK(at.state().contains(line * 128) == lt.state().contains(line * 128));
  }
  std::unique_ptr<AddressMap> map;
  L1At<L1Private> at;
  L1Lt<L1Private> lt;
  tb::DelayTarget at_llc;
  tb::LtDelayTarget lt_llc;
};

struct SliceTwins : Twins {
  explicit SliceTwins(const LlcSliceParams& params)
      : Twins(tb::sparse_orders(600, 800, 96, seed + 1)),
        map(make_address_map({})),
        at("at", params, BuildContext{core, *map}),
        lt("lt", params, BuildContext{core, *map}),
        at_mem("at_mem", core, 80),
        lt_mem("lt_mem", core, 80) {
    bind(at.noc, lt.noc);
    REQUIRE(checkers.bind(at.mem, at_mem.in));
    lt.mem.check_calls();
    REQUIRE(lt.mem.bind_to(lt_mem.in));
    run();
    lt.settle(core.now());  // fills of the last accesses, with their victims
    check(at, lt);
    tb::check_same(at_mem.arrivals, lt_mem.arrivals);
    CHECK(lt.mem.violations() == 0);
    for (unsigned line = 0; line < 96; ++line) {
      CHECK(at.state().contains(line * 128) == lt.state().contains(line * 128));
      CHECK(at.state().dirty(line * 128) == lt.state().dirty(line * 128));
    }
  }
  std::unique_ptr<AddressMap> map;
  LlcSliceAt at;
  LlcSliceLt lt;
  tb::DelayTarget at_mem;
  tb::LtDelayTarget lt_mem;
};

struct RouterTwins : Twins {
  explicit RouterTwins(const RouterStageParams& params, const std::vector<std::string>& but = {})
      : Twins(tb::sparse_orders(400, 300, 64, seed + 2)),
        map(make_address_map({})),
        at(make_router_stage<AtLinks>("at", params, BuildContext{core, *map})),
        lt(make_router_stage<LtLinks>("lt", params, BuildContext{core, *map})) {
    bind(at->in(0), lt->in(0));
    for (int o = 0; o < params.outputs; ++o) {
      at_ends.push_back(std::make_unique<tb::DelayTarget>(("at_end_" + std::to_string(o)).c_str(), core, 50));
      lt_ends.push_back(
          std::make_unique<tb::LtDelayTarget>(("lt_end_" + std::to_string(o)).c_str(), core, 50));
      REQUIRE(checkers.bind(at->out(o), at_ends.back()->in));
      REQUIRE(lt->out(o).bind_to(lt_ends.back()->in));
    }
    run();
    check(*at, *lt, but);
    for (std::size_t o = 0; o < at_ends.size(); ++o)
      tb::check_same(at_ends[o]->arrivals, lt_ends[o]->arrivals);
  }
  std::unique_ptr<AddressMap> map;
  std::unique_ptr<RouterStageAt> at;
  std::unique_ptr<RouterStageShell<LtLinks>> lt;
  std::vector<std::unique_ptr<tb::DelayTarget>> at_ends;
  std::vector<std::unique_ptr<tb::LtDelayTarget>> lt_ends;
};

AddressMapParams one_channel() {
  AddressMapParams params;
  params.channels = 1;
  params.slices_per_channel = 1;
  return params;
}

struct MemoryTwins : Twins {
  /// Loads and stores of whole lines: what an LLC slice sends.
  static std::vector<tb::Order> orders() {
    std::vector<tb::Order> all = tb::sparse_orders(500, 300, 4096, seed + 3);
    for (tb::Order& order : all) {
      order.chunks = 0xf;
      if (order.access_class == AccessClass::store) order.access_class = AccessClass::writeback;
      if (order.access_class == AccessClass::atomic) order.access_class = AccessClass::load;
    }
    return all;
  }
  explicit MemoryTwins(const MemoryControllerParams& controller = params())
      : Twins(orders(), Hertz(924'000'000)),
        map(make_address_map(one_channel())),
        at("at", controller, BuildContext{other, *map}),
        lt("lt", controller, BuildContext{other, *map}),
        at_channel("at_channel", {}, BuildContext{other, *map}),
        lt_channel("lt_channel", {}, BuildContext{other, *map}) {
    bind(at.slice(0), lt.slice(0));
    REQUIRE(checkers.bind(at.channel(), at_channel.controller()));
    lt.channel().check_calls();
    REQUIRE(lt.channel().bind_to(lt_channel.controller()));
  }
  static MemoryControllerParams params() {
    MemoryControllerParams params;
    params.slices = 1;
    return params;
  }
  std::unique_ptr<AddressMap> map;
  MemoryControllerAt at;
  MemoryControllerLt lt;
  DramChannelAt at_channel;
  DramChannelLt lt_channel;
};

}  // namespace

TEST_CASE("a private L1 with one access outstanding") {
  L1PrivateParams params;
  params.size = Bytes(2 * KiB);  // 16 lines for 48: evictions
  params.ways = 4;
  L1Twins twins(params, seed);
  CHECK(twins.lt.counters().evictions > 50);
}

TEST_CASE("a private L1 that writes through, of other latencies") {
  L1PrivateParams params;
  params.size = Bytes(4 * KiB);
  params.ways = 2;
  params.write = L1PrivateParams::Write::through;
  params.latency = 5;
  params.miss_latency = 7;
  params.port_cycles = 3;
  L1Twins twins(params, seed + 9);
  CHECK(twins.lt.counters().write_hits > 20);
}

TEST_CASE("an LLC slice that writes back, with one access outstanding") {
  LlcSliceParams params;
  params.size = Bytes(4 * KiB);  // 32 lines for 96: dirty evictions
  params.ways = 4;
  SliceTwins twins(params);
  CHECK(twins.lt.state().stats().dirty_evictions > 50);
}

TEST_CASE("an LLC slice that writes through, with its lookup first") {
  LlcSliceParams params;
  params.size = Bytes(4 * KiB);
  params.ways = 4;
  params.write = LlcSliceParams::Write::through;
  params.lookup = 20;
  SliceTwins twins(params);
  CHECK(twins.lt.state().stats().write_throughs > 50);
}

TEST_CASE("a router stage with one access outstanding") {
  RouterStageParams params;
  params.inputs = 1;
  params.outputs = 2;
  params.route = RouterStageParams::Route::line;
  RouterTwins twins(params);
}

TEST_CASE("a bypassed router stage with one access outstanding") {
  RouterStageParams params;
  params.inputs = 1;
  params.outputs = 1;
  params.bypass = true;
  // The latch has 2 slots: a packet of 5 flits holds its link in at, which lt counts only behind others.
  RouterTwins twins(params, {"requests_held", "replies_held"});
}

TEST_CASE("a memory controller that refreshes, with one access outstanding") {
  MemoryControllerParams params = MemoryTwins::params();
  params.refresh = RefreshPolicy::per_bank;
  MemoryTwins twins(params);
  twins.run();
  twins.check(twins.at, twins.lt);
  twins.check(twins.at_channel, twins.lt_channel);
  CHECK(tb::counters(twins.lt.stats()).at("refreshes") > 50);
}

TEST_CASE("a memory controller that closes rows, with one access outstanding") {
  MemoryControllerParams params = MemoryTwins::params();
  params.page_policy = PagePolicy::adaptive;
  MemoryTwins twins(params);
  twins.run();
  twins.check(twins.at, twins.lt);
  twins.check(twins.at_channel, twins.lt_channel);
  CHECK(tb::counters(twins.lt.stats()).at("policy_precharges") > 50);
}

TEST_CASE("a memory controller and its channel with one access outstanding") {
  MemoryTwins twins;
  twins.run();
  twins.check(twins.at, twins.lt);
  CHECK(twins.lt.channel().violations() == 0);
  twins.check(twins.at_channel, twins.lt_channel);
  CHECK(tb::counters(twins.lt.stats()).at("row_conflicts") > 50);
}
