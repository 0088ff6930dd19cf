// The lt L1 between a caller and an LLC that are worked by hand, at 1 GHz: nothing here needs simulated time.
// One TEST_CASE = one process.
#include "models/l1/l1_lt.h"

#include "models/l1/l1_private.h"
#include "models/tlm/txn_pool.h"
#include "tb/support/cache_bench.h"
#include "tb/support/catch.h"
#include "tb/support/ledger_rows.h"

using namespace strata;

namespace {

constexpr auto load = AccessClass::load;

/// Posts accesses and notes what it is told.
class Caller final : public Block, private LtCaller {
 public:
  Caller(sc_core::sc_module_name name, ClockDomain& clock) : Block(name, clock) {}
  struct Told {
    Cycle accepted = 0;  // at once, or `never`
    Cycle done = never;  // at once or later
    bool at_once = false;
    Ledger ledger;
  };
  /// The number of the access.
  std::size_t post(Cycle at, Address line, AccessClass access_class = load) {
    Txn& txn = pool.make(access_class, line, 0xf, at);
    txn.access().cta = static_cast<std::uint32_t>(told.size());
    told.emplace_back();
    const LtAnswer answer = out.post(txn, at);
    Told& entry = told[txn.access().cta];
    entry.accepted = answer.accepted;
    entry.at_once = answer.at_once;
    if (answer.done != never) finish(txn, answer.done);
    return told.size() - 1;
  }
  void advance(Cycle, int) override {}
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  TxnPool pool;
  LtInitiatorPort out{*this, "out", 0, this};
  std::vector<Told> told;
  Cycle accepted_later = never;

 private:
  void answered(Txn& txn, int, const LtAnswer& answer) override { finish(txn, answer.done); }
  void accepted(int, Cycle at) override { accepted_later = at; }
  void finish(Txn& txn, Cycle done) {
    Access& access = txn.access();
    CHECK(access.ledger.mark() == done);
    CHECK(access.ledger.sum() == done - access.birth);
    Told& entry = told[access.cta];
    entry.done = done;
    entry.ledger = access.ledger;
    txn.release();
  }
  tb::NoStats stats_;
};

/// Takes a request every `gap` cycles, or says that nobody knows when (0). Answers within the call where
/// `latency` is not 0, else when it is told to.
class Llc final : public LtBlock {
 public:
  Llc(sc_core::sc_module_name name, ClockDomain& clock) : LtBlock(name, clock) {}
  LtAnswer transport(Txn&, int, Cycle at) override { return {at + 1, never}; }
  LtAnswer post(Txn& txn, int, Cycle at) override {
    arrivals.push_back(at);
    requests.push_back(&txn);
    if (latency != 0) txn.access().ledger.charge_until(place_for(Cause::foreign), at + latency);
    return {gap == 0 ? never : at + gap, latency == 0 ? never : at + latency};
  }
  void answer(std::size_t request, Cycle at) {
    requests[request]->access().ledger.charge_until(place_for(Cause::foreign), at);
    in.answer(*requests[request], {0, at});
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  LtTargetPort in{*this, "in", 0};
  Cycle gap = 1;
  Cycle latency = 0;
  std::vector<Cycle> arrivals;
  std::vector<Txn*> requests;

 private:
  tb::NoStats stats_;
};

struct Bench {
  explicit Bench(const L1PrivateParams& params = {})
      : clock("clock", Hertz(1'000'000'000)),
        map(make_address_map({})),
        sm("sm", clock),
        l1("l1", params, BuildContext{clock, *map}),
        llc("llc", clock) {
    REQUIRE(sm.out.bind_to(l1.sm));
    REQUIRE(l1.noc.bind_to(llc.in));
  }
  void check_end() {
    l1.settle(100'000);
    for (const Fault& fault : l1.check_idle()) FAIL_CHECK(fault.message);
    CHECK(tb::broken_laws(l1.stats()).empty());
    CHECK(sm.pool.in_use() == 0);
  }
  Cycle done(std::size_t access) const { return sm.told[access].done; }
  Cycle spent(std::size_t access, const char* row) const {
    return tb::cycles_at(clock.places(), sm.told[access].ledger, row);
  }

  ClockDomain clock;
  std::unique_ptr<AddressMap> map;
  Caller sm;
  L1Lt<L1Private> l1;
  Llc llc;
};

}  // namespace

TEST_CASE("a miss is posted at once for the cycle in which its link is free") {
  L1PrivateParams params;
  params.miss_queue = 1;
  Bench bench(params);
  bench.llc.gap = 5;
  bench.sm.post(10, 0);
  bench.sm.post(12, 128);
  bench.sm.post(13, 256);
  // The first leaves at 11, the second at 16. The third finds it in the queue, is looked at again at 17 and
  // leaves at 21.
  CHECK(bench.llc.arrivals == std::vector<Cycle>{11, 16, 21});
  CHECK(bench.sm.told[1].accepted == 13);
  CHECK(bench.sm.told[2].accepted == 18);
  CHECK(bench.l1.counters().stall_cycles == 4);
  for (std::size_t i = 0; i < 3; ++i) bench.llc.answer(i, 100 + i);
  CHECK(bench.spent(1, "l1.miss_queue") == 3);
  CHECK(bench.spent(2, "l1.miss_queue") == 4 + 3);  // in front of the queue and in it
  bench.check_end();
}

TEST_CASE("misses wait while nobody knows when their link is free") {
  L1PrivateParams params;
  params.miss_queue = 2;
  Bench bench(params);
  bench.llc.gap = 0;
  for (unsigned i = 0; i < 4; ++i) bench.sm.post(10 + i, i * 128);
  // One is on the link, two in the queue, and the last holds the link of its source.
  CHECK(bench.llc.arrivals == std::vector<Cycle>{11});
  CHECK(bench.sm.told[3].accepted == never);
  bench.llc.gap = 3;
  bench.llc.in.accept(30);
  // 30 and 33; the first departure lets the last access in at 31, and it leaves at 36.
  CHECK(bench.llc.arrivals == std::vector<Cycle>{11, 30, 33, 36});
  CHECK(bench.sm.accepted_later == 32);
  for (std::size_t i = 0; i < 4; ++i) bench.llc.answer(i, 100);
  CHECK(bench.spent(3, "l1.miss_queue") == 18 + 4);
  bench.check_end();
}

TEST_CASE("late answers go back one a cycle, whatever they wait for") {
  Bench bench;
  bench.sm.post(10, 0);
  bench.sm.post(11, 0);
  bench.sm.post(12, 128);
  bench.sm.post(13, 256, AccessClass::store);
  for (std::size_t i = 0; i < 3; ++i) bench.llc.answer(i, 100);
  CHECK(bench.done(0) == 101);
  CHECK(bench.done(1) == 102);
  CHECK(bench.done(2) == 103);
  CHECK(bench.done(3) == 104);
  CHECK(bench.spent(1, "l1.merge") == 89);
  CHECK(bench.spent(2, "l1.fill") == 3);
  bench.check_end();
}

TEST_CASE("a fill that is known ahead is waited for until its cycle, then hit") {
  L1PrivateParams params;
  params.merges = 2;
  Bench bench(params);
  bench.sm.post(10, 0);
  bench.llc.answer(0, 100);  // told ahead of its cycle
  CHECK(bench.done(0) == 101);
  bench.sm.post(20, 0);
  CHECK(bench.done(1) == 102);
  bench.sm.post(50, 0);  // no place is left: held until the fill, looked at in the cycle after it
  CHECK(bench.sm.told[2].accepted == 102);
  CHECK(bench.done(2) == 129);
  CHECK_FALSE(bench.sm.told[2].at_once);
  CHECK(bench.spent(2, "l1.full") == 51);
  bench.sm.post(102, 0);
  CHECK(bench.done(3) == 130);
  CHECK(bench.sm.told[3].at_once);
  CHECK(bench.llc.arrivals.size() == 1);
  bench.check_end();
}

TEST_CASE("answers within the call may come in any order") {
  Bench bench;
  bench.llc.latency = 300;
  bench.sm.post(10, 0);
  bench.llc.latency = 50;
  bench.sm.post(11, 128);
  bench.sm.post(12, 0);
  CHECK(bench.done(0) == 312);
  CHECK(bench.done(1) == 63);
  CHECK(bench.done(2) == 313);
  bench.sm.post(63, 128);
  CHECK(bench.sm.told[3].at_once);
  bench.sm.post(64, 0);  // still on its way
  CHECK(bench.done(4) == 314);
  bench.check_end();
}

TEST_CASE("an answer that its source has run past is seen late") {
  Bench bench;
  bench.sm.post(10, 0);
  bench.sm.post(50, 0);  // merges, as nobody knows yet that the line comes at 40
  bench.llc.answer(0, 40);
  CHECK(bench.done(0) == 41);
  CHECK(bench.done(1) == 51);
  bench.sm.post(51, 0);
  CHECK(bench.sm.told[2].at_once);
  bench.check_end();
}

TEST_CASE("a flush keeps no line, nor one that is known to come") {
  struct Done final : LineFlushDoneIf {
    void lines_flushed(int id) override { ids.push_back(id); }
    std::vector<int> ids;
  } done;
  Bench bench;
  bench.sm.post(10, 0);
  bench.llc.answer(0, 100);
  bench.l1.flush.exported()->begin_flush(done, 3);  // in cycle 0: its source is ahead
  CHECK(done.ids == std::vector<int>{3});
  CHECK(bench.done(0) == 101);
  bench.sm.post(50, 0);  // must not get what was asked for before
  bench.llc.answer(1, 150);
  CHECK(bench.l1.counters().ordering_bypasses == 1);
  bench.sm.post(200, 0);
  CHECK(bench.llc.arrivals.size() == 3);
  bench.llc.answer(2, 300);
  bench.check_end();
  CHECK(bench.l1.counters().dropped_fills == 1);
  CHECK(bench.l1.state().valid_lines() == 1);
}
