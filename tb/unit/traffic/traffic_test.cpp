// What a traffic generator sends and when it may: no SystemC.
#include "models/traffic/traffic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "models/traffic/traffic_core.h"
#include "tb/support/block_checks.h"
#include "tb/support/cache_bench.h"
#include "tb/support/catch.h"
#include "tb/support/checkers.h"

using namespace strata;

namespace {

TrafficParams params_of(double load, int accesses, int outstanding) {
  TrafficParams params;
  params.load = load;
  params.accesses = accesses;
  params.outstanding = outstanding;
  params.loads = 1;
  return params;
}

/// Cycles in which the accesses of port 0 come up: nothing stands in their way.
std::vector<Cycle> arrivals(double load, int accesses, std::uint64_t seed, const char* name = "gen") {
  TrafficCore core(params_of(load, accesses, accesses), seed, name, 0, 1);
  std::vector<Cycle> cycles;
  while (!core.all_sent(0)) {
    cycles.push_back(core.due(0));
    core.send(0, cycles.back());
  }
  return cycles;
}

std::vector<Address> lines(TrafficParams params, int first_port, int all_ports, int port, int count) {
  params.accesses = params.outstanding = count;
  params.load = 1;
  TrafficCore core(params, 1, "gen", first_port, all_ports);
  std::vector<Address> found;
  for (int i = 0; i < count; ++i) found.push_back(core.send(port, core.due(port)).line);
  return found;
}

}  // namespace

TEST_CASE("an access that finds no place waits in the backlog") {
  TrafficCore core(params_of(1.0, 3, 1), 1, "gen", 0, 1);
  CHECK_FALSE(core.may_send(0, 0));  // load 1: accesses come up in cycles 1, 2 and 3
  REQUIRE(core.due(0) == 1);
  REQUIRE(core.may_send(0, 1));
  core.send(0, 1);
  CHECK(core.due(0) == never);  // the only place is taken
  core.settle(3);
  CHECK(core.stats().offered == 3);
  CHECK(core.stats().backlog == 2);
  CHECK(core.stats().port_cycles == 3);
  core.answer(0, 5, false);
  CHECK(core.due(0) == 6);  // a place is free in the cycle after the answer
  core.take_replies(0, 5);
  CHECK_FALSE(core.may_send(0, 5));
  core.take_replies(0, 6);
  REQUIRE(core.may_send(0, 6));
  core.send(0, 6);
  core.answer(0, 10, true);
  core.take_replies(0, 11);
  core.send(0, 11);
  CHECK(core.stats().backlog_cycles == (6 - 2) + (11 - 3));
  CHECK_FALSE(core.finished());
  core.answer(0, 20, false);
  CHECK(core.due(0) == 21);  // nothing is left to send: to take in the last answer
  core.take_replies(0, 21);
  CHECK(core.finished());
  CHECK(core.end_cycle() == 20);
  core.settle(50);
  CHECK(core.stats().port_cycles == 20);
  CHECK(core.stats().offered == 3);
  CHECK(core.stats().answered_at_once == 1);
  CHECK(core.stats().round_trips == 2);
}

TEST_CASE("no load, no traffic") {
  TrafficCore core(params_of(0.0, 3, 1), 1, "gen", 0, 1);
  CHECK(core.finished());
  CHECK(core.total() == 0);
  CHECK(core.due(0) == never);
}

TEST_CASE("gaps are geometric") {
  for (const double load : {0.01, 0.2, 0.7}) {  // at 0.01 every second gap is longer than the table
    constexpr std::uint64_t seed = 11;
    constexpr int count = 100'000;
    CAPTURE(load, seed);
    const std::vector<Cycle> cycles = arrivals(load, count, seed);
    // The mean gap is 1 / load with a variance of (1 - load) / load^2; four deviations of the sum.
    const double off = 4 * std::sqrt(count * (1 - load)) / load;
    CHECK(std::abs(static_cast<double>(cycles.back()) - count / load) < off);
    // Gaps longer than k have the share (1 - load)^k.
    for (const int k : {1, 2, 5, 64, 100}) {
      double longer = 0;
      for (std::size_t i = 1; i < cycles.size(); ++i)
        if (cycles[i] - cycles[i - 1] > static_cast<Cycle>(k)) ++longer;
      const double share = std::pow(1 - load, k);
      CAPTURE(k);
      CHECK(std::abs(longer - count * share) <= 4 * std::sqrt(count * share * (1 - share)) + 1);
    }
  }
}

TEST_CASE("the table of gaps is a search among the chances of longer ones") {
  constexpr std::uint64_t seed = 17;
  CAPTURE(seed);
  for (const double load : {0.0005, 0.02, 0.3, 0.5, 0.999, 1.0}) {
    CAPTURE(load);
    std::vector<std::uint64_t> longer;
    for (double chance = 1 - load; longer.size() < 64; chance *= 1 - load)
      longer.push_back(RandomStream::threshold(chance));
    const GapTable table(load);
    RandomStream drawn(seed), searched(seed);
    for (int i = 0; i < 10'000; ++i) {
      Cycle gap = 1;
      for (;;) {
        const auto end = std::lower_bound(longer.begin(), longer.end(), searched.next53(), std::greater<>());
        gap += static_cast<Cycle>(end - longer.begin());
        if (end != longer.end()) break;
      }
      REQUIRE(table.draw(drawn) == gap);
    }
  }
}

TEST_CASE("streams depend on seeds, name and port, and on nothing else") {
  const auto first = arrivals(0.3, 50, 1);
  CHECK(first == arrivals(0.3, 50, 1));
  CHECK(first != arrivals(0.3, 50, 2));
  CHECK(first != arrivals(0.3, 50, 1, "other"));
  TrafficParams params = params_of(0.3, 50, 50);
  params.ports = 2;
  CHECK(lines(params, 0, 2, 0, 20) != lines(params, 0, 2, 1, 20));
  const auto before = lines(params, 0, 2, 1, 20);
  params.seed = 2;
  CHECK(lines(params, 0, 2, 1, 20) != before);
}

TEST_CASE("lines of a stride are those of a walk") {
  TrafficParams params;
  params.pattern = TrafficPattern::stride;
  params.footprint = Bytes(16 * 128);
  params.stride = Bytes(3 * 128);
  params.ports = 2;
  // 16 lines and 4 ports in all: port 1 of the second generator is the last and starts at line 12.
  CHECK(lines(params, 2, 4, 1, 4) == std::vector<Address>{12 * 128, 15 * 128, 2 * 128, 5 * 128});
  CHECK(lines(params, 2, 4, 0, 3) == std::vector<Address>{8 * 128, 11 * 128, 14 * 128});
}

TEST_CASE("hot lines get their share, uniform lines are all reached") {
  TrafficParams params;
  params.footprint = Bytes(64 * 128);
  const auto uniform = lines(params, 0, 1, 0, 2000);
  CHECK(std::set<Address>(uniform.begin(), uniform.end()).size() == 64);
  CHECK(*std::max_element(uniform.begin(), uniform.end()) == 63 * 128);
  params.pattern = TrafficPattern::hot;
  params.hot_lines = 2;
  params.hot_share = 0.75;
  int hot = 0;
  for (const Address line : lines(params, 0, 1, 0, 10'000)) hot += line < 2 * 128 ? 1 : 0;
  // 0.75 + 0.25 * 2 / 64 = 0.758 of 10 000, standard deviation 43.
  CHECK(std::abs(hot - 7578) < 4 * 43);
}

TEST_CASE("classes get their shares") {
  TrafficParams params = params_of(1.0, 10'000, 10'000);
  params.loads = 0.6;
  params.read_only = 0.25;
  TrafficCore core(params, 3, "gen", 0, 1);
  while (!core.all_sent(0)) core.send(0, core.due(0));
  const TrafficStats& stats = core.stats();
  CHECK(stats.loads + stats.read_only_loads + stats.stores == 10'000);
  CHECK(std::abs(static_cast<int>(stats.stores) - 4000) < 4 * 49);           // deviation sqrt(.6 * .4 * 1e4)
  CHECK(std::abs(static_cast<int>(stats.read_only_loads) - 1500) < 4 * 36);  // 0.6 * 0.25
  params.loads = 1;
  params.read_only = 1;
  params.accesses = 100;
  TrafficCore all(params, 3, "gen", 0, 1);
  while (!all.all_sent(0)) all.send(0, all.due(0));
  CHECK(all.stats().read_only_loads == 100);
}

TEST_CASE("reset keeps accesses in flight") {
  TrafficCore core(params_of(1.0, 10, 2), 1, "gen", 0, 1);
  core.send(0, 1);
  core.send(0, 2);
  core.answer(0, 3, false);
  core.reset_stats(4);  // the first is answered; the second open; those of cycles 3 and 4 wait
  CHECK(core.stats().sent == 1);
  CHECK(core.stats().in_flight == 1);
  CHECK(core.stats().backlog == 2);
  CHECK(core.stats().offered == 3);
  CHECK(core.stats().round_trips == 0);
}

TEST_CASE("faults that ranges do not show") {
  TrafficParams params;
  CHECK(params.validate().empty());
  params.pattern = TrafficPattern::hot;
  params.footprint = Bytes(1000);
  params.hot_lines = 8;
  CHECK(params.validate().size() == 2);  // no whole lines; 7 lines only
  params.pattern = TrafficPattern::stride;
  params.footprint = Bytes(1024);
  params.stride = Bytes(64);
  REQUIRE(params.validate().size() == 1);
  CHECK(params.validate()[0].where.file == "stride");
}

// The traffic generator behind its sockets. One TEST_CASE = one elaboration = one process. Clock 1 GHz.

namespace {

TrafficParams shell_params(double load, int accesses, int outstanding) {
  TrafficParams params;
  params.load = load;
  params.accesses = accesses;
  params.outstanding = outstanding;
  return params;
}

void check_end(const Traffic& gen, std::uint64_t accesses) {
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
  Traffic gen("gen", shell_params(1.0, 4, 2), {clock, *map});
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
  std::vector<std::unique_ptr<Traffic>> gens;
  std::vector<std::unique_ptr<tb::DelayTarget>> targets;
  std::vector<TrafficParams> params;
  for (int i = 0; i < count; ++i) {
    TrafficParams p = shell_params(static_cast<double>(random() % 100 + 1) / 100,
                                   static_cast<int>(random() % 400) + 1, static_cast<int>(random() % 40) + 1);
    p.ports = static_cast<int>(random() % 3) + 1;
    p.place = random() % 2 == 0 ? TrafficPlace::sm : TrafficPlace::l1;
    p.pattern = static_cast<TrafficPattern>(random() % 3);
    params.push_back(p);
    const std::string name = "gen_" + std::to_string(i);
    gens.push_back(std::make_unique<Traffic>(name.c_str(), p, BuildContext{clock, *map, i, count, seed}));
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
    Traffic& gen = *gens[static_cast<std::size_t>(i)];
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
  Traffic gen("gen", shell_params(1.0, 1, 1), {clock, *map});
  Refuses target("target", clock);
  REQUIRE(gen.port(0).bind_to(target.in));
  CHECK_THROWS_AS(sc_core::sc_start(), sc_core::sc_report);
}
