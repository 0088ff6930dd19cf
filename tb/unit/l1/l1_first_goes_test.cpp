// The load that makes a private L1 fetch goes for the data itself where nobody listens and it asks for the
// whole line: only the transactions may tell. One TEST_CASE = one elaboration = one process. Clock 1 GHz.
#include "models/l1/l1_at.h"
#include "models/l1/l1_private.h"
#include "tb/support/block_bench.h"

using namespace strata;
using strata::tb::Order;

namespace {

constexpr auto load = AccessClass::load;

/// Sends a load a cycle and keeps those that were answered.
class Loads final : public Block {
 public:
  Loads(sc_core::sc_module_name name, ClockDomain& clock, std::vector<Order> orders)
      : Block(name, clock), orders_(std::move(orders)) {
    book(0);
  }
  void advance(Cycle now, int) override {
    const Order& order = orders_[sent.size()];
    Txn& txn = pool.make(load, order.line, order.chunks, ledger_now());
    copy_identity(Access{}, txn.access());
    sent.push_back(&txn);
    REQUIRE(out.send(txn).is_taken());
    if (sent.size() < orders_.size()) book(now + 1);
  }
  Accept response(Txn& txn, int, Cycle at) override {
    answered.push_back(&txn);
    statuses.push_back(txn.get_response_status());
    CHECK(txn.access().ledger.sum() == txn.access().ledger.mark() - txn.access().birth);
    txn.release();
    return Accept::taken(at + 1);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  InitiatorPort out{*this, "out", 0};
  TxnPool pool;
  std::vector<const Txn*> sent, answered;
  std::vector<tlm::tlm_response_status> statuses;

 private:
  std::vector<Order> orders_;
  tb::NoStats stats_;
};

/// Answers each request after 20 cycles.
class Memory final : public Block {
 public:
  Memory(sc_core::sc_module_name name, ClockDomain& clock, tlm::tlm_response_status status)
      : Block(name, clock), status_(status) {}
  Accept request(Txn& txn, int, Cycle at) override {
    seen.push_back(&txn);
    book(at + 20);
    return Accept::taken(at + 1);
  }
  void advance(Cycle, int) override {
    Txn& txn = *seen[answered_++];
    txn.set_response_status(status_);
    REQUIRE(in.respond(txn).is_taken());
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  TargetPort in{*this, "in", 0};
  std::vector<Txn*> seen;

 private:
  tlm::tlm_response_status status_;
  std::size_t answered_ = 0;
  tb::NoStats stats_;
};

struct Direct {
  Direct(std::vector<Order> orders, tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE)
      : loads("loads", clock, std::move(orders)),
        l1("l1", L1PrivateParams{}, BuildContext{clock, *map}),
        memory("llc", clock, status) {
    REQUIRE(loads.out.bind_to(l1.sm));
    REQUIRE(l1.noc.bind_to(memory.in));
    sc_core::sc_start();
    CHECK(loads.pool.in_use() == 0);
    for (const Fault& fault : l1.check_idle()) FAIL_CHECK(fault.message);
    for (const std::string& law : tb::broken_laws(l1.stats())) FAIL_CHECK(law);
  }
  ClockDomain clock{"clock", Hertz(1'000'000'000)};
  std::unique_ptr<AddressMap> map = make_address_map(AddressMapParams{});
  Loads loads;
  L1At<L1Private> l1;
  Memory memory;
};

/// An L1 between scripted ends, with checkers on its bindings or without.
struct Machine {
  Machine(const std::string& name, ClockDomain& clock, const AddressMap& map, tb::Checkers* checkers,
          const std::vector<Order>& orders, const L1PrivateParams& params)
      : front(("front" + name).c_str(), clock, orders, 5),
        l1(("l1" + name).c_str(), params, BuildContext{clock, map}),
        behind(("llc" + name).c_str(), clock, 100, 40) {
    behind.set_place("llc");  // one row for both
    REQUIRE((checkers != nullptr ? checkers->bind(front.out, l1.sm) : front.out.bind_to(l1.sm)));
    REQUIRE((checkers != nullptr ? checkers->bind(l1.noc, behind.in) : l1.noc.bind_to(behind.in)));
  }
  tb::ScriptedInitiator front;
  L1At<L1Private> l1;
  tb::DelayTarget behind;
};

}  // namespace

TEST_CASE("a load of a whole line goes itself, one of a part has it fetched") {
  const Direct bench({{0, load, 0}, {0, load, 0, 0x3}, {0, load, 128, 0x1}});
  REQUIRE(bench.memory.seen.size() == 2);
  CHECK(bench.memory.seen[0] == bench.loads.sent[0]);
  CHECK(bench.memory.seen[1] != bench.loads.sent[2]);
  CHECK(bench.loads.answered == bench.loads.sent);  // those that merged behind the one that went
  CHECK(bench.l1.counters().merges == 1);
}

TEST_CASE("those who wait for a load that fails fail with it") {
  const Direct bench({{0, load, 0}, {0, load, 0}, {0, load, 128, 0x1}, {0, load, 128}},
                     tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.memory.seen.size() == 2);
  CHECK(bench.loads.statuses == std::vector<tlm::tlm_response_status>(4, tlm::TLM_ADDRESS_ERROR_RESPONSE));
}

TEST_CASE("whether a load goes itself changes neither times nor ledgers nor counts") {
  constexpr std::uint64_t seed = 57;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::vector<Order> orders;
  for (int i = 0; i < 10000; ++i) {
    const auto kind = random() % 10;
    Order order{random() % 50 == 0 ? static_cast<Cycle>(i) * 8 : 0, load, random() % 60 * 128};
    if (kind == 0) order.access_class = AccessClass::store;
    if (kind == 1) order.access_class = AccessClass::atomic;
    order.bypass_l1 = kind == 2;
    if (kind == 3) order.chunks = static_cast<std::uint8_t>(1 + random() % 15);
    orders.push_back(order);
  }
  L1PrivateParams params;
  params.size = Bytes(4 * KiB);
  params.ways = 4;
  params.mshrs = 6;
  params.merges = 3;
  params.miss_queue = 4;
  ClockDomain clock{"clock", Hertz(1'000'000'000)};
  const std::unique_ptr<AddressMap> map = make_address_map(AddressMapParams{});
  tb::Checkers checkers;
  const Machine checked("0", clock, *map, &checkers, orders, params);
  const Machine direct("1", clock, *map, nullptr, orders, params);
  sc_core::sc_start();
  REQUIRE(checked.front.answered() == 10000);
  REQUIRE(direct.front.answered() == 10000);
  std::size_t different = 0;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const auto &one = checked.front.answers[i], &other = direct.front.answers[i];
    bool same = one.at == other.at && one.ledger.mark() == other.ledger.mark();
    for (int row = 0; row < clock.places().size(); ++row)
      same = same && one.ledger.cycles(Place(row)) == other.ledger.cycles(Place(row));
    different += same ? 0U : 1U;
  }
  CHECK(different == 0);
  CHECK(direct.l1.counters().merges > 100);
  CHECK(direct.l1.counters().fills == checked.l1.counters().fills);
  CHECK(direct.l1.counters().hits == checked.l1.counters().hits);
  CHECK(direct.behind.arrivals.size() == checked.behind.arrivals.size());
}
