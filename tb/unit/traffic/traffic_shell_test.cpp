// The traffic generator behind its sockets. One TEST_CASE = one elaboration = one process. Clock 1 GHz.
#include "models/traffic/traffic_at.h"
#include "tb/support/cache_bench.h"
#include "tb/support/catch.h"
#include "tb/support/checkers.h"
#include "tb/support/ledger_rows.h"

using namespace strata;

namespace {

TrafficParams params_of(double load, int accesses, int outstanding) {
  TrafficParams params;
  params.load = load;
  params.accesses = accesses;
  params.outstanding = outstanding;
  return params;
}

void check_end(const TrafficShell& gen, std::uint64_t accesses) {
  CHECK(gen.finished());
  CHECK(gen.work_done() == accesses);
  CHECK(gen.work_total() == accesses);
  CHECK(gen.counters().sent == accesses);
  for (const Fault& fault : gen.check_idle()) FAIL_CHECK(fault.message);
  for (const std::string& law : tb::broken_laws(gen.stats())) FAIL_CHECK(law);
  std::uint64_t retired = 0;
  for (const LedgerTotals::Sums& sums : gen.ledger()->groups) {
    retired += sums.count;
    std::uint64_t cycles = 0;
    for (const auto& row : tb::cycles_by_row(gen.clock().places(), sums.cycles)) cycles += row.second;
    CHECK(cycles == sums.latency);
  }
  CHECK(retired == accesses);
}

}  // namespace

TEST_CASE("two places, four accesses: sent when a place is free") {
  ClockDomain clock("clock", Hertz(1'000'000'000));
  const auto map = make_address_map({});
  TrafficAt gen("gen", params_of(1.0, 4, 2), {clock, *map});
  tb::DelayTarget target("target", clock, 10);
  tb::Checkers checkers;
  REQUIRE(checkers.bind(gen.port(0), target.in));
  sc_core::sc_start();
  gen.settle(clock.now());
  check_end(gen, 4);
  // They come up in 1, 2, 3, 4. Replies at 11 and 12 free places from 12 and 13 on; the last answer is at 23.
  REQUIRE(target.arrivals.size() == 4);
  CHECK(target.arrivals[0].at == 1);
  CHECK(target.arrivals[1].at == 2);
  CHECK(target.arrivals[2].at == 12);
  CHECK(target.arrivals[3].at == 13);
  CHECK(target.arrivals[0].sectors == 0xf);
  CHECK(gen.end_cycle() == 23);
  CHECK(gen.counters().backlog_cycles == (12 - 3) + (13 - 4));
  CHECK(gen.counters().latency.total == 4 * 10);
  CHECK(gen.counters().port_cycles == 23);
}

TEST_CASE("random generators before slow targets: nothing is lost, the laws hold, no violation") {
  constexpr std::uint64_t seed = 41;
  constexpr int count = 24;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  ClockDomain clock("clock", Hertz(1'400'000'000));
  ClockDomain other("other", Hertz(924'000'000), &clock);
  const auto map = make_address_map({});
  tb::Checkers checkers;
  std::vector<std::unique_ptr<TrafficAt>> gens;
  std::vector<std::unique_ptr<tb::DelayTarget>> targets;
  std::vector<TrafficParams> params;
  for (int i = 0; i < count; ++i) {
    TrafficParams p = params_of(static_cast<double>(random() % 100 + 1) / 100,
                                static_cast<int>(random() % 400) + 1, static_cast<int>(random() % 40) + 1);
    p.ports = static_cast<int>(random() % 3) + 1;
    p.place = random() % 2 == 0 ? TrafficPlace::sm : TrafficPlace::l1;
    p.pattern = static_cast<TrafficPattern>(random() % 3);
    params.push_back(p);
    const std::string name = "gen_" + std::to_string(i);
    gens.push_back(std::make_unique<TrafficAt>(name.c_str(), p, BuildContext{clock, *map, i, count, seed}));
    for (int port = 0; port < p.ports; ++port) {
      const std::string at = "target_" + std::to_string(i) + "_" + std::to_string(port);
      targets.push_back(std::make_unique<tb::DelayTarget>(at.c_str(), random() % 2 == 0 ? clock : other,
                                                          random() % 50 + 1,
                                                          static_cast<unsigned>(random() % 20), random()));
      REQUIRE(checkers.bind(gens.back()->port(port), targets.back()->in));
    }
  }
  sc_core::sc_start();
  std::size_t arrived = 0, sent = 0;
  for (int i = 0; i < count; ++i) {
    INFO("generator " << i);
    TrafficAt& gen = *gens[static_cast<std::size_t>(i)];
    const TrafficParams& p = params[static_cast<std::size_t>(i)];
    gen.settle(clock.now());
    check_end(gen, static_cast<std::uint64_t>(p.accesses) * static_cast<std::uint64_t>(p.ports));
    CHECK(gen.end_cycle() <= clock.now());
    sent += static_cast<std::size_t>(p.accesses * p.ports);
  }
  for (const auto& target : targets) arrived += target->arrivals.size();
  CHECK(arrived == sent);
}

TEST_CASE("an error response is an error of the model") {
  struct Refuses final : Block {
    using Block::Block;
    Accept request(Txn& txn, int, Cycle at) override {
      txn.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return Accept::done(at + 2);
    }
    void advance(Cycle, int) override {}
    const StatSet& stats() const override { return none; }
    void reset_stats() override {}
    tb::NoStats none;
    TargetPort in{*this, "in", 0};
  };
  ClockDomain clock("clock", Hertz(1'000'000'000));
  const auto map = make_address_map({});
  TrafficAt gen("gen", params_of(1.0, 1, 1), {clock, *map});
  Refuses target("target", clock);
  REQUIRE(gen.port(0).bind_to(target.in));
  CHECK_THROWS_AS(sc_core::sc_start(), sc_core::sc_report);
}
