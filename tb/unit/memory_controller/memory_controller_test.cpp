// The memory controller and its channel behind their sockets. One TEST_CASE = one elaboration = one process.
#include "models/memory_controller/memory_controller.h"

#include <map>
#include <random>

#include "models/memory_controller/replay.h"
#include "tb/support/catch.h"
#include "tb/support/memory_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

constexpr auto load = AccessClass::load;
constexpr auto writeback = AccessClass::writeback;

}  // namespace

TEST_CASE("a cold read then a hit and a conflict take their hand-worked cycles") {
  MemoryControllerParams params;
  params.interleave =
      Interleave::row_bank_group_column;  // lines 0..127 are one row; the same bank again 2048 lines on
  Bench bench(1, params);
  bench.add({{load, 0, 10}, {load, 128, 100}, {load, 2048 * 128, 200}});
  bench.run();
  const auto& replies = bench.slice[0].replies;
  REQUIRE(replies.size() == 3);
  // Two domains of the same frequency: a request of cycle 10 reaches the controller in cycle 10 or, as its
  // domain may already have run, 11. ACT one cycle later, RD after 12, data after 12 more, one cycle of data.
  const Cycle miss = replies[0].at - 10;
  CHECK(miss >= 26);
  CHECK(miss <= 27);
  CHECK(replies[1].at - 100 == miss - 12);  // no ACT
  CHECK(replies[2].at - 200 == miss + 12);  // PRE first
  // The ledger splits them: queue, conflict tRP, activate tRCD, access tCL, one cycle of data.
  CHECK(bench.spent(replies[0], "memory.activate") == 12);
  CHECK(bench.spent(replies[0], "memory.conflict") == 0);
  CHECK(bench.spent(replies[0], "memory.access") == 12);
  CHECK(bench.spent(replies[0], "memory.bus") == 1);
  CHECK(bench.spent(replies[1], "memory.activate") == 0);
  CHECK(bench.spent(replies[1], "memory.access") == 12);
  CHECK(bench.spent(replies[2], "memory.conflict") == 12);
  CHECK(bench.spent(replies[2], "memory.activate") == 12);
  for (const auto& reply : replies) CHECK(reply.ledger.sum() == reply.at - reply.sent);
  const DramChannelStats& s = bench.channel->core().stats();
  CHECK(s.activates == 2);
  CHECK(s.precharges == 1);
  CHECK(s.read_bursts == 3);
}

TEST_CASE("a fixed latency beyond DRAM delays reads only") {
  MemoryControllerParams params;
  params.extra_latency = 100;
  Bench bench(1, params);
  bench.add({{load, 0, 10}, {load, 128, 11}, {writeback, 256, 500}});
  bench.run();
  const auto& replies = bench.slice[0].replies;
  REQUIRE(replies.size() == 3);
  // As above 26 or 27 cycles, and 100; the second read is of another bank group, its data follow at once or
  // later.
  CHECK(replies[0].at - 10 >= 126);
  CHECK(replies[0].at - 10 <= 127);
  CHECK(replies[1].at - replies[0].at < 26);  // both were in flight at the same time
  CHECK(replies[2].at - 500 <= 2);
  CHECK(bench.spent(replies[0], "memory.access") == 112);
  for (const auto& reply : replies) CHECK(reply.ledger.sum() == reply.at - reply.sent);
}

TEST_CASE("writes are answered on acceptance and reach the channel later") {
  Bench bench(1);
  bench.add({{writeback, 0, 10}, {load, 0, 12}});
  bench.run();
  const auto& replies = bench.slice[0].replies;
  REQUIRE(replies.size() == 2);
  CHECK(replies[0].at - 10 <= 2);
  CHECK(replies[1].at - 12 <= 2);  // the read takes its data from the queued write
  CHECK(bench.spent(replies[1], "memory.queue") == replies[1].ledger.sum());
  CHECK(bench.controller->core().stats().forwarded_reads == 1);
  CHECK(bench.channel->core().stats().write_bursts == 1);
  CHECK(bench.channel->core().stats().read_bursts == 0);
}

TEST_CASE("a full queue holds requests and lets the slices in by turns") {
  MemoryControllerParams params;
  params.read_queue = 4;
  Bench bench(4, params);
  std::vector<Slice::Order> conflicts;  // every line another row of bank 0: tRC = 40 cycles each
  for (int i = 0; i < 20; ++i) conflicts.push_back({load, static_cast<Address>(i) * 128 * 2048, 0});
  for (int s = 0; s < 4; ++s) {
    std::vector<Slice::Order> mine = conflicts;
    for (auto& order : mine) order.line += static_cast<Address>(s) * 128 * 2048 * 64;
    bench.add(mine);
  }
  bench.run();
  Cycle first = never;
  Cycle last = 0;
  for (Slice& slice : bench.slice) {
    CHECK(slice.replies.size() == 20);
    CHECK(slice.held_requests > 10);
    first = std::min(first, slice.replies.back().at);
    last = std::max(last, slice.replies.back().at);
  }
  CHECK(last - first <= 4 * 40);  // no slice is favoured: the last replies of the four follow each other
  CHECK(last >= 79 * 40);         // 80 rows of one bank, tRC apart
  CHECK(last <= 79 * 40 + 40);
  CHECK(bench.controller->core().stats().read_stalls > 40);
}

TEST_CASE("a stream fills the data bus") {
  Bench bench(1);
  std::vector<Slice::Order> stream;
  for (int i = 0; i < 2000; ++i) stream.push_back({load, static_cast<Address>(i) * 128, 0});
  bench.add(stream);
  bench.run();
  REQUIRE(bench.slice[0].replies.size() == 2000);
  // One line a cycle over the bank groups; the first rows of four groups cost a start-up of about 50 cycles.
  CHECK(bench.slice[0].replies.back().at <= 2000 + 160);
  CHECK(bench.controller->core().stats().row_hits >= 1900);
}

TEST_CASE("random traffic of eight slices with slow repliers and another clock loses nothing") {
  MemoryControllerParams params;
  params.write_queue = 8;
  params.read_queue = 8;
  Bench bench(8, params, Hertz(1'400'000'000));
  std::mt19937_64 random(42);
  std::size_t total = 0;
  std::size_t writes = 0;
  for (int s = 0; s < 8; ++s) {
    std::vector<Slice::Order> orders;
    Cycle at = 0;
    for (int i = 0; i < 500; ++i) {
      at += random() % 30;
      const bool write = random() % 3 == 0;
      writes += write ? 1 : 0;
      orders.push_back({write ? writeback : load, (random() % 8192) * 128, at});
    }
    total += orders.size();
    bench.add(orders, static_cast<unsigned>(s) * 5);
  }
  bench.run();
  std::size_t replies = 0;
  for (Slice& slice : bench.slice) {
    replies += slice.replies.size();
    for (const auto& reply : slice.replies) REQUIRE(reply.ledger_at - reply.birth >= reply.ledger.sum());
  }
  CHECK(replies == total);
  const MemoryControllerStats& s = bench.controller->core().stats();
  CHECK(s.accepted == total);
  CHECK(s.writes == writes);
  CHECK(s.reads_finished + s.forwarded_reads == s.reads);
  CHECK(s.writes_finished == s.writes);
  CHECK(bench.channel->core().stats().write_bursts == s.writes);
  CHECK(bench.channel->core().stats().read_bursts == s.reads_finished);
}

TEST_CASE("two bursts a line: one reply with the last") {
  MemoryControllerParams params;
  params.timing.bytes_per_CAS = 64;
  params.timing.nBL = 2;
  Bench bench(1, params);
  bench.add({{load, 0, 10}});
  bench.run();
  REQUIRE(bench.slice[0].replies.size() == 1);
  CHECK(bench.channel->core().stats().read_bursts == 2);
  // ACT 12 RD 2 RD 12 data, 2 cycles of data; one more than a single burst of one cycle, plus tCCDL.
  const Cycle latency = bench.slice[0].replies[0].at - 10;
  CHECK(latency >= 29);
  CHECK(latency <= 30);
}

TEST_CASE("behind its sockets the controller keeps the very cycles of the replayed core") {
  ClockDomain clock("clock", Hertz(924'000'000));
  const auto map = make_address_map(one_channel(1));
  MemoryControllerParams params;
  params.slices = 1;
  params.read_queue = params.write_queue = 8;
  const BuildContext context{clock, *map};
  MemoryController controller("mc", params, context);
  DramChannel channel("ch", DramChannelParams{}, context);
  tb::Checkers checkers;
  REQUIRE(checkers.bind(controller.channel(), channel.controller()));

  // 3000 lines, all different, a third of them writes, with pauses that let the queues run full and empty.
  std::mt19937_64 random(11);
  const DramAddressDecoder decoder(params);
  std::vector<Slice::Order> orders;
  std::vector<ReplayRequest> list;
  Cycle at = 10;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    at += random() % 400 == 0 ? 500 : random() % 5;
    const Address line = (random() % 64 * 4096 + i) * 128;
    const bool write = random() % 3 == 0;
    const DramLocation where = decoder.decode(map->local_line(line));
    orders.push_back({write ? writeback : load, line, at});
    list.push_back({i, at, write, where.bank / 4, where.bank % 4, where.row, where.column});
  }
  Slice slice("slice", clock, orders);
  REQUIRE(checkers.bind(slice.mem, controller.slice(0)));
  sc_core::sc_start();

  const ReplayResult replayed = replay_dram(params, list);
  std::map<Address, Cycle> answered;
  for (const auto& reply : slice.replies) answered[reply.line] = reply.at;
  REQUIRE(answered.size() == orders.size());
  for (std::size_t i = 0; i < orders.size(); ++i) {
    INFO("request " << i << (list[i].write ? " (write)" : " (read)"));
    const ReplayReply& reply = replayed.replies[i];
    // The replies of a slice share one link: a read's may wait a cycle for that of a posted write.
    const Cycle due = list[i].write ? reply.accept + 1 : reply.data_end;
    REQUIRE(answered[orders[i].line] >= due);
    REQUIRE(answered[orders[i].line] <= due + 2);
  }
  CHECK(slice.held_requests > 100);
  CHECK(channel.core().stats().activates == replayed.stats.activates);
  CHECK(channel.core().stats().precharges == replayed.stats.precharges);
  CHECK(controller.core().stats().row_hits == replayed.stats.row_hits);
  CHECK(controller.core().stats().read_latency.total == replayed.stats.read_latency.total);
  CHECK(controller.core().stats().write_drains == replayed.stats.write_drains);
}

TEST_CASE("an external master writes and reads its data back, in memory time") {
  Bench bench(1);
  Master master("master");
  bench.checkers.bind(master.socket, bench.controller->slice(0));
  bench.run();
  CHECK(master.ok);
  const unsigned char expected[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(std::equal(expected, expected + 8, master.read));
  // The write has opened the row: RD one cycle after acceptance, 13 cycles to the end of the data, at 924
  // MHz.
  CHECK(master.read_time > sc_core::sc_time(13.9 / 0.924, sc_core::SC_NS));
  CHECK(master.read_time < sc_core::sc_time(15.1 / 0.924, sc_core::SC_NS));
  CHECK(bench.channel->core().stats().write_bursts == 1);
  CHECK(bench.channel->core().stats().read_bursts == 1);
}

TEST_CASE("transport_dbg reaches the memory image through the controller") {
  Bench bench(1);
  bench.add({});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  tlm::tlm_generic_payload payload;
  unsigned char data[4] = {1, 2, 3, 4};
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(0x1000);
  payload.set_data_ptr(data);
  payload.set_data_length(4);
  CHECK(bench.slice[0].mem.debug(payload) == 4);
  unsigned char read[4] = {};
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_data_ptr(read);
  CHECK(bench.slice[0].mem.debug(payload) == 4);
  CHECK(std::equal(read, read + 4, data));
}

TEST_CASE("a channel with another timing set reports the rule that is broken") {
  MemoryControllerParams params;
  ClockDomain core("core", Hertz(924'000'000));
  const auto map = make_address_map(one_channel(1));
  params.slices = 1;
  params.timing.nRCDRD = 11;  // the controller is a cycle too fast for the channel
  const BuildContext context{core, *map};
  MemoryController controller("mc", params, context);
  DramChannel channel("ch", DramChannelParams{}, context);
  tb::Checkers checkers;
  REQUIRE(checkers.bind(controller.channel(), channel.controller()));
  Slice slice("slice", core, {{load, 0, 10}});
  REQUIRE(checkers.bind(slice.mem, controller.slice(0)));
  std::string message;
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    message = report.get_msg();
  }
  CHECK(message.find("tRCDRD: RD 11 cycles after ACT, at least 12 (RD of bank 0") == 0);
}

// Refresh and atomics behind the sockets. One TEST_CASE = one elaboration = one process.

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
  const_cast<DramChannel&>(*bench.channel).settle(end);
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
