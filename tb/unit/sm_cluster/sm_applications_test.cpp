// SMs that are stopped and started again. One TEST_CASE = one elaboration = one process. One SM, one
// warp.
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

/// Stalls the SMs in one cycle, lets them go on in another, and notes when they have come to rest.
class Staller final : public Block, public KernelBoundaryIf {
 public:
  Staller(sc_core::sc_module_name name, ClockDomain& clock, std::vector<std::pair<Cycle, Cycle>> stalls)
      : Block(name, clock, 2), stalls_(std::move(stalls)) {
    for (const auto& [from, until] : stalls_) {
      book(from, 1);
      book(until, 0);
    }
  }
  void advance(Cycle, int unit) override {
    unit == 0 ? sms_->resume_sms(every_application) : sms_->stall_sms(every_application);
  }
  void connect(SmStallIf& sms) override { sms_ = &sms; }
  void kernel_ended(std::uint32_t, KernelBoundaryDoneIf& done, Cycle now) override {
    done.kernel_boundary_done(now);
  }
  void sms_quiesced(Cycle now) override { quiet.push_back(now); }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  bool wants_atomics() const override { return true; }
  void atomics_found(std::uint32_t application, Cycle now) override {
    CHECK(application == 0);
    atomics.push_back(now);
  }
  void kernel_began(std::uint32_t, Cycle now) override { began.push_back(now); }
  bool can_stall() const { return sms_->can_stall(); }
  std::vector<Cycle> quiet, atomics, began;

 private:
  std::vector<std::pair<Cycle, Cycle>> stalls_;
  SmStallIf* sms_ = nullptr;
  tb::NoStats stats_;
};

struct Bench : ClusterBench {
  explicit Bench(std::vector<std::pair<Cycle, Cycle>> stalls) : staller("staller", clock, std::move(stalls)) {
    dispatcher->boundary.bind(staller);
    source.add_kernel(1, 1);
    source.warps = [](auto, auto) -> std::vector<Program> { return {{load(0, 1), load(128, 2)}}; };
  }
  std::uint64_t idle(Idle why) const { return clusters[0]->counters().idle[static_cast<std::size_t>(why)]; }
  Cycle charged(std::size_t request, const char* row) const {
    return tb::cycles_at(clock.places(), target->log[request].access.ledger, row);
  }
  Staller staller;
};

}  // namespace

TEST_CASE("an SM that stands still sends nothing, and its waiting is the reconfiguration's") {
  Bench bench({{1, 20}});
  bench.run();
  CHECK(bench.broken.empty());
  CHECK(bench.staller.can_stall());
  CHECK(bench.staller.quiet == std::vector<Cycle>{2});  // nothing was in flight
  REQUIRE(bench.target->log.size() == 2);
  // The first load issues in 1 and would be sent in 2; cycles 2 to 20 are the stall's. The second issues
  // in 21.
  CHECK(bench.target->log[0].at == 21);
  CHECK(bench.charged(0, "sm.queue") == 1);
  CHECK(bench.charged(0, "sm.reconfiguration") == 19);
  CHECK(bench.charged(0, "target.port") == 0);
  CHECK(bench.target->log[1].at == 22);
  CHECK(bench.charged(1, "sm.queue") == 1);
  CHECK(bench.charged(1, "sm.reconfiguration") == 0);
  CHECK(bench.idle(Idle::stalled) == 2 * 19);  // two schedulers
}

TEST_CASE("a stalled SM takes its answers and then is quiet, and stalls can follow each other at once") {
  // Told to go on in 60 and to stand still again in 60: the first stall goes on.
  Bench bench({{4, 60}, {60, 80}});
  bench.target->hits = [](const Access&) { return false; };
  bench.run();
  CHECK(bench.broken.empty());
  // Loads leave in 2 and 3 and are answered 50 cycles later, in 52 and 53; SMs see answers in the cycle
  // after.
  REQUIRE(bench.target->log.size() == 2);
  CHECK(bench.target->log[1].at == 3);
  REQUIRE(bench.staller.quiet.size() == 2);
  CHECK(bench.staller.quiet[0] == 54);
  CHECK(bench.staller.quiet[1] == 61);
  CHECK(bench.idle(Idle::stalled) == 2 * (81 - 5));
}

TEST_CASE("the first CTA with atomics of a kernel is announced when it starts, before it issues") {
  Bench bench({});
  KernelInfo& kernel = bench.source.add_kernel(40, 1);  // 32 CTAs fit; the others start when some have ended
  CHECK(kernel.id == 1);
  bench.source.add_kernel(1, 1);
  bench.source.warps = [](std::uint32_t which, std::uint64_t cta) -> std::vector<Program> {
    if (which != 1 || cta < 3) return {{load(0, 1)}};
    WarpInstruction atomic = store(256);
    atomic.op = OpClass::atomic;
    return {{atomic}};
  };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(bench.staller.began.size() == 3);
  // Kernel 1 starts a CTA a cycle: the fourth is the first with atomics. The third kernel has none.
  CHECK(bench.staller.atomics == std::vector<Cycle>{bench.staller.began[1] + 3});
  for (const RequestLog& request : bench.target->log)
    if (request.access.access_class == AccessClass::atomic) CHECK(request.at >= bench.staller.atomics[0] + 2);
}
