#include "models/common/ledger.h"

#include <random>
#include <set>

#include "models/common/access.h"
#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("every cycle is charged to one cause") {
  Ledger ledger;
  ledger.open(100);
  ledger.charge(Cause::coalescer, 103);
  ledger.charge_split(Cause::l1_pipeline, 28, Cause::l1_miss_queue, 140);     // 28 of 37 cycles, then 9
  ledger.charge_split(Cause::request_router, 10, Cause::request_queue, 145);  // 5, all below the limit
  CHECK(ledger.cycles(Cause::coalescer) == 3);
  CHECK(ledger.cycles(Cause::l1_pipeline) == 28);
  CHECK(ledger.cycles(Cause::l1_miss_queue) == 9);
  CHECK(ledger.cycles(Cause::request_router) == 5);
  CHECK(ledger.cycles(Cause::request_queue) == 0);
  CHECK(ledger.sum() == 45);
  CHECK(ledger.mark() == 145);
}

TEST_CASE("a request made on our behalf hands its cycles over") {
  Ledger ours, fetch;
  ours.open(10);
  ours.charge(Cause::l1_pipeline, 12);
  fetch.open(ours.mark());
  fetch.charge(Cause::request_link, 20);
  fetch.charge(Cause::dram_access, 50);
  ours.absorb(fetch);
  CHECK(ours.sum() == 40);
  CHECK(ours.mark() == 50);
  CHECK(ours.cycles(Cause::l1_pipeline) == 2);
  CHECK(ours.cycles(Cause::dram_access) == 30);
}

TEST_CASE("the sum is the mark less the birth after any charges") {
  constexpr std::uint64_t seed = 43;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int run = 0; run < 200; ++run) {
    Ledger ledger;
    const Cycle birth = random() % 1'000'000;
    Cycle now = birth;
    ledger.open(birth);
    for (int i = 0; i < 50; ++i) {
      now += random() % 100;
      const auto first = static_cast<Cause>(random() % cause_count);
      const auto second = static_cast<Cause>(random() % cause_count);
      if (random() % 2 == 0)
        ledger.charge(first, now);
      else
        ledger.charge_split(first, random() % 60, second, now);
    }
    REQUIRE(ledger.sum() == now - birth);
  }
}

TEST_CASE("every cause has its own name and a sentence") {
  std::set<std::string_view> names;
  for (int i = 0; i < cause_count; ++i) {
    names.insert(to_text(static_cast<Cause>(i)));
    CHECK_FALSE(sentence(static_cast<Cause>(i)).empty());
  }
  CHECK(names.size() == static_cast<std::size_t>(cause_count));
  CHECK(names.count("foreign") == 1);
  CHECK(to_text(Cause::dram_bus) == "dram_bus");
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
