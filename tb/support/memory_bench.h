#pragma once

#include <deque>
#include <memory>
#include <random>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include "models/dram_channel/dram_channel.h"
#include "models/memory_controller/memory_controller.h"
#include "models/tlm/ports.h"
#include "models/tlm/txn_pool.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"
#include "tb/support/checkers.h"

namespace strata::tb {

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

/// A third-party master: blocking transport with plain payloads.
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

/// Lines of one channel: the address map of a platform with a single controller.
inline AddressMapParams one_channel(int slices) {
  AddressMapParams params;
  params.channels = 1;
  params.slices_per_channel = slices;
  return params;
}

/// A controller, its channel and some slices, all of one clock by default.
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
    REQUIRE(checkers.bind(controller->channel(), channel->controller()));
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

  Cycle spent(const Slice::Reply& reply, const char* row) const {
    return cycles_at(core.places(), reply.ledger, row);
  }

  ClockDomain core;
  ClockDomain dram;
  Checkers checkers;
  std::unique_ptr<AddressMap> map;
  MemoryControllerParams params;
  std::unique_ptr<MemoryController> controller;
  std::unique_ptr<DramChannel> channel;
  std::deque<Slice> slice;
};

}  // namespace strata::tb
