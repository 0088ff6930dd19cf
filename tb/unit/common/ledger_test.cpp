#include "models/common/ledger.h"

#include <random>
#include <set>
#include <stdexcept>

#include "models/common/access.h"
#include "models/common/faults.h"
#include "models/common/ledger_totals.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

/// Rows of an example machine; a name that is asked for twice gives the same row.
struct Machine {
  LedgerPlaces places;
  Place queue = places.add("sm", Cause::queue);
  Place port = places.add("l1", Cause::port);
  Place pipeline = places.add("l1", Cause::pipeline);
  Place miss_queue = places.add("l1", Cause::miss_queue);
  Place link = places.add("noc1", Cause::request_link);
  Place access = places.add("memory", Cause::access);
};

Access load_born(Cycle birth) {
  Access access;
  access.birth = birth;
  access.ledger.open(birth);
  return access;
}

/// One row for each cause at enough places.
std::vector<Place> all_rows(LedgerPlaces& places) {
  std::vector<Place> rows;
  for (int i = 0; i < most_places; ++i)
    rows.push_back(places.add("p" + std::to_string(i / cause_count), static_cast<Cause>(i % cause_count)));
  return rows;
}

}  // namespace

TEST_CASE("every cycle is charged to one place") {
  const Machine m;
  Ledger ledger;
  ledger.open(100);
  ledger.charge(m.queue, 103);
  ledger.charge_split(m.pipeline, 28, m.miss_queue, 140);  // 28 of 37 cycles, then 9
  ledger.charge_split(m.link, 10, m.access, 145);          // 5, all below the limit
  CHECK(ledger.cycles(m.queue) == 3);
  CHECK(ledger.cycles(m.pipeline) == 28);
  CHECK(ledger.cycles(m.miss_queue) == 9);
  CHECK(ledger.cycles(m.link) == 5);
  CHECK(ledger.cycles(m.access) == 0);
  CHECK(ledger.sum() == 45);
  CHECK(ledger.mark() == 145);
  ledger.charge_until(m.access, 140);  // charged already
  CHECK(ledger.sum() == 45);
  ledger.open(200);
  CHECK(ledger.sum() == 0);
  CHECK(ledger.cycles(m.pipeline) == 0);
}

TEST_CASE("a request made for an access hands its cycles over") {
  const Machine m;
  Ledger ours, fetch;
  ours.open(10);
  ours.charge(m.pipeline, 12);
  fetch.open(ours.mark());
  fetch.charge(m.link, 20);
  fetch.charge(m.access, 50);
  ours.absorb(fetch);
  CHECK(ours.sum() == 40);
  CHECK(ours.mark() == 50);
  CHECK(ours.cycles(m.pipeline) == 2);
  CHECK(ours.cycles(m.access) == 30);
}

TEST_CASE("the sum is the mark less the birth after any charges, with few places and with all") {
  constexpr std::uint64_t seed = 43;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int run = 0; run < 400; ++run) {
    const bool wide = run % 2 == 1;
    Ledger ledger, fetch;
    if (wide) {
      ledger.widen();
      fetch.widen();
    }
    const auto any = [&] {
      return Place(random() % static_cast<unsigned>(wide ? most_places : usual_places));
    };
    for (int life = 0; life < 2; ++life) {  // what a former access has left does not count
      const Cycle birth = random() % 1'000'000;
      Cycle now = birth;
      ledger.open(birth);
      LedgerSums expected;
      for (int i = 0; i < 50; ++i) {
        const Cycle before = now;
        now += random() % 100;
        const Place first = any();
        if (random() % 2 == 0) {
          ledger.charge(first, now);
          expected.add(first, now - before);
          continue;
        }
        const Cycle limit = random() % 60;
        const Place second = any();
        fetch.open(before);
        fetch.charge_split(first, limit, second, now);
        ledger.absorb(fetch);
        expected.add(first, std::min(limit, now - before));
        expected.add(second, now - before - std::min(limit, now - before));
      }
      REQUIRE(ledger.sum() == now - birth);
      LedgerSums sums;
      REQUIRE(ledger.add_to(sums, now - birth) == now - birth);
      for (int row = 0; row < most_places; ++row) REQUIRE(sums[Place(row)] == expected[Place(row)]);
    }
  }
}

TEST_CASE("sums of many ledgers pass 32 bits") {
  const Machine m;
  LedgerTotals totals, twice;
  Cycle expected = 0;
  for (int i = 0; i < 5; ++i) {  // 5 x 3e9 cycles in one row, with some of other rows
    Access access = load_born(7);
    access.ledger.charge(m.queue, 10);
    access.ledger.charge(m.access, 3'000'000'010);
    CHECK(totals.add(access, 3'000'000'010));
    expected += 3'000'000'000;
  }
  twice += totals;
  twice += totals;
  const LedgerTotals::Sums& loads = totals.groups[LedgerTotals::loads];
  CHECK(loads.cycles[m.access] == expected);
  CHECK(loads.cycles[m.queue] == 15);
  CHECK(loads.latency == expected + 15);
  CHECK(twice.groups[LedgerTotals::loads].cycles[m.access] == 2 * expected);
  CHECK(twice.groups[LedgerTotals::loads].latency == 2 * (expected + 15));
}

TEST_CASE("a hit adds its three places, and all of them when others have cycles") {
  const Machine m;
  LedgerTotals totals;
  Access hit = load_born(100);
  hit.ledger.charge(m.queue, 101);
  hit.ledger.charge(m.port, 104);
  hit.ledger.charge(m.pipeline, 132);
  CHECK(totals.add_hit(hit, 132, m.queue, m.port, m.pipeline));
  Access odd = load_born(200);
  odd.ledger.charge(m.queue, 202);
  odd.ledger.charge(m.access, 210);
  CHECK(totals.add_hit(odd, 210, m.queue, m.port, m.pipeline));
  const LedgerTotals::Sums& loads = totals.groups[LedgerTotals::loads];
  CHECK(loads.count == 2);
  CHECK(loads.latency == 32 + 10);
  CHECK(tb::cycles_by_row(m.places, loads.cycles) ==
        std::map<std::string, std::uint64_t>{
            {"l1.pipeline", 28}, {"l1.port", 3}, {"memory.access", 8}, {"sm.queue", 1 + 2}});
}

TEST_CASE("a ledger whose sum is not its latency is told, whichever way it is added") {
  const Machine m;
  LedgerTotals totals;
  Access access = load_born(100);
  access.ledger.charge(m.queue, 110);
  CHECK_FALSE(totals.add(access, 111));
  CHECK_FALSE(totals.add(access, 109));
  CHECK_FALSE(totals.add_hit(access, 111, m.queue, m.port, m.pipeline));
  CHECK(totals.add(access, 110));
}

TEST_CASE("rows are handed out once, and found by their names") {
  LedgerPlaces places;
  const Place one = places.add("noc1", Cause::request_queue);
  const Place two = places.add("noc2", Cause::request_queue);
  CHECK(one != two);
  CHECK(places.add("noc1", Cause::request_queue) == one);
  CHECK(places.size() == 2);
  CHECK(places.name(two) == "noc2.request_queue");
  CHECK(places.cause(two) == Cause::request_queue);
  CHECK(places.find("noc1.request_queue") == one);
  CHECK_FALSE(places.find("noc1.request_link"));
  CHECK(split_place("noc1.request_queue").place == "noc1");
  CHECK(split_place("noc1.request_queue").cause == "request_queue");
  CHECK(split_place("queue").place.empty());
}

TEST_CASE("rows are printed in the order of the way there and back") {
  LedgerPlaces places;
  const auto names = [&] {
    std::vector<std::string> all;
    for (const Place place : places.on_the_way()) all.push_back(places.name(place));
    return all;
  };
  // Asked for in any order.
  places.add("noc2", Cause::reply_link);
  places.add("sm", Cause::reconfiguration);
  places.add("node", Cause::fill);
  places.add("noc1", Cause::reply_link);
  places.add("noc2", Cause::request_queue);
  places.add("noc2", Cause::request_link);
  places.add("node", Cause::queue);
  places.add("noc1", Cause::request_link);
  places.add("sm", Cause::queue);
  places.add("dut", Cause::queue);
  places.set_way({{"sm", "sm"}, {"noc1", "router"}, {"node", "l1"}, {"noc2", "router"}, {"ch", "channel"}});
  CHECK(names() == std::vector<std::string>{"sm.queue", "noc1.request_link", "node.queue",
                                            "noc2.request_link", "noc2.request_queue", "dut.queue",
                                            "noc2.reply_link", "node.fill", "noc1.reply_link",
                                            "sm.reconfiguration"});
  const std::vector<LedgerPlaces::Stop> stops = places.stops();
  REQUIRE(stops.size() == 5);  // the channel has no row
  CHECK(stops[1].place == "noc1");
  CHECK(stops[1].role == "router");
  CHECK(stops[4].place == "dut");
  CHECK(stops[4].role.empty());
}

TEST_CASE("a ledger has 64 rows and says what has them when there are more") {
  LedgerPlaces places;
  const std::vector<Place> rows = all_rows(places);
  CHECK(std::set<Place>(rows.begin(), rows.end()).size() == most_places);
  CHECK(places.size() == most_places);
  CHECK(places.add("p0", Cause::queue) == *places.find("p0.queue"));  // not a new one
  CHECK_THROWS_WITH(
      places.add("noc9", Cause::request_queue),
      "ledger_place: no row is left in the ledger for noc9.request_queue; all places together have "
      "at most 64, each one for each of its causes. Places so far: p0, p1, p2; give blocks of a "
      "kind the same place");
}

TEST_CASE("every cause has its own name and a sentence") {
  std::set<std::string_view> names;
  for (int i = 0; i < cause_count; ++i) {
    const auto cause = static_cast<Cause>(i);
    names.insert(to_text(cause));
    CHECK_FALSE(sentence(cause).empty());
    CHECK(cause_called(to_text(cause)) == cause);
  }
  CHECK(names.size() == static_cast<std::size_t>(cause_count));
  CHECK_FALSE(cause_called("request_queu"));
}

TEST_CASE("an access FIFO keeps order through its links") {
  Access a, b, c;
  AccessFifo fifo;
  CHECK(fifo.empty());
  for (Access* access : {&a, &b, &c}) fifo.push(*access);
  CHECK(fifo.size() == 3);
  CHECK(&fifo.pop() == &a);
  fifo.push_front(a);
  Access& again = fifo.pop();
  CHECK(&again == &a);
  fifo.push(again);
  CHECK(&fifo.pop() == &b);
  CHECK(&fifo.pop() == &c);
  CHECK(&fifo.pop() == &a);
  CHECK(fifo.empty());
  fifo.push_front(b);
  fifo.push(c);
  CHECK(&fifo.pop() == &b);
  CHECK(&fifo.pop() == &c);
}

// The way back of an access: entries are popped in the order opposite to that of their pushing.

TEST_CASE("the way back of 64 hops comes in opposite order, a 65th is refused") {
  Access access;
  for (int hop = 0; hop < max_hops; ++hop) access.push_route(1000 + hop);
  CHECK_THROWS_AS(access.push_route(0), std::length_error);
  for (int hop = max_hops; hop-- > 0;) CHECK(access.pop_route() == 1000 + hop);
  CHECK(access.depth == 0);
}

TEST_CASE("a way that grows and shrinks around the entries near at hand keeps them") {
  Access access;
  for (int hop = 0; hop < near_hops; ++hop) access.push_route(hop);
  access.push_route(77);
  CHECK(access.pop_route() == 77);
  CHECK(access.pop_route() == near_hops - 1);
  access.push_route(88);
  access.push_route(99);
  CHECK(access.pop_route() == 99);
  CHECK(access.pop_route() == 88);
  CHECK(access.pop_route() == near_hops - 2);
}
