// Requests that wait behind the banks of an L1, worked by hand. One TEST_CASE = one process. Clock 1 GHz, LLC
// 100 cycles.
#include "models/l1/l1_bank_queues.h"

#include <array>

#include "models/l1/l1.h"
#include "models/l1/l1_private.h"
#include "tb/support/block_bench.h"

using namespace strata;

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
