#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tb/support/block_checks.h"
#include "tb/support/cache_bench.h"
#include "tb/support/catch.h"
#include "tb/support/checkers.h"

namespace strata::tb {

/// A block of one target and one initiator socket between an initiator with orders and a target that answers
/// after 100 cycles, called `next`; 1 GHz.
template <class Module>
struct BlockBench {
  template <class Params>
  BlockBench(const char* name, const char* next, std::vector<Order> orders, const Params& params,
             unsigned slowness = 0, unsigned jitter = 0, const AddressMapParams& lines = {})
      : map(make_address_map(lines)),
        front("front", clock, std::move(orders), slowness),
        block(name, params, BuildContext{clock, *map}),
        behind(next, clock, 100, jitter) {
    for (PortBase* port : block.ports()) {
      if (port->role() == PortRole::target) REQUIRE(checkers.bind(front.out, *port));
      if (auto* out = dynamic_cast<InitiatorPort*>(port)) REQUIRE(checkers.bind(*out, behind.in));
    }
  }
  void run() {
    sc_core::sc_start();
    REQUIRE(front.answered() == static_cast<int>(front.answers.size()));
    CHECK(front.pool.in_use() == 0);
    for (const Fault& fault : block.check_idle()) FAIL_CHECK(fault.message);
    for (const std::string& law : broken_laws(block.stats())) FAIL_CHECK(law);
  }
  Cycle at(std::size_t order) const { return front.answers[order].at; }
  Cycle spent(std::size_t order, const char* row) const {
    return cycles_at(clock.places(), front.answers[order].ledger, row);
  }

  ClockDomain clock{"clock", Hertz(1'000'000'000)};
  Checkers checkers;
  std::unique_ptr<AddressMap> map;
  ScriptedInitiator front;
  Module block;
  DelayTarget behind;
};

}  // namespace strata::tb
