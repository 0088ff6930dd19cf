// When the banks of an L1 take accesses, worked by hand, and against a bank-by-bank simulation.
#include "models/l1/l1_banks.h"

#include <array>
#include <random>
#include <set>

#include "models/l1/l1.h"
#include "models/l1/l1_bank_queues.h"
#include "models/l1/l1_private.h"
#include "models/l1/l1_tag_split.h"
#include "tb/support/block_bench.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

L1Banks banks(int count, std::uint64_t bytes, Bytes line = Bytes{128}, int port_cycles = 1) {
  L1PrivateParams params;
  params.banks = count;
  params.bytes_per_cycle.count = bytes;
  params.port_cycles = port_cycles;
  return L1Banks(params, line);
}

}  // namespace

TEST_CASE("an L1 that gives a line a cycle has no banks to look at") {
  CHECK(banks(1, 0).plain());
  CHECK(banks(1, 128).plain());
  CHECK(banks(1, 256).plain());
  CHECK_FALSE(banks(1, 64).plain());
  CHECK_FALSE(banks(4, 128).plain());
}

// Four banks of 32 B: byte 0 to 31 of every 128 lies in bank 0. A line takes all four, for a cycle.
TEST_CASE("accesses to different banks begin together, others one after the other") {
  L1Banks four = banks(4, 128);
  four.occupy(0, 0b0001, 10);
  CHECK(four.free(0x1000, 0b0001) == 11);
  CHECK(four.free(0x1000, 0b0010) == 0);
  four.occupy(0x1000, 0b0110, 10);
  CHECK(four.free(0x2000, 0b1000) == 0);
  CHECK(four.free(0x2000, 0b1100) == 11);
  four.occupy(0x2000, 0b1111, 11);
  CHECK(four.free(0x3000, 0b1000) == 12);
}

// Two banks of 32 B: a line of 128 B takes two words of each, so two cycles; with port_cycles 3, six.
TEST_CASE("a bank gives one word after the other") {
  L1Banks two = banks(2, 64);
  two.occupy(0, 0b1111, 5);
  CHECK(two.free(0, 0b0001) == 7);
  two.occupy(0, 0b0101, 7);  // both in bank 0
  CHECK(two.free(0, 0b0001) == 9);
  CHECK(two.free(0, 0b0010) == 7);
  L1Banks slow = banks(2, 64, Bytes{128}, 3);
  slow.occupy(0, 0b1111, 5);
  CHECK(slow.free(0, 0b0010) == 11);
}

// Two banks that hold lines in turn: half a line takes its bank as long as a whole one.
TEST_CASE("words of a line each are given as a whole") {
  L1Banks lines = banks(2, 256);
  lines.occupy(0, 0b0001, 1);
  CHECK(lines.free(0, 0b1000) == 2);
  CHECK(lines.free(128, 0b1111) == 0);
}

TEST_CASE("banks take what a simulation byte by byte lets them take") {
  const unsigned seed = 20261123;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int n = 0; n < 300; ++n) {
    const int count = 1 << random() % 5;
    const std::uint64_t word = std::uint64_t{32} << random() % 3, line = std::uint64_t{32} << random() % 4;
    const int port_cycles = 1 + static_cast<int>(random() % 3);
    L1Banks tested = banks(count, word * static_cast<unsigned>(count), Bytes{line}, port_cycles);
    if (tested.plain()) continue;
    std::vector<Cycle> free(static_cast<std::size_t>(count));
    Cycle now = 0;
    for (int i = 0; i < 200; ++i, now += random() % 3) {
      const Address at = random() % 64 * line;
      const auto sectors = static_cast<std::uint8_t>(1 + random() % ((1U << line / 32) - 1));
      std::set<std::uint64_t> words;
      for (std::uint64_t byte = 0; byte < line; ++byte)
        if ((sectors >> byte / 32 & 1) != 0) words.insert((at + byte) / word);
      Cycle expected = 0;
      for (const std::uint64_t w : words) expected = std::max(expected, free[w % free.size()]);
      REQUIRE(tested.free(at, sectors) == expected);
      now = std::max(now, expected);
      for (const std::uint64_t w : words) {
        Cycle& its = free[w % free.size()];
        its = std::max(its, now) + static_cast<Cycle>(port_cycles);
      }
      tested.occupy(at, sectors, now);
    }
  }
}

TEST_CASE("banks that do not divide what an L1 gives in a cycle are refused by name") {
  const auto faults = [](auto params, int count, std::uint64_t bytes) {
    params.banks = count;
    params.bytes_per_cycle.count = bytes;
    return params.validate();
  };
  CHECK(faults(L1PrivateParams(), 4, 0).empty());
  CHECK(faults(L1PrivateParams(), 8, 256).empty());
  const Faults three = faults(L1PrivateParams(), 3, 128);
  REQUIRE(three.size() == 1);
  CHECK(three[0].where.file == "banks");
  CHECK_THAT(three[0].message, tb::has_text("is 3, which does not divide $.bytes_per_cycle=128 B") &&
                                   tb::has_text("nearest: 2"));
  const Faults eight = faults(L1TagSplitParams(), 8, 0);
  REQUIRE(eight.size() == 1);
  CHECK_THAT(eight[0].message, tb::has_text("$.line=128 B") && tb::has_text("nearest: 4"));
}

// Requests that wait behind the banks of an L1, worked by hand. One TEST_CASE = one process. Clock 1 GHz, LLC
// 100 cycles.

namespace {

constexpr auto load = AccessClass::load;

// Four banks of 32 B, a miss queue of two.
L1PrivateParams four_banks(int bank_queue) {
  L1PrivateParams params;
  params.banks = 4;
  params.request_bytes.count = 32;
  params.bank_queue = bank_queue;
  params.miss_queue = bank_queue == 0 ? 18 : 2;  // as many places in all
  return params;
}

// Sector `sector` of the line at `line`.
void set(Access& access, Address line, int sector, Cycle ready) {
  access.line = line;
  access.sectors = static_cast<std::uint8_t>(1U << sector);
  access.ready = ready;
}

struct Bench : tb::BlockBench<L1<L1Private>> {
  explicit Bench(const L1PrivateParams& params, bool bypass = false)
      : BlockBench("l1", "llc", {{0, load, 0}, {1, load, 128, 0xf, bypass}, {400, load, 0}}, params) {
    run();
  }
  std::vector<Address> sectors() const {
    std::vector<Address> asked;
    for (const auto& arrival : behind.arrivals) asked.push_back(arrival.line);
    return asked;
  }
};

}  // namespace

TEST_CASE("the lowest bank goes first where the miss queue has room for one") {
  L1BankQueues queues(four_banks(2), Bytes{128});
  AccessFifo miss_queue;
  std::array<Access, 4> a;
  set(a[0], 0, 0, 5);
  set(a[1], 0, 3, 5);
  set(a[2], 128, 3, 6);
  set(a[3], 256, 0, 6);
  for (Access& access : a) queues.push(access);
  CHECK(queues.waiting() == 4);
  CHECK(queues.feed(miss_queue, 4) == 5);  // nothing is ready
  CHECK(queues.feed(miss_queue, 5) == 6);  // one of bank 0, one of bank 3: full
  CHECK(miss_queue.size() == 2);
  CHECK(queues.feed(miss_queue, 6) == 7);
  CHECK(&miss_queue.pop() == &a[0]);
  CHECK(queues.feed(miss_queue, 6) == 7);  // once a cycle
  CHECK(queues.feed(miss_queue, 7) == 8);
  CHECK(&miss_queue.pop() == &a[1]);
  CHECK(&miss_queue.pop() == &a[3]);  // of bank 0, in front of the older one of bank 3
  CHECK(queues.feed(miss_queue, 8) == never);
  CHECK(&miss_queue.pop() == &a[2]);
  CHECK(queues.waiting() == 0);
}

TEST_CASE("an access needs a place behind each of its banks") {
  L1BankQueues queues(four_banks(1), Bytes{128});
  Access access;
  set(access, 128, 2, 5);
  CHECK_FALSE(queues.full(0, 0b1111));
  queues.push(access);
  CHECK(queues.full(0, 0b0100));
  CHECK(queues.full(256, 0b1111));
  CHECK_FALSE(queues.full(256, 0b1011));
  CHECK(L1BankQueues(four_banks(0), Bytes{128}).none());
}

// One MSHR: the load of bank 0 takes it, the store beside it needs none, and the load of bank 2 waits for an
// answer.
TEST_CASE("requests of fetches take MSHRs behind the banks") {
  L1PrivateParams params = four_banks(2);
  params.bank_mshrs = 1;
  L1BankQueues queues(params, Bytes{128});
  AccessFifo miss_queue;
  std::array<Access, 3> a;
  for (int i = 0; i < 3; ++i) {
    set(a[static_cast<std::size_t>(i)], 0, i, 5);
    a[static_cast<std::size_t>(i)].push_route(i == 1 ? L1BankQueues::part : i);
    queues.push(a[static_cast<std::size_t>(i)]);
  }
  CHECK(queues.feed(miss_queue, 5) == 6);
  CHECK(&miss_queue.pop() == &a[0]);
  CHECK(&miss_queue.pop() == &a[1]);
  CHECK(queues.feed(miss_queue, 6) == 7);
  CHECK(miss_queue.empty());
  queues.answered();
  CHECK(queues.feed(miss_queue, 7) == never);
  CHECK(&miss_queue.pop() == &a[2]);
}

TEST_CASE("requests leave in the order of their accesses") {
  Bench bench(four_banks(0));
  CHECK(bench.sectors() == std::vector<Address>{0, 32, 64, 96, 128, 160, 192, 224});
}

// In 1 sectors 0 and 1 of the first line fill the miss queue and the first leaves. From 2 on a place is free
// in each cycle: bank 0 has the second line's sector 0 ready, then bank 1 its sector 1, then banks 2 and 3
// both.
TEST_CASE("a full miss queue takes the sectors of two lines bank by bank") {
  Bench bench(four_banks(4));
  CHECK(bench.sectors() == std::vector<Address>{0, 32, 128, 160, 64, 192, 96, 224});
  for (std::size_t i = 0; i < bench.behind.arrivals.size(); ++i) CHECK(bench.behind.arrivals[i].at == i + 1);
  CHECK(bench.at(2) == 428);  // a hit
  for (const std::string& law : tb::broken_laws(bench.block.stats())) FAIL_CHECK(law);
}

// FillUnits 0 and 1 leave in 1 and 2 and are answered in 101 and 102: what takes their MSHRs leaves a cycle
// later. Bank 0 has the second line's sector 0, and then nothing.
TEST_CASE("while no MSHR is left behind the banks requests wait there") {
  L1PrivateParams params = four_banks(4);
  params.bank_mshrs = 2;
  Bench bench(params);
  CHECK(bench.sectors() == std::vector<Address>{0, 32, 128, 160, 64, 192, 96, 224});
  const std::array<Cycle, 8> expected{1, 2, 102, 103, 203, 204, 304, 305};
  for (std::size_t i = 0; i < 8; ++i) CHECK(bench.behind.arrivals[i].at == expected[i]);
  for (const std::string& law : tb::broken_laws(bench.block.stats())) FAIL_CHECK(law);
}

TEST_CASE("MSHRs behind banks need queues there") {
  L1PrivateParams params = four_banks(0);
  params.bank_mshrs = 512;
  const Faults faults = params.validate();
  REQUIRE(faults.size() == 1);
  CHECK(faults.front().message.find("$.bank_queue=0") != std::string::npos);
}

// With a place a bank the second line is held until the first one's sector 3 has entered the miss queue. In 1
// and 2 banks 0 to 2 empty, in 3 the last: it is looked at before, so that the second line begins in 4.
TEST_CASE("an access waits for places behind its banks") {
  Bench bench(four_banks(1));
  CHECK(bench.sectors() == std::vector<Address>{0, 32, 64, 96, 128, 160, 192, 224});
  CHECK(bench.behind.arrivals[3].at == 4);
  CHECK(bench.behind.arrivals[4].at == 5);
  CHECK(bench.spent(1, "l1.port") == 3);
}

// The first line's sectors are ready in 20; those of the load past the cache leave in 2 to 5.
TEST_CASE("loads past the cache do not wait behind banks") {
  L1PrivateParams params = four_banks(4);
  params.miss_latency = 20;
  Bench bench(params, true);
  CHECK(bench.sectors() == std::vector<Address>{128, 160, 192, 224, 0, 32, 64, 96});
  CHECK(bench.behind.arrivals[0].at == 2);
  CHECK(bench.behind.arrivals[4].at == 20);
}
