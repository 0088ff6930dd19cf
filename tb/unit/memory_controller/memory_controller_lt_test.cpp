// The lt memory controller between slices that post by hand and its channel, at 924 MHz. One TEST_CASE = one
// process.
#include "models/memory_controller/memory_controller_lt.h"

#include <deque>

#include "models/memory_controller/dram_address_decoder.h"
#include "models/tlm/txn_pool.h"
#include "tb/support/cache_bench.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

constexpr auto load = AccessClass::load;
constexpr auto writeback = AccessClass::writeback;
constexpr auto atomic = AccessClass::atomic;

struct Order {
  Cycle now;  // it is posted
  Cycle at;   // it comes
  int slice;
  AccessClass access_class;
  Address line;
};

/// Posts accesses in their cycles and notes what it is told.
class Slices final : public Block, public LtCaller {
 public:
  Slices(sc_core::sc_module_name name, ClockDomain& clock, int count, std::vector<Order> orders)
      : Block(name, clock), orders_(std::move(orders)), told(orders_.size()) {
    for (int i = 0; i < count; ++i) out.emplace_back(*this, "out", i, this);
    held_.resize(out.size());
    book(orders_.front().now);
  }
  void advance(Cycle now, int) override {
    for (; next_ < orders_.size() && orders_[next_].now == now; ++next_) {
      const Order& order = orders_[next_];
      const auto slice = static_cast<std::size_t>(order.slice);
      Txn& txn = pool.make(order.access_class, order.line, 0xf, order.at);
      txn.access().cta = static_cast<std::uint32_t>(next_);
      const LtAnswer answer = out[slice].post(txn, order.at);
      told[next_].accepted = answer.accepted;
      held_[slice] = next_;
      if (answer.done != never) finish(txn, answer.done);
    }
    if (next_ < orders_.size()) book(orders_[next_].now);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  TxnPool pool;
  std::deque<LtInitiatorPort> out;

 private:
  std::vector<Order> orders_;
  std::size_t next_ = 0;
  std::vector<std::size_t> held_;  // the last of each slice

 public:
  struct Told {
    Cycle accepted = never;
    Cycle done = never;
  };
  std::vector<Told> told;

 private:
  void answered(Txn& txn, int, const LtAnswer& answer) override { finish(txn, answer.done); }
  void accepted(int port, Cycle at) override { told[held_[static_cast<std::size_t>(port)]].accepted = at; }
  void finish(Txn& txn, Cycle done) {
    told[txn.access().cta].done = done;
    txn.release();
  }
  tb::NoStats stats_;
};

/// Default timing: RD to the end of its data takes 13 cycles, reads of a bank are 2 apart, nRCD and nRP 12.
struct Bench {
  static constexpr int slice_count = 8;
  static AddressMapParams one_channel() {
    AddressMapParams params;
    params.channels = 1;
    params.slices_per_channel = slice_count;
    return params;
  }
  explicit Bench(MemoryControllerParams p = {})
      : clock("clock", Hertz(924'000'000)), map(make_address_map(one_channel())), params(std::move(p)) {
    params.slices = slice_count;
  }
  Address line(int bank, std::int64_t row, int column) const {
    const DramAddressDecoder decoder(params);
    for (Address line = 0;; line += 128) {
      const DramLocation at = decoder.decode(index_in_controller(*map, line, 1));
      if (at.bank == bank && at.row == row && at.column == column) return line;
    }
  }
  /// What the slices were told.
  std::vector<Slices::Told> run(std::vector<Order> orders) {
    Slices slices("slices", clock, slice_count, std::move(orders));
    MemoryControllerLt controller("mc", params, BuildContext{clock, *map});
    DramChannelLt channel("channel", {}, BuildContext{clock, *map});
    for (int i = 0; i < slice_count; ++i)
      REQUIRE(slices.out[static_cast<std::size_t>(i)].bind_to(controller.slice(i)));
    REQUIRE(controller.channel().bind_to(channel.controller()));
    sc_core::sc_start();
    CHECK(controller.check_idle().empty());
    CHECK(tb::broken_laws(controller.stats()).empty());
    CHECK(slices.pool.in_use() == 0);
    return slices.told;
  }

  ClockDomain clock;
  std::unique_ptr<AddressMap> map;
  MemoryControllerParams params;
};

}  // namespace

TEST_CASE("a read gets the entry of a planned read that leaves after a write has ended the planning") {
  MemoryControllerParams params;
  params.read_queue = 4;
  params.write_queue = 10;  // a single write ends the planning
  Bench bench(params);
  const auto hit = [&](int column) { return bench.line(0, 5, column); };
  const auto told = bench.run({{10, 10, 0, load, hit(0)},
                               {100, 100, 0, load, hit(1)},
                               {100, 100, 1, load, hit(2)},
                               {100, 100, 2, load, hit(3)},
                               {100, 100, 3, load, hit(4)},
                               {100, 100, 4, load, hit(5)},
                               {100, 100, 5, writeback, bench.line(1, 5, 0)}});
  CHECK(told[0].done == 23 + 13);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(told[1 + i].accepted == 100 + i);
    CHECK(told[1 + i].done == 101 + 2 * i + 13);
  }
  CHECK(told[6].accepted == 104);
  // The first entry is free from 101 on, the first cycle in which nobody else is accepted is 105.
  CHECK(told[5].accepted == 105);
  CHECK(told[5].done == 109 + 13);
}

TEST_CASE("a read whose turn comes before that of an atomic without room does not wait for it") {
  MemoryControllerParams params;
  params.write_queue = 4;
  Bench bench(params);
  // Writes to one bank, so that nothing happens between the commands of the first.
  std::vector<Order> orders;
  for (int i = 0; i < 4; ++i) orders.push_back({10, 10, i, writeback, bench.line(0, 5 + i, 0)});
  orders.push_back({15, 15, 3, writeback, bench.line(0, 9, 0)});
  orders.push_back({26, 26, 5, atomic, bench.line(1, 5, 0)});
  orders.push_back({26, 26, 4, load, bench.line(2, 5, 0)});
  const auto told = bench.run(std::move(orders));
  CHECK(told[4].accepted == 15);  // after the ACT of the first
  CHECK(told[6].accepted == 27);
  CHECK(told[5].accepted > 40);  // the next write leaves
  CHECK(told[5].accepted != never);
}

TEST_CASE("the reply of a planned read and an acknowledgement do not begin in one cycle at one slice") {
  Bench bench;
  const Address read = bench.line(0, 5, 1);
  const Address other = bench.line(4, 5, 0);
  const auto told = bench.run({{10, 10, 0, load, bench.line(0, 5, 0)},
                               {100, 100, 0, load, read},
                               {113, 113, 0, writeback, other},
                               {300, 300, 0, load, bench.line(1, 5, 0)},  // ACT 301, RD 313
                               {325, 325, 0, writeback, other},
                               {500, 500, 0, load, read},
                               {513, 513, 1, writeback, other}});
  CHECK(told[1].done == 114);
  CHECK(told[2].accepted == 113);
  CHECK(told[2].done == 115);
  CHECK(told[3].done == 326);
  CHECK(told[4].done == 327);
  CHECK(told[5].done == 514);
  CHECK(told[6].done == 514);  // another slice
}
