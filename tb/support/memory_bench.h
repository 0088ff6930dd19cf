#pragma once

#include <deque>
#include <memory>

#include "models/dram_channel/dram_channel_at.h"
#include "models/memory_controller/memory_controller_at.h"
#include "tb/support/checkers.h"
#include "tb/support/ledger_rows.h"
#include "tb/support/memory_masters.h"

namespace strata::tb {

/// Lines of one channel: the address map of a platform with a single controller.
inline AddressMapParams one_channel(int slices) {
  AddressMapParams params;
  params.channels = 1;
  params.slices_per_channel = slices;
  return params;
}

/// A controller, its channel and some slices, all of one clock unless told otherwise.
struct Bench {
  explicit Bench(int slices, MemoryControllerParams p = {}, Hertz slice_clock = Hertz(924'000'000))
      : core("core", slice_clock),
        dram("dram", Hertz(924'000'000), &core),
        map(make_address_map(one_channel(slices))),
        params(std::move(p)) {
    params.slices = slices;
    const BuildContext context{dram, *map};
    controller = std::make_unique<MemoryControllerAt>("mc", params, context);
    DramChannelParams channel_params;
    channel_params.timing_set = params.timing_set;
    channel_params.timing = params.timing;
    channel = std::make_unique<DramChannelAt>("ch", channel_params, context);
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
  std::unique_ptr<MemoryControllerAt> controller;
  std::unique_ptr<DramChannelAt> channel;
  std::deque<Slice> slice;
};

}  // namespace strata::tb
