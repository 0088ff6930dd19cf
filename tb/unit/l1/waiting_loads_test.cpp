// Loads that wait for a line under way without a transaction, beside the same loads with one. One TEST_CASE =
// one elaboration = one process. Clock 1 GHz, LLC 100 cycles.
#include "models/l1/waiting_loads.h"

#include <optional>

#include "models/l1/l1_at.h"
#include "models/l1/l1_private.h"
#include "tb/support/block_bench.h"

using namespace strata;
using strata::tb::Order;

namespace {

constexpr auto reads = AccessClass::load;

/// Does what an SM does: asks the L1 first, and makes a transaction of what that does not take.
class DirectInitiator final : public Block, public WaitingLoadsIf {
 public:
  struct Answer {
    Cycle at = never, sent = never;
    std::optional<WaitedFor> waited;
  };
  DirectInitiator(sc_core::sc_module_name name, ClockDomain& clock, std::vector<Order> orders)
      : Block(name, clock), answers(orders.size()), orders_(std::move(orders)) {
    if (!orders_.empty()) book(orders_[0].at);
  }
  void advance(Cycle now, int) override {
    if (next_ == orders_.size() || out.blocked()) return;
    const Order& order = orders_[next_];
    const Cycle due = std::max(order.at, free_);
    if (due > now) return book(due);
    const std::size_t number = next_++;
    answers[number].sent = now;
    free_ = now + 1;
    if (!goes_directly(number, now)) send(number, now);
    if (next_ < orders_.size() && !out.blocked()) book(std::max(orders_[next_].at, free_));
  }
  void request_unblocked(int, Cycle at) override {
    free_ = at;
    if (next_ < orders_.size()) book(std::max(orders_[next_].at, at));
  }
  Accept response(Txn& txn, int, Cycle at) override {
    answers[txn.access().cta].at = at;
    txn.release();
    return Accept::taken(at + 1);
  }
  void load_answered(int port, const WaitingLoad& load, const WaitedFor& waited, Cycle now) override {
    CHECK(port == 0);
    Answer& answer = answers.at(static_cast<std::size_t>(load.warp) << 8 | load.slot);
    CHECK(answer.at == never);
    CHECK(load.sent == answer.sent);
    answer.at = now;
    answer.waited = waited;
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  InitiatorPort out{*this, "out", 0};
  TxnPool pool{nullptr, true};
  DirectLoadsIf* cache = nullptr;
  std::vector<Answer> answers;

 private:
  bool goes_directly(std::size_t number, Cycle now) {
    const Order& order = orders_[number];
    if (order.access_class != reads || order.bypass_l1) return false;
    const Cycle done = cache->hit_now(order.line, order.chunks, now);
    if (done == never) return false;
    if (done != DirectLoadsIf::under_way) {
      answers[number].at = done;
      return true;
    }
    WaitingLoad waiting;
    waiting.birth = waiting.turn = waiting.sent = now;
    waiting.warp = static_cast<std::uint8_t>(number >> 8);
    waiting.slot = static_cast<std::uint8_t>(number);
    cache->wait_now(waiting, now);
    return true;
  }
  void send(std::size_t number, Cycle now) {
    const Order& order = orders_[number];
    Txn& txn = pool.make(order.access_class, order.line, order.chunks, now);
    copy_identity(Access{}, txn.access());
    txn.access().bypass_l1 = order.bypass_l1;
    txn.access().cta = static_cast<std::uint32_t>(number);
    const Accept accept = out.send(txn);
    if (accept.is_taken()) free_ = std::max(accept.at, now + 1);
    if (!accept.is_done()) return;
    answers[number].at = accept.at;
    txn.release();
  }

  std::vector<Order> orders_;
  std::size_t next_ = 0;
  Cycle free_ = 0;
  tb::NoStats stats_;
};

/// Answers with an error, 100 cycles later.
class FailingTarget final : public Block {
 public:
  FailingTarget(sc_core::sc_module_name name, ClockDomain& clock) : Block(name, clock) {}
  Accept request(Txn& txn, int, Cycle at) override {
    txn_ = &txn;
    book(at + 100);
    return Accept::taken(at + 1);
  }
  void advance(Cycle, int) override {
    txn_->describe();
    txn_->set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    REQUIRE(in.respond(*txn_).is_taken());
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  TargetPort in{*this, "in", 0};

 private:
  Txn* txn_ = nullptr;
  tb::NoStats stats_;
};

/// Two L1s alike, with the same orders: one in front of which all is a transaction, and one asked directly.
struct Pair : tb::BlockBench<L1At<L1Private>> {
  Pair(const std::vector<Order>& orders, const L1PrivateParams& params)
      : BlockBench("l1", "llc", orders, params),
        direct("direct", clock, orders),
        cache("other", params, BuildContext{clock, *map}),
        memory("memory", clock, 100) {
    REQUIRE(direct.out.bind_to(cache.sm));
    REQUIRE(cache.noc.bind_to(memory.in));
    direct.cache = &cache;
  }
  void compare() {
    run();
    for (std::size_t i = 0; i < direct.answers.size(); ++i) {
      INFO("order " << i);
      const auto& answer = direct.answers[i];
      CHECK(answer.at == at(i));
      if (!answer.waited) continue;
      ++waited;
      CHECK(answer.waited->data - answer.sent == spent(i, "l1.merge"));
      CHECK(answer.at - answer.waited->data == spent(i, "l1.fill"));
      CHECK(answer.at - answer.sent == spent(i, "l1.merge") + spent(i, "l1.fill"));
    }
    for (const Fault& fault : cache.check_idle()) FAIL_CHECK(fault.message);
    for (const std::string& law : tb::broken_laws(cache.stats())) FAIL_CHECK(law);
    CHECK(direct.pool.in_use() == 0);
    const L1Stats &one = block.counters(), &other = cache.counters();
    CHECK(other.requests == one.requests);
    CHECK(other.hits == one.hits);
    CHECK(other.merges == one.merges);
    CHECK(other.misses == one.misses);
    CHECK(other.replies == one.replies);
    CHECK(other.fills == one.fills);
    CHECK(other.stall_cycles == one.stall_cycles);
    CHECK(other.merge_limit_stalls == one.merge_limit_stalls);
    CHECK(memory.arrivals.size() == behind.arrivals.size());
  }

  DirectInitiator direct;
  L1At<L1Private> cache;
  tb::DelayTarget memory;
  int waited = 0;
};

}  // namespace

// The first goes for the line: 1 cycle to the link, 100 in the LLC, 1 to the SM. Two wait without a
// transaction. That of another class comes with one, and the load behind it has to stand behind it.
TEST_CASE("loads wait for a line under way behind the access that went for it") {
  Pair pair(
      {{0, reads, 0}, {10, reads, 0}, {12, reads, 0}, {14, AccessClass::instruction, 0}, {16, reads, 0}}, {});
  pair.compare();
  CHECK(pair.waited == 2);
  const Cycle expected[] = {102, 103, 104, 105, 106};
  for (std::size_t i = 0; i < 5; ++i) CHECK(pair.direct.answers[i].at == expected[i]);
  CHECK(pair.direct.answers[1].waited->data == 101);
}

// Three accesses a register: the fourth is held until the fill.
TEST_CASE("loads without a transaction count towards the limit of their register") {
  L1PrivateParams params;
  params.merges = 3;
  Pair pair({{0, reads, 0}, {1, reads, 0}, {2, reads, 0}, {3, reads, 0}, {4, reads, 128}}, params);
  pair.compare();
  CHECK(pair.waited == 2);
  CHECK(pair.cache.counters().merge_limit_stalls == 1);
}

TEST_CASE("loads that waited without a transaction are told of an error") {
  ClockDomain clock("clock", Hertz(1'000'000'000));
  const std::unique_ptr<AddressMap> map = make_address_map({});
  DirectInitiator direct("direct", clock, {{0, reads, 0}, {10, reads, 0}, {11, reads, 0}});
  L1At<L1Private> cache("l1", {}, BuildContext{clock, *map});
  FailingTarget memory("memory", clock);
  REQUIRE(direct.out.bind_to(cache.sm));
  REQUIRE(cache.noc.bind_to(memory.in));
  direct.cache = &cache;
  sc_core::sc_start();
  CHECK(direct.answers[0].at == 102);
  for (const std::size_t i : {1, 2}) {
    CHECK(direct.answers[i].at == 102 + i);
    REQUIRE(direct.answers[i].waited);
    CHECK(direct.answers[i].waited->status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
}

TEST_CASE("no load waits without a transaction where somebody watches accesses") {
  struct Watch final : AccessWatchIf {
    void seen(const Access&, Cycle) override {}
  } watch;
  Pair pair({{0, reads, 0}, {10, reads, 0}}, {});
  pair.cache.watch_accesses(&watch);
  pair.compare();
  CHECK(pair.waited == 0);
}

// Few lines, registers and places, parts of lines, and stores that make fetches stale.
TEST_CASE("random loads are answered alike with and without transactions") {
  std::mt19937_64 random(7);
  std::vector<Order> orders;
  Cycle at = 0;
  for (int i = 0; i < 6000; ++i) {
    Order order{at, reads, 128 * (random() % 12)};
    order.chunks = static_cast<std::uint8_t>(random() % 3 == 0 ? 1 + random() % 15 : 15);
    const auto kind = random() % 40;
    if (kind == 0) order.access_class = AccessClass::store;
    if (kind == 1) order.access_class = AccessClass::atomic;
    if (kind == 2) order.access_class = AccessClass::instruction;
    order.bypass_l1 = kind == 3;
    orders.push_back(order);
    at += random() % 50 == 0 ? random() % 300 : random() % 4;
  }
  L1PrivateParams params;
  params.size.count = 1024;
  params.ways = 2;
  params.mshrs = 5;
  params.merges = 7;
  params.miss_queue = 3;
  params.latency = 9;
  Pair pair(orders, params);
  pair.compare();
  CHECK(pair.waited > 500);
}

TEST_CASE("chains of loads keep their order, and their numbers are used again") {
  WaitingLoads loads;
  const auto named = [](unsigned warp) {
    WaitingLoad load;
    load.warp = static_cast<std::uint8_t>(warp);
    return load;
  };
  Access first, second;
  const auto left = [&] {
    std::string warps;
    loads.follow();
    while (loads.leaving()) warps += std::to_string(loads.take().warp) + " ";
    return warps + "at " + std::to_string(loads.group().waited.data);
  };
  for (int round = 0; round < 3; ++round) {
    LoadChain one, other;
    loads.add(one, named(1));
    loads.add(other, named(2));
    loads.add(one, named(3));
    loads.add(one, named(4));
    CHECK(loads.size() == 4);
    CHECK_FALSE(loads.leads(first));
    loads.came(first, other, {50});
    loads.came(second, one, {60});
    CHECK(loads.leads(first));
    CHECK_FALSE(loads.leads(second));
    CHECK(left() == "2 at 50");
    CHECK(loads.size() == 3);
    CHECK(loads.leads(second));
    CHECK(left() == "1 3 4 at 60");
    CHECK(loads.size() == 0);
    CHECK_FALSE(loads.full());
  }
}
