// Refresh and atomics behind the sockets. One TEST_CASE = one elaboration = one process.
#include "tb/support/memory_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

constexpr auto load = AccessClass::load;
constexpr auto writeback = AccessClass::writeback;

}  // namespace

TEST_CASE("atomics are answered like reads and written back, also while the write queue is full") {
  MemoryControllerParams params;
  params.read_queue = 4;
  params.write_queue = 2;
  Bench bench(2, params);
  std::vector<Slice::Order> atomics;
  std::vector<Slice::Order> mixed;
  for (int i = 0; i < 100; ++i) {
    atomics.push_back({AccessClass::atomic, static_cast<Address>(i) * 128, 0});
    mixed.push_back({i % 2 == 0 ? load : writeback, static_cast<Address>(4096 + i) * 128, 0});
  }
  bench.add(atomics);
  bench.add(mixed);
  bench.run();
  CHECK(bench.slice[0].replies.size() == 100);
  CHECK(bench.slice[1].replies.size() == 100);
  CHECK(bench.slice[0].held_requests > 20);
  const MemoryControllerStats& s = bench.controller->core().stats();
  CHECK(s.atomics == 100);
  CHECK(bench.channel->core().stats().read_bursts == 150);
  CHECK(bench.channel->core().stats().write_bursts == 150);
  // An atomic answers with its data: never before tCL and the burst.
  for (const auto& reply : bench.slice[0].replies) CHECK(reply.at - reply.sent >= 13);
}

TEST_CASE("an idle channel is refreshed afterwards, and a simulation with refresh ends") {
  MemoryControllerParams params;
  params.refresh = RefreshPolicy::all_bank;
  params.interleave = Interleave::row_bank_group_column;
  Bench bench(1, params);
  // nREFI 1804, nRFC 35: refreshes in 1804 + tRP, 3608, ...; the second read comes 1000 intervals later.
  bench.add({{load, 0, 10}, {load, 128, 1804 * 1000 + 5}, {load, 256, 1804 * 1000 + 500}});
  bench.run();
  const auto& replies = bench.slice[0].replies;
  REQUIRE(replies.size() == 3);
  CHECK(bench.controller->core().stats().refreshes == 1000);
  CHECK(bench.channel->core().stats().refreshes == 1000);
  // Five cycles into the refresh: ACT when it ends in 35, RD 12, data 12 + 1.
  CHECK(replies[1].at == 1804 * 1000 + 35 + 12 + 13);
  CHECK(replies[2].at - (1804 * 1000 + 500) <= 16);  // a row hit
  // Row 0 was open from its ACT in 11 (or 12) to the refresh in 1804, then from 35 on until now.
  const Cycle end = bench.dram.now();
  bench.controller->settle(end);
  const_cast<DramChannelAt&>(*bench.channel).settle(end);
  const DramChannelStats& s = bench.channel->core().stats();
  CHECK(s.open_bank_cycles >= 1804 - 12 + end - (1804 * 1000 + 35));
  CHECK(s.open_bank_cycles <= 1804 - 11 + end - (1804 * 1000 + 35));
  CHECK(s.activates == 2);
  CHECK(s.precharges == 1);
}

TEST_CASE("statistics taken amid idle time count the refreshes owed until then") {
  MemoryControllerParams params;
  params.refresh = RefreshPolicy::per_bank;
  Bench bench(1, params);
  bench.add({{load, 0, 10}, {load, 128, 20000}});
  sc_core::sc_start(sc_core::sc_time(10000 / 0.924, sc_core::SC_NS));
  const Cycle middle = 10000;
  bench.channel->settle(middle);  // in either order
  bench.controller->settle(middle);
  CHECK(bench.channel->core().stats().bank_refreshes == 10000 / (1804 / 16));
  bench.controller->reset_stats();
  bench.channel->reset_stats();
  bench.run();
  CHECK(bench.controller->core().stats().refreshes + 10000 / (1804 / 16) == 20000 / (1804 / 16));
  CHECK(bench.channel->core().stats().bank_refreshes == bench.controller->core().stats().refreshes);
}
