// The rule that tries the private mode and keeps what was not slower.
#include "tb/support/catch.h"
#include "tb/support/organization_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

/// Rule `windowed` with a profile and trials of 100 cycles, whose first half is for caches to warm.
struct WindowedBench : OrganizationBench {
  static LlcControlParams params() {
    LlcControlParams params = params_of("adaptive");
    params.rule = LlcControlParams::Rule::windowed;
    params.trial = 100;
    params.window = 10;
    return params;
  }
  WindowedBench() : OrganizationBench(params()) {}
  Organization& adaptive() { return *organization; }
  const LlcChoice& last() { return organization->choices().back(); }
  void advance(std::uint64_t instructions, std::uint64_t accesses, std::uint64_t misses = 0) {
    totals.instructions += instructions;
    totals.accesses[0] += accesses;
    totals.misses[0] += misses;
  }
  /// All clusters load the same line of one slice in each of three windows from `from` on: 12 loads.
  void sweep(Cycle from, int n = 0) {
    for (int s = 0; s < 3; ++s)
      for (int c = 0; c < 4; ++c)
        adaptive().learn(access(line(s, n), c), from + static_cast<Cycle>(s * 10 + c));
  }
  /// The profile of a program whose clusters camp on one slice at a time: 20 instructions and 0.24 requests
  /// per cycle in its second half.
  LlcMode profile() {
    adaptive().kernel_began(0, totals);
    sweep(0);
    adaptive().look(50, totals);
    sweep(50);
    advance(1000, 12);
    return adaptive().look(100, totals);
  }
  /// A trial from cycle 120 on, with these instructions and requests in the 50 cycles of its second half.
  LlcMode trial(std::uint64_t instructions, std::uint64_t accesses) {
    adaptive().changed(LlcMode::private_, 120, totals);
    advance(instructions, accesses);  // it gets no faster
    adaptive().look(170, totals);
    advance(instructions, accesses);
    return adaptive().look(220, totals);
  }
};

}  // namespace

TEST_CASE("windowed: camping and the private tags show in the second half of a profile") {
  WindowedBench bench;
  CHECK(bench.profile() == LlcMode::private_);
  const LlcChoice& choice = bench.last();
  CHECK(choice.why == "trial");
  CHECK(choice.lsps[0] == Approx(1));         // over the whole profile it would be 3
  CHECK(choice.lsps[1] == Approx(4));         // each cluster has a slice
  CHECK(choice.miss_rates[1] == Approx(0));   // what was loaded in the first half is there
  CHECK(choice.bandwidths[0] == Approx(32));  // one slice
  CHECK(choice.bandwidths[1] == Approx(128));
  CHECK(choice.ipcs[0] == Approx(20));
}

TEST_CASE("windowed: no trial where memory queues, the network is idle or memory cannot carry it") {
  WindowedBench bench;
  Organization& adaptive = bench.adaptive();
  adaptive.kernel_began(0, bench.totals);
  CHECK(adaptive.next_look() == 50);
  adaptive.look(50, bench.totals);
  CHECK(adaptive.next_look() == 100);
  // New lines: all private slices miss, the shared ones with the first of four. 12 requests in 50 cycles are
  // 0.24 a cycle, 0.06 misses. One slice gives 0.25.
  bench.sweep(50, 2);
  bench.advance(1000, 12, 3);
  bench.totals.fetches = 14;  // mean of 0 and 14 = 7 > 2 x 56 x 0.06 = 6.72
  CHECK(adaptive.look(100, bench.totals) == LlcMode::shared);
  CHECK(bench.last().why == "memory");
  CHECK(bench.last().miss_rates[0] == Approx(0.25));
  CHECK(bench.last().miss_rates[1] == Approx(1));
  // The next profile has warm tags and counts at once.
  CHECK(adaptive.next_look() == 150);
  bench.sweep(100, 4);
  bench.advance(1000, 12, 3);
  bench.totals.fetches = 0;  // mean 7 again
  adaptive.look(150, bench.totals);
  CHECK(bench.last().why == "memory");
  bench.sweep(150, 6);
  bench.advance(1000, 12, 3);
  adaptive.look(200, bench.totals);
  CHECK(bench.last().why == "bandwidth");  // 20 bytes a cycle at one line a request, 0.24 x 128 = 30.7 now
  CHECK(bench.last().bandwidths[1] == Approx(20));
  bench.sweep(200, 8);
  bench.advance(1000, 6, 3);  // 0.12 a cycle are less than half of 0.25
  adaptive.look(250, bench.totals);
  CHECK(bench.last().why == "network idle");
  CHECK(adaptive.stats().shared_choices == 4);
  CHECK(adaptive.stats().profiles == 5);
}

TEST_CASE("windowed: stores write through") {
  WindowedBench bench;
  Organization& adaptive = bench.adaptive();
  adaptive.kernel_began(0, bench.totals);
  bench.sweep(0);
  adaptive.look(50, bench.totals);
  bench.sweep(50);
  for (int c = 0; c < 4; ++c)
    adaptive.learn(access(OrganizationBench::line(3, 0), c, AccessClass::store), 80);
  bench.advance(1000, 16);
  CHECK(adaptive.look(100, bench.totals) == LlcMode::private_);
  // 4 of 16 requests write a line each: 20 / 0.25 = 80 bytes a cycle, but 16 / 50 x 128 = 41 are enough. Of
  // the 4 windows each has one slice, which gives 32 bytes a cycle: the network is not idle.
  CHECK(bench.last().bandwidths[1] == Approx(80));
  CHECK(bench.last().why == "trial");
}

TEST_CASE("windowed: a trial is kept unless instructions and requests both fall by the margin") {
  // Shared: 1000 instructions and 12 requests in 50 cycles. The margin is 2 %.
  const auto kept = [](std::uint64_t instructions, std::uint64_t accesses) {
    WindowedBench bench;
    bench.profile();
    return bench.trial(instructions, accesses) == LlcMode::private_;
  };
  CHECK(kept(1100, 13));
  CHECK(kept(981, 6));
  CHECK(kept(500, 12));
  CHECK_FALSE(kept(979, 11));
  WindowedBench bench;
  bench.profile();
  bench.trial(1100, 13);
  CHECK(bench.last().why == "kept");
  CHECK(bench.last().ipcs == std::vector<double>{20, 22});
  CHECK(bench.adaptive().next_look() == 1000);  // the epoch
  CHECK(bench.adaptive().look(1000, bench.totals) == LlcMode::shared);
  bench.adaptive().changed(LlcMode::shared, 1040, bench.totals);
  CHECK(bench.adaptive().next_look() == 1090);  // warming
}

TEST_CASE("windowed: a slower trial is judged by shared measurements before and after it") {
  for (const bool slows_down : {false, true}) {
    WindowedBench bench;
    Organization& adaptive = bench.adaptive();
    bench.profile();
    CHECK(bench.trial(800, 10) == LlcMode::shared);  // 16 instead of 20 instructions per cycle
    CHECK(bench.last().why == "slower");
    // Ordered at 100, over at 240, with 1600 instructions, which took the shared LLC 80 cycles: 60 are lost.
    adaptive.changed(LlcMode::shared, 240, bench.totals);
    CHECK(adaptive.next_look() == 290);
    CHECK_FALSE(adaptive.watches());
    adaptive.look(290, bench.totals);
    bench.advance(slows_down ? 500 : 1000, slows_down ? 6 : 12);
    const LlcMode wanted = adaptive.look(340, bench.totals);
    if (slows_down) {  // shared: (20 + 10) / 2 = 15
      CHECK(bench.last().why == "second thoughts");
      CHECK(bench.last().ipcs[0] == Approx(15));
      CHECK(wanted == LlcMode::private_);
      adaptive.changed(LlcMode::private_, 360, bench.totals);
      CHECK(adaptive.next_look() == 1000);
      CHECK(adaptive.stats().failed_trials == 0);
    } else {
      CHECK(bench.last().why == "in vain");
      CHECK(wanted == LlcMode::shared);
      CHECK(adaptive.next_look() == 1000);
      CHECK(adaptive.stats().failed_trials == 1);
      // 32 x 60 cycles without a trial, over kernels' boundaries.
      adaptive.kernel_ended(400);
      adaptive.kernel_began(600, bench.totals);
      CHECK_FALSE(adaptive.watches());
      CHECK(adaptive.next_look() == 1600);
      adaptive.kernel_ended(700);
      adaptive.kernel_began(1500, bench.totals);
      CHECK(adaptive.next_look() == 340 + 1920);
      adaptive.look(2260, bench.totals);
      CHECK(adaptive.watches());
      CHECK(adaptive.next_look() == 2310);
    }
  }
}

TEST_CASE("windowed: a kernel that ends during its trial shows that such kernels are too short") {
  WindowedBench bench;
  Organization& adaptive = bench.adaptive();
  bench.profile();
  adaptive.changed(LlcMode::private_, 120, bench.totals);
  adaptive.kernel_ended(150);
  adaptive.changed(LlcMode::shared, 160, bench.totals);
  CHECK(adaptive.stats().failed_trials == 1);
  adaptive.kernel_began(200, bench.totals);
  CHECK_FALSE(adaptive.watches());
  CHECK(adaptive.next_look() == 200 + 2 * 150);
  adaptive.look(500, bench.totals);
  CHECK(adaptive.watches());
  CHECK(adaptive.next_look() == 550);
}
