// Clock domains: exact conversion between cycles and time, and the wheel. One TEST_CASE = one process.
#include "models/tlm/clock_domain.h"

#include <functional>
#include <random>
#include <set>

#include "models/tlm/block.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

/// Notes when its units are woken and does then what the test says.
class Sleeper final : public Block {
 public:
  struct Wake {
    Cycle cycle;
    int unit;
    bool operator==(const Wake& other) const { return cycle == other.cycle && unit == other.unit; }
  };
  Sleeper(sc_core::sc_module_name name, ClockDomain& clock, int units = 1) : Block(name, clock, units) {}
  void advance(Cycle now, int unit) override {
    CHECK(clock().running());
    CHECK(clock().now() == now);
    CHECK(sc_core::sc_time_stamp().value() == clock().edge(now));
    wakes.push_back({now, unit});
    if (then) then(now, unit);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  using Block::book;
  void doze(Cycle now) { wakes.push_back({now, dozing}); }
  static constexpr int dozing = 100;
  void doze_in(int unit) { visited_by<Sleeper, &Sleeper::doze>(unit); }

  std::vector<Wake> wakes;
  std::function<void(Cycle, int)> then;

 private:
  tb::NoStats stats_;
};

std::ostream& operator<<(std::ostream& out, const Sleeper::Wake& wake) {
  return out << wake.cycle << "/" << wake.unit;
}

using Wide = unsigned __int128;
constexpr std::uint64_t second = 1'000'000'000'000'000;  // femtoseconds

// The definition, in 128 bits: the femtosecond nearest to cycle / frequency, halves up.
std::uint64_t exact_edge(std::uint64_t frequency, Cycle cycle) {
  return static_cast<std::uint64_t>((static_cast<Wide>(cycle) * second * 2 + frequency) / (2 * frequency));
}

void check_conversions(std::uint64_t frequency) {
  INFO("frequency " << frequency << ", seed 7");
  ClockDomain clock("clock", Hertz(frequency));
  std::mt19937_64 random(7);
  int wrong = 0;
  for (int i = 0; i < 20000; ++i) {
    // Up to 4e12 cycles: about an hour at 1 GHz, and within 64 bits of femtoseconds for these clocks.
    const Cycle cycle = i < 5000 ? static_cast<Cycle>(i) : random() % 4'000'000'000'000;
    const std::uint64_t edge = clock.edge(cycle);
    const std::uint64_t next = clock.edge(cycle + 1);
    wrong += edge != exact_edge(frequency, cycle);
    wrong += clock.cycle_before(edge) != cycle;
    wrong += clock.cycle_before(next - 1) != cycle;
    wrong += clock.cycle_before(edge + random() % (next - edge)) != cycle;
    if (cycle > 0) wrong += clock.cycle_before(edge - 1) != cycle - 1;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("edges at 1400 MHz are exact") {
  check_conversions(1'400'000'000);
}
TEST_CASE("edges at 924 MHz are exact") {
  check_conversions(924'000'000);
}
TEST_CASE("edges at 586 MHz are exact") {
  check_conversions(586'000'000);
}
TEST_CASE("edges at 1 GHz are exact") {
  check_conversions(1'000'000'000);
}
TEST_CASE("edges at 1.512345677 GHz, whose pattern is longer than the table, are exact") {
  check_conversions(1'512'345'677);
}

TEST_CASE("edges worked out by hand") {
  // 1400 MHz: 5e6 / 7 = 714285.714... fs, so edges at 714286 (up), 1428571 (down), 2142857 (down), ...,
  // 5000000.
  ClockDomain clock("clock", Hertz(1'400'000'000));
  CHECK(clock.edge(0) == 0);
  CHECK(clock.edge(1) == 714286);
  CHECK(clock.edge(2) == 1428571);
  CHECK(clock.edge(3) == 2142857);
  CHECK(clock.edge(7) == 5000000);
  CHECK(clock.cycle_before(714285) == 0);
  CHECK(clock.cycle_before(714286) == 1);
  CHECK(clock.edge(1'400'000'000) == second);
}

TEST_CASE("an annotated cycle arrives in that cycle, in this domain and in another") {
  ClockDomain core("core", Hertz(1'400'000'000));
  ClockDomain dram("dram", Hertz(924'000'000), &core);
  Sleeper sleeper("sleeper", core);
  std::mt19937_64 random(11);
  int wrong = 0;
  int checked = 0;
  sleeper.then = [&](Cycle now, int) {
    for (int i = 0; i < 20; ++i) {
      const Cycle ahead = i < 10 ? random() % 64 : random() % 100000;
      const sc_core::sc_time delay = core.delay_to(now + ahead);
      wrong += core.arrival(delay) != now + ahead;
      wrong += sc_core::sc_time_stamp().value() + delay.value() != core.edge(now + ahead);
      // Seen from the other clock: its first edge not before that time.
      const Cycle seen = dram.arrival(delay);
      wrong += dram.edge(seen) < core.edge(now + ahead);
      wrong += seen > 0 && dram.edge(seen - 1) >= core.edge(now + ahead);
      wrong += dram.arrival(dram.delay_to(seen)) != seen;
      ++checked;
    }
    // An arrival between two edges is seen at the later one.
    wrong += core.arrival(core.delay_to(now + 3) - sc_core::sc_time::from_value(1000)) != now + 3;
    wrong += core.arrival(core.delay_to(now + 3) + sc_core::sc_time::from_value(1000)) != now + 4;
    wrong += core.arrival(sc_core::SC_ZERO_TIME) != now;
    wrong += core.delay_to(now) != sc_core::SC_ZERO_TIME;
    wrong += now > 0 && core.delay_to(now - 1) != sc_core::SC_ZERO_TIME;
    // Mostly short steps, some long ones: the phase of the clock's pattern must survive both.
    if (now < 300'000'000)
      sleeper.book(now + 1 + random() % 9 + (random() % 20 == 0 ? random() % 2'000'000 : 0));
  };
  sleeper.book(0);
  sc_core::sc_start();
  CHECK(wrong == 0);
  CHECK(checked > 20000);
}

TEST_CASE("cycles cross from clock to clock as their edges do") {
  int wrong = 0;
  int exact = 0;
  std::mt19937_64 random(13);
  const std::uint64_t clocks[] = {1'400'000'000, 924'000'000, 586'000'000, 1'000'000'000, 1'512'345'677};
  int domains = 0;
  for (const std::uint64_t from_frequency : clocks) {
    for (const std::uint64_t to_frequency : clocks) {
      const std::string index = std::to_string(domains++);
      ClockDomain from(("from" + index).c_str(), Hertz(from_frequency));
      ClockDomain to(("to" + index).c_str(), Hertz(to_frequency));
      const CycleRatio ratio{Hertz(from_frequency), Hertz(to_frequency)};
      for (int i = 0; i < 20000; ++i) {
        const Cycle cycle = i < 10000 ? static_cast<Cycle>(i) : random() % 1'000'000'000'000;
        if (!ratio.covers(cycle)) continue;
        ++exact;
        const std::uint64_t edge = from.edge(cycle);
        const Cycle down = to.cycle_before(edge);
        wrong += ratio.down(cycle) != down;
        wrong += ratio.up(cycle) != (to.edge(down) == edge ? down : down + 1);
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(exact > 16 * 10000);  // all but those with the last clock
}

TEST_CASE("what happens in one clock arrives in another in the same cycle, however it is worked out") {
  ClockDomain core("core", Hertz(1'400'000'000));
  ClockDomain dram("dram", Hertz(924'000'000), &core);
  ClockDomain odd("odd", Hertz(1'512'345'677));
  Sleeper core_sleeper("core_sleeper", core);
  Sleeper dram_sleeper("dram_sleeper", dram);
  const std::vector<ClockDomain*> clocks{&core, &dram, &odd};
  std::mt19937_64 random(17);
  int wrong = 0;
  int checked = 0;
  const auto compare = [&] {
    for (const ClockDomain* from : clocks)
      for (const ClockDomain* to : clocks) {
        if (from == to) continue;
        const Cycle now = from->now();
        for (const Cycle at : {now, now + 1, now + random() % 300, now - std::min<Cycle>(now, 5)}) {
          wrong += to->arrival_from(*from, at) != to->arrival(from->delay_to(at));
          ++checked;
        }
      }
    const Cycle cycle = dram.now() + random() % 100;
    wrong += dram.ledger_at(cycle) != core.cycle_before(dram.edge(cycle));
    wrong += dram.ledger_now() != core.cycle_before(sc_core::sc_time_stamp().value());
  };
  const auto run = [&](Sleeper& sleeper, Cycle now) {
    compare();
    if (now < 100'000'000)
      sleeper.book(now + 1 + random() % 9 + (random() % 20 == 0 ? random() % 2'000'000 : 0));
  };
  core_sleeper.then = [&](Cycle now, int) { run(core_sleeper, now); };
  dram_sleeper.then = [&](Cycle now, int) { run(dram_sleeper, now); };
  core_sleeper.book(0);
  dram_sleeper.book(0);
  sc_core::sc_start();
  CHECK(wrong == 0);
  CHECK(checked > 10000);
}

TEST_CASE("units run in the order of joining, once a cycle however often they are booked") {
  ClockDomain clock("clock", Hertz(1'000'000'000));
  Sleeper first("first", clock, 2);
  Sleeper second_block("second", clock);
  std::vector<std::string> order;
  first.then = [&](Cycle, int unit) { order.push_back("first " + std::to_string(unit)); };
  second_block.then = [&](Cycle, int) { order.push_back("second"); };
  second_block.book(5);
  first.book(5, 1);
  first.book(5, 0);
  first.book(5, 1);
  second_block.book(5);
  sc_core::sc_start();
  CHECK(order == std::vector<std::string>{"first 0", "first 1", "second"});
  CHECK(clock.active_cycles() == 1);
  CHECK(clock.wakes() == 3);
}

TEST_CASE("a unit is visited by what it names, others of its block by advance") {
  ClockDomain clock("clock", Hertz(1'000'000'000));
  Sleeper sleeper("sleeper", clock, 3);
  sleeper.doze_in(1);
  for (int unit = 0; unit < 3; ++unit) sleeper.book(4, unit);
  sc_core::sc_start();
  CHECK(sleeper.wakes == std::vector<Sleeper::Wake>{{4, 0}, {4, Sleeper::dozing}, {4, 2}});
}

TEST_CASE("more units than a word has bits run in order") {
  ClockDomain clock("clock", Hertz(1'000'000'000));
  Sleeper sleeper("sleeper", clock, 150);
  std::vector<Sleeper::Wake> expected;
  for (int unit = 149; unit >= 0; unit -= 7) sleeper.book(2, unit);
  for (int unit = 149 % 7; unit < 150; unit += 7) expected.push_back({2, unit});
  sc_core::sc_start();
  CHECK(sleeper.wakes == expected);
}

TEST_CASE("a cycle that has begun cannot be booked any more: the next one is") {
  ClockDomain clock("clock", Hertz(1'000'000'000));
  Sleeper sleeper("sleeper", clock);
  sleeper.then = [&](Cycle now, int) {
    if (now == 10) sleeper.book(10);
    if (now == 11) sleeper.book(3);
  };
  sleeper.book(10);
  sc_core::sc_start();
  CHECK(sleeper.wakes == std::vector<Sleeper::Wake>{{10, 0}, {11, 0}, {12, 0}});
}

TEST_CASE("far wakes come in time, with near ones between them") {
  ClockDomain clock("clock", Hertz(1'400'000'000));
  Sleeper sleeper("sleeper", clock, 2);
  // The ring holds 512 cycles: 511 is near, 512 and later ones are far.
  for (const Cycle cycle : {100'000, 512, 511, 513, 1'000'000, 100'000}) sleeper.book(cycle, 0);
  sleeper.then = [&](Cycle now, int unit) {
    if (now == 511 && unit == 0) sleeper.book(100'000, 1);  // far again
    if (now == 513) sleeper.book(513 + 511, 1);             // the last near one
  };
  sc_core::sc_start();
  CHECK(sleeper.wakes ==
        std::vector<Sleeper::Wake>{
            {511, 0}, {512, 0}, {513, 0}, {1024, 1}, {100'000, 0}, {100'000, 1}, {1'000'000, 0}});
}

TEST_CASE("random bookings wake exactly as a plain set would") {
  const std::uint64_t seed = 13;
  INFO("seed " << seed);
  ClockDomain clock("clock", Hertz(924'000'000));
  Sleeper sleeper("sleeper", clock, 70);
  std::mt19937_64 random(seed);
  std::set<std::pair<Cycle, int>> model;
  std::uint64_t wrong = 0;
  const auto book = [&](Cycle cycle, Cycle earliest) {
    const int unit = static_cast<int>(random() % 70);
    sleeper.book(cycle, unit);
    model.emplace(std::max(cycle, earliest), unit);
  };
  sleeper.then = [&](Cycle now, int unit) {
    wrong += model.empty() || *model.begin() != std::pair<Cycle, int>(now, unit);
    if (!model.empty()) model.erase(model.begin());
    if (sleeper.wakes.size() > 50000) return;
    const Cycle reach = random() % 4 == 0 ? 3000 : random() % 2 == 0 ? 600 : 12;
    if (model.size() < 200) book(now + random() % reach, now + 1);
    if (random() % 2 == 0) book(now + random() % reach, now + 1);
  };
  for (int i = 0; i < 50; ++i) book(random() % 2000, 0);
  sc_core::sc_start();
  CHECK(wrong == 0);
  CHECK(model.empty());
  CHECK(sleeper.wakes.size() > 50000);
  CHECK(clock.idle());
}

TEST_CASE("a unit can be booked from another domain") {
  ClockDomain core("core", Hertz(1'400'000'000));
  ClockDomain dram("dram", Hertz(924'000'000), &core);
  Sleeper sm("sm", core);
  Sleeper bank("bank", dram);
  std::vector<Cycle> ledger;
  sm.then = [&](Cycle now, int) {
    bank.book(0);                    // as soon as possible
    if (now == 100) bank.book(200);  // and later
  };
  bank.then = [&](Cycle, int) { ledger.push_back(dram.ledger_now()); };
  sm.book(100);
  sm.book(0);
  sc_core::sc_start();
  // Edge 100 of the core lies at 71428571 fs, dram edges 65 and 66 at 70346320 and 71428571 fs: the same
  // instant. In the first instant of both clocks and at 71428571 fs the DRAM clock has not run yet: that very
  // edge can react.
  CHECK(bank.wakes == std::vector<Sleeper::Wake>{{0, 0}, {66, 0}, {200, 0}});
  // Edge 200 of the DRAM clock: 216450216 fs = 303.03 cycles of 1400 MHz.
  CHECK(ledger == std::vector<Cycle>{0, 100, 303});
}

TEST_CASE("a domain with nothing booked is idle and costs nothing") {
  ClockDomain busy("busy", Hertz(1'000'000'000));
  ClockDomain quiet("quiet", Hertz(1'000'000'000), &busy);
  Sleeper sleeper("sleeper", busy);
  Sleeper other("other", quiet);
  sleeper.book(1000);
  CHECK_FALSE(busy.idle());
  CHECK(quiet.idle());
  sc_core::sc_start();
  CHECK(busy.idle());
  CHECK(busy.active_cycles() == 1);
  CHECK(quiet.active_cycles() == 0);
  CHECK(other.wakes.empty());
}
