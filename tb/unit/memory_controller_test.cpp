// The memory controller and its channel behind their sockets. One TEST_CASE = one elaboration = one process.
#include "models/memory_controller/memory_controller.h"

#include <deque>
#include <map>
#include <random>

#include <tlm_utils/simple_initiator_socket.h>

#include "models/dram_channel/dram_channel.h"
#include "models/memory_controller/replay.h"
#include "tb/support/catch.h"
#include "tb/support/checkers.h"

using namespace strata;

namespace {

struct NoStats final : StatSet {
  void for_each_stat(StatVisitor&) const override {}
};

/// Lines of one channel: the address map of a platform with a single controller.
AddressMapParams one_channel(int slices) {
  AddressMapParams params;
  params.channels = 1;
  params.slices_per_channel = slices;
  return params;
}

/// An LLC slice as the controller sees it: sends a list of requests as early as it may, takes replies at
/// random pace.
class Slice final : public Block {
 public:
  struct Order {
    AccessClass access_class;
    Address line;
    Cycle not_before;
  };
  struct Reply {
    Address line;
    AccessClass access_class;
    Cycle sent;
    Cycle at;
    Ledger ledger;
    Cycle birth;
    Cycle ledger_at;
  };

  Slice(sc_core::sc_module_name name, ClockDomain& clock, std::vector<Order> orders, unsigned slowness = 0)
      : Block(name, clock, 2),
        mem(*this, "mem", 0),
        orders_(std::move(orders)),
        slowness_(slowness),
        random_(7) {
    if (!orders_.empty()) book(orders_[0].not_before, 0);
  }

  void advance(Cycle now, int unit) override {
    if (unit == 1) {
      finish(*mem.held(), now);
      mem.accept(now + 1);
      return;
    }
    if (next_ == orders_.size() || mem.blocked()) return;
    if (now < std::max(free_, orders_[next_].not_before))
      return book(std::max(free_, orders_[next_].not_before), 0);
    const Order& order = orders_[next_++];
    Txn& txn = pool.make(order.access_class, order.line, 0xf, ledger_now());
    txn.access().ready = now;
    const Accept accept = mem.send(txn);
    if (accept.is_taken()) request_unblocked(0, accept.at);
    if (accept.is_held()) ++held_requests;
  }
  void request_unblocked(int, Cycle at) override {
    free_ = at;
    if (next_ < orders_.size()) book(std::max(at, orders_[next_].not_before), 0);
  }
  Accept response(Txn& txn, int, Cycle at) override {
    if (slowness_ != 0 && random_() % 2 == 0) {
      book(at + 1 + random_() % slowness_, 1);
      return Accept::held();
    }
    finish(txn, at);
    return Accept::taken(at + 1);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  InitiatorPort mem;
  TxnPool pool;
  std::vector<Reply> replies;
  int held_requests = 0;

 private:
  void finish(Txn& txn, Cycle at) {
    Access& access = txn.access();
    const Cycle ledger = ledger_now();
    CHECK(txn.is_response_ok());
    CHECK(access.ledger.sum() == access.ledger.mark() - access.birth);
    CHECK(access.ledger.mark() <= ledger);
    replies.push_back(
        {access.line, access.access_class, sent(access), at, access.ledger, access.birth, ledger});
    txn.release();
  }
  static Cycle sent(const Access& access) { return access.birth; }

  std::vector<Order> orders_;
  unsigned slowness_;
  std::mt19937_64 random_;
  std::size_t next_ = 0;
  Cycle free_ = 0;
  NoStats stats_;
};

/// Somebody else's master: blocking transport with plain payloads.
class Master final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Master> socket{"socket"};
  unsigned char read[8] = {};
  sc_core::sc_time read_time;
  bool ok = true;

  SC_HAS_PROCESS(Master);
  explicit Master(sc_core::sc_module_name name) : sc_module(name) { SC_THREAD(run); }

 private:
  void run() {
    unsigned char data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    transfer(tlm::TLM_WRITE_COMMAND, data);
    wait(1, sc_core::SC_US);
    const sc_core::sc_time before = sc_core::sc_time_stamp();
    transfer(tlm::TLM_READ_COMMAND, read);
    read_time = sc_core::sc_time_stamp() - before;
  }
  void transfer(tlm::tlm_command command, unsigned char* data) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(0x1008);
    payload.set_data_ptr(data);
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    wait(delay);
    ok = ok && payload.is_response_ok();
  }
};

/// A controller, its channel and some slices, all of one clock unless told otherwise.
struct Bench {
  explicit Bench(int slices, MemoryControllerParams p = {}, Hertz slice_clock = Hertz(924'000'000))
      : core("core", slice_clock),
        dram("dram", Hertz(924'000'000), &core),
        map(make_address_map(one_channel(slices))),
        params(std::move(p)) {
    params.slices = slices;
    const BuildContext context{dram, *map};
    controller = std::make_unique<MemoryController>("mc", params, context);
    DramChannelParams channel_params;
    channel_params.timing_set = params.timing_set;
    channel_params.timing = params.timing;
    channel = std::make_unique<DramChannel>("ch", channel_params, context);
    REQUIRE(checkers.bind(controller->channel(), channel->bus()));
  }
  void add(std::vector<Slice::Order> orders, unsigned slowness = 0) {
    const auto index = slice.size();
    slice.emplace_back(("slice" + std::to_string(index)).c_str(), core, std::move(orders), slowness);
    REQUIRE(checkers.bind(slice.back().mem, controller->slice(static_cast<int>(index))));
  }
  void run() {
    sc_core::sc_start();
    CHECK(controller->check_idle().empty());
    for (Slice& s : slice) CHECK(s.pool.in_use() == 0);
    CHECK(channel->core().stats().illegal_commands == 0);
  }

  ClockDomain core;
  ClockDomain dram;
  tb::Checkers checkers;
  std::unique_ptr<AddressMap> map;
  MemoryControllerParams params;
  std::unique_ptr<MemoryController> controller;
  std::unique_ptr<DramChannel> channel;
  std::deque<Slice> slice;
};

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
  CHECK(replies[0].ledger.cycles(Cause::row_activate) == 12);
  CHECK(replies[0].ledger.cycles(Cause::row_conflict) == 0);
  CHECK(replies[0].ledger.cycles(Cause::dram_access) == 12);
  CHECK(replies[0].ledger.cycles(Cause::dram_bus) == 1);
  CHECK(replies[1].ledger.cycles(Cause::row_activate) == 0);
  CHECK(replies[1].ledger.cycles(Cause::dram_access) == 12);
  CHECK(replies[2].ledger.cycles(Cause::row_conflict) == 12);
  CHECK(replies[2].ledger.cycles(Cause::row_activate) == 12);
  for (const auto& reply : replies) CHECK(reply.ledger.sum() == reply.at - reply.sent);
  const DramChannelStats& s = bench.channel->core().stats();
  CHECK(s.activates == 2);
  CHECK(s.precharges == 1);
  CHECK(s.read_bursts == 3);
}

TEST_CASE("writes are answered on acceptance and reach the channel later") {
  Bench bench(1);
  bench.add({{writeback, 0, 10}, {load, 0, 12}});
  bench.run();
  const auto& replies = bench.slice[0].replies;
  REQUIRE(replies.size() == 2);
  CHECK(replies[0].at - 10 <= 2);
  CHECK(replies[1].at - 12 <= 2);  // the read takes its data from the queued write
  CHECK(replies[1].ledger.cycles(Cause::memory_queue) == replies[1].ledger.sum());
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
  CHECK(last - first <= 4 * 40);  // nobody is favoured: the last replies of the four follow each other
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
  REQUIRE(checkers.bind(controller.channel(), channel.bus()));

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

TEST_CASE("a foreign master writes and reads its data back, in memory time") {
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
  REQUIRE(checkers.bind(controller.channel(), channel.bus()));
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
