// Cost of one hop: two blocks play ping-pong over a pair of ports, a request and its response a time.
// Arguments of the program choose the way; one process runs one elaboration, hence no Google Benchmark loop
// here.
//   bench_ports [ROUND_TRIPS [taken|done|checked]]
// Prints nanoseconds per round trip. Under `valgrind --tool=callgrind --toggle-collect='*run_simulation*'`
// divide the instructions by the round trips: a round trip is a request hop, a response hop and four wakes of
// the wheel.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include "models/common/stats.h"
#include "models/tlm/ports.h"
#include "models/tlm/protocol_checker.h"
#include "models/tlm/txn_pool.h"

namespace {

using namespace strata;

struct NoStats final : StatSet {
  void for_each_stat(StatVisitor&) const override {}
};

class Ping final : public Block {
 public:
  Ping(sc_core::sc_module_name name, ClockDomain& clock, std::uint64_t count)
      : Block(name, clock), left_(count) {
    book(0);
  }
  void advance(Cycle now, int) override {
    Txn& txn = pool.make(AccessClass::load, 128 * left_, 0xf, now);
    const Accept accept = out.send(txn);
    if (accept.is_done()) finish(txn, accept.at);
  }
  Accept response(Txn& txn, int, Cycle at) override {
    finish(txn, at);
    return Accept::taken(at + 1);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  std::uint64_t left() const { return left_; }

  InitiatorPort out{*this, "out", 0};
  TxnPool pool;

 private:
  void finish(Txn& txn, Cycle at) {
    txn.release();
    if (--left_ != 0) book(at + 1);
  }
  std::uint64_t left_;
  NoStats stats_;
};

class Pong final : public Block {
 public:
  Pong(sc_core::sc_module_name name, ClockDomain& clock, bool at_once)
      : Block(name, clock), at_once_(at_once) {}
  Accept request(Txn& txn, int, Cycle at) override {
    if (at_once_) return Accept::done(at + 1);
    txn_ = &txn;
    book(at + 1);
    return Accept::taken(at + 1);
  }
  void advance(Cycle, int) override { in.respond(*txn_); }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  TargetPort in{*this, "in", 0};

 private:
  bool at_once_;
  Txn* txn_ = nullptr;
  NoStats stats_;
};

__attribute__((noinline)) void run_simulation() {
  sc_core::sc_start();
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 5'000'000;
  const std::string way = argc > 2 ? argv[2] : "taken";
  if (count == 0 || (way != "taken" && way != "done" && way != "checked")) {
    std::fprintf(stderr, "usage: bench_ports [ROUND_TRIPS [taken|done|checked]]\n");
    return 1;
  }
  ClockDomain clock("clock", Hertz(1'400'000'000));
  Ping ping("ping", clock, count);
  Pong pong("pong", clock, way == "done");
  std::unique_ptr<ProtocolChecker> checker;
  if (way == "checked") checker = std::make_unique<ProtocolChecker>("checker");
  if (checker != nullptr ? !ping.out.bind_to(pong.in, *checker) : !ping.out.bind_to(pong.in)) return 1;
  const std::clock_t before = std::clock();
  run_simulation();
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  std::printf("%s: %.1f ns per round trip, %llu wakes\n", way.c_str(),
              1e9 * seconds / static_cast<double>(count), static_cast<unsigned long long>(clock.wakes()));
  return ping.left() == 0 ? 0 : 1;
}
