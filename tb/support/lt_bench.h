#pragma once

#include <map>
#include <random>
#include <string_view>

#include "models/tlm/at_lt_adapter.h"
#include "tb/support/cache_bench.h"
#include "tb/support/catch.h"
#include "tb/support/checkers.h"

namespace strata::tb {

/// DelayTarget behind b_transport.
class LtDelayTarget final : public LtBlock {
 public:
  LtDelayTarget(sc_core::sc_module_name module_name, ClockDomain& domain, Cycle latency)
      : LtBlock(module_name, domain), latency_(latency) {}
  LtAnswer transport(Txn& txn, int, Cycle at) override {
    Access& access = txn.access();
    arrivals.push_back({at, access.access_class, access.line, access.chunks});
    access.ledger.charge(place_for(Cause::foreign), clock().ledger_at(at + latency_));
    return {at + 1, at + latency_};
  }
  unsigned debug(tlm::tlm_generic_payload& payload, int) override { return payload.get_data_length(); }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  LtTargetPort in{*this, "in", 0};
  std::vector<DelayTarget::Arrival> arrivals;

 private:
  Cycle latency_;
  NoStats stats_;
};

/// Accesses so far apart that one is answered before the next comes; lines from a small range, so that some
/// hit, some are evicted, and all classes meet.
inline std::vector<Order> sparse_orders(std::size_t count, Cycle gap, unsigned lines, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr AccessClass classes[] = {AccessClass::load, AccessClass::load, AccessClass::read_only_load,
                                     AccessClass::store, AccessClass::atomic};
  std::vector<Order> orders;
  for (std::size_t i = 0; i < count; ++i) {
    const AccessClass access_class = classes[random() % 5];
    const bool whole = random() % 2 == 0;
    orders.push_back({i * gap + random() % (gap / 4), access_class, random() % lines * 128,
                      static_cast<std::uint8_t>(whole ? 0xf : 1U << random() % 4), random() % 16 == 0});
  }
  return orders;
}

/// The blocks of the two have names of their own, and so have some of the places.
inline std::map<std::string_view, std::uint64_t> by_cause(const Block& block, const Ledger& ledger) {
  const LedgerPlaces& places = block.clock().places();
  std::map<std::string_view, std::uint64_t> cycles;
  for (const Place place : places.on_the_way()) cycles[to_text(places.cause(place))] += ledger.cycles(place);
  return cycles;
}

/// Same times, same answers at once, same ledgers.
inline void check_same(const ScriptedInitiator& at, const ScriptedInitiator& lt) {
  REQUIRE(at.answered() == static_cast<int>(at.answers.size()));
  REQUIRE(lt.answered() == at.answered());
  for (std::size_t i = 0; i < at.answers.size(); ++i) {
    INFO("access " << i);
    CHECK(at.answers[i].sent == lt.answers[i].sent);
    CHECK(at.answers[i].at == lt.answers[i].at);
    CHECK(at.answers[i].at_once == lt.answers[i].at_once);
    CHECK(by_cause(at, at.answers[i].ledger) == by_cause(lt, lt.answers[i].ledger));
  }
}

/// The same requests in the same order.
inline void check_same(const std::vector<DelayTarget::Arrival>& at,
                       const std::vector<DelayTarget::Arrival>& lt) {
  REQUIRE(at.size() == lt.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    INFO("request " << i);
    CHECK(at[i].access_class == lt[i].access_class);
    CHECK(at[i].line == lt[i].line);
    CHECK(at[i].chunks == lt[i].chunks);
  }
}

/// An initiator in front of an at block and its double in front of the lt block, behind an adapter, with
/// protocol checkers.
struct Twins {
  Twins(std::vector<Order> orders, Hertz memory_clock = Hertz(1'400'000'000))
      : core("core", Hertz(1'400'000'000)),
        memory("memory", memory_clock, &core),
        other(memory_clock.count == core.frequency().count ? core : memory),
        at_master("at_master", core, orders),
        lt_master("lt_master", core, orders),
        adapter("adapter", other) {}  // in the clock of its target, as in platforms
  void bind(PortBase& at_target, PortBase& lt_target) {
    REQUIRE(checkers.bind(at_master.out, at_target));
    REQUIRE(checkers.bind(lt_master.out, adapter.in));
    adapter.out.check_calls();
    REQUIRE(adapter.out.bind_to(lt_target));
  }
  void run() {
    sc_core::sc_start();
    check_same(at_master, lt_master);
    CHECK(adapter.out.violations() == 0);
    CHECK(adapter.check_idle().empty());
  }
  /// Same counters after the same time, all laws, nothing left over.
  void check(Block& at, Block& lt, const std::vector<std::string>& but = {}) {
    at.settle(at.clock().now() + 1'000'000);
    lt.settle(at.clock().now() + 1'000'000);
    auto of_at = counters(at.stats());
    auto of_lt = counters(lt.stats());
    for (const std::string& name : but) of_lt[name] = of_at[name];
    for (const auto& [name, value] : of_at) {
      INFO(at.name() << " " << name);
      CHECK(value == of_lt[name]);
    }
    CHECK(broken_laws(lt.stats()).empty());
    CHECK(lt.check_idle().empty());
    CHECK(lt_master.pool.in_use() == 0);  // what waited for a fill was let go with it
  }

  ClockDomain core;
  ClockDomain memory;
  ClockDomain& other;
  Checkers checkers;
  ScriptedInitiator at_master;
  ScriptedInitiator lt_master;
  AtLtAdapter adapter;
};

}  // namespace strata::tb
