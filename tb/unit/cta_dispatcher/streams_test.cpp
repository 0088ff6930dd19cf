// Kernels of several streams: who begins when, whose CTAs go first, what ends a kernel beside others.
// One SM, hits of 10 cycles: a CTA that is launched in cycle c sends its load in c + 2, its alu issues in c +
// 13 and ends it, and the dispatcher sees that in c + 14.
#include "models/common/streams.h"

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

std::vector<Program> load_and_use(std::uint32_t kernel, std::uint64_t cta) {
  return {{load(128 * (100 * kernel + cta + 1), 1), alu(2, 1)}};
}

CtaDispatcherParams without_flush() {
  CtaDispatcherParams params;
  params.flush_l1 = false;
  return params;
}

// A kernel for each stream, of so many CTAs of one warp.
void add_kernels(ClusterBench& bench, const std::vector<std::uint64_t>& streams, std::uint32_t ctas = 1) {
  for (const std::uint64_t stream : streams) bench.source.add_kernel(ctas, 1).stream = stream;
  bench.source.warps = load_and_use;
}

using Times = std::vector<std::pair<Cycle, Cycle>>;
Times times(const ClusterBench& bench) {
  Times all(bench.source.kernels().size());
  for (const KernelSpan& span : bench.dispatcher->kernel_spans(0))
    all[span.kernel] = {span.began, span.ended};
  return all;
}

// Kernel of each load in the order in which they left.
std::vector<std::uint32_t> kernels_in_order(const ClusterBench& bench) {
  std::vector<std::uint32_t> order;
  for (const RequestLog& entry : bench.target->log) order.push_back(entry.access.kernel);
  return order;
}

std::string failure_of(const ClusterBench& bench) {
  try {
    if (bench.dispatcher->failure() != nullptr) std::rethrow_exception(bench.dispatcher->failure());
  } catch (const TraceError& error) {
    return error.fault().message;
  }
  return "";
}

}  // namespace

TEST_CASE("kernels of two streams run side by side") {
  ClusterBench bench({}, without_flush());
  add_kernels(bench, {7, 8});
  bench.run();
  CHECK(bench.broken.empty());
  // Launched in 0 and 1.
  CHECK(times(bench) == Times{{0, 14}, {0, 15}});
  CHECK(bench.dispatcher->end_cycle() == 15);
  CHECK(bench.dispatcher->counters().most_kernels == 2);
  CHECK(bench.dispatcher->counters().overlap_cycles == 14);
  for (const KernelSpan& span : bench.dispatcher->kernel_spans(0)) {
    CHECK(span.ctas == 1);
    CHECK(span.warp_instructions == 2);
  }
}

TEST_CASE("launches of one stream follow each other") {
  ClusterBench bench({}, without_flush());
  add_kernels(bench, {7, 7});
  bench.run();
  CHECK(bench.broken.empty());
  // The second is launched in 15.
  CHECK(times(bench) == Times{{0, 14}, {14, 29}});
  CHECK(bench.dispatcher->counters().overlap_cycles == 0);
}

TEST_CASE("max_concurrent_kernels: 1 runs streams one after the other") {
  CtaDispatcherParams params = without_flush();
  params.max_concurrent_kernels = 1;
  ClusterBench bench({}, params);
  add_kernels(bench, {7, 8});
  bench.run();
  CHECK(bench.broken.empty());
  CHECK(times(bench) == Times{{0, 14}, {14, 29}});
}

TEST_CASE("a place among the concurrent kernels is free again when a kernel has ended") {
  CtaDispatcherParams params = without_flush();
  params.max_concurrent_kernels = 2;
  ClusterBench bench({}, params);
  add_kernels(bench, {1, 2, 3});
  bench.run();
  CHECK(bench.broken.empty());
  CHECK(times(bench) == Times{{0, 14}, {0, 15}, {14, 29}});
}

TEST_CASE("the default stream waits for all streams before it, and they for it") {
  ClusterBench bench({}, without_flush());
  add_kernels(bench, {1, 2, default_stream, 1, 2});
  bench.run();
  CHECK(bench.broken.empty());
  // The default stream's is launched in 16 and ends in 30; then 31 and 32.
  CHECK(times(bench) == Times{{0, 14}, {0, 15}, {15, 30}, {30, 45}, {30, 46}});
}

TEST_CASE("a stream that does not block runs beside the default stream") {
  ClusterBench bench({}, without_flush());
  add_kernels(bench, {default_stream, non_blocking_stream | 4, 5});
  bench.run();
  CHECK(bench.broken.empty());
  CHECK(times(bench) == Times{{0, 14}, {0, 15}, {14, 29}});
}

TEST_CASE("a kernel waits for those that it names") {
  ClusterBench bench({}, without_flush());
  add_kernels(bench, {1, 2, 3});
  bench.source.add_kernel(1, 1);
  // Kernel 2 behind kernel 0 and 1, kernel 3 (stream 4) behind kernel 0.
  const_cast<KernelInfo&>(bench.source.kernels()[2]).after = {0, 1};
  const_cast<KernelInfo&>(bench.source.kernels()[3]).stream = 4;
  const_cast<KernelInfo&>(bench.source.kernels()[3]).after = {0};
  bench.run();
  CHECK(bench.broken.empty());
  // Kernel 3 is launched in 15, kernel 2, ready in 15, in 16.
  CHECK(times(bench) == Times{{0, 14}, {0, 15}, {15, 30}, {14, 29}});
}

TEST_CASE("a wait that cannot end is reported") {
  SECTION("itself") {
    ClusterBench bench;
    add_kernels(bench, {1, 2});
    const_cast<KernelInfo&>(bench.source.kernels()[1]).after = {1};
    bench.run();
    CHECK(failure_of(bench) ==
          "kernel 1 'kernel1' waits for kernel 1, which is itself: its stream would wait for ever");
  }
}
TEST_CASE("a wait for a later kernel is reported") {
  ClusterBench bench;
  add_kernels(bench, {1, 2, 3});
  const_cast<KernelInfo&>(bench.source.kernels()[0]).after = {2};
  bench.run();
  CHECK(failure_of(bench) ==
        "kernel 0 'kernel0' waits for kernel 2, which is launched later; allowed: kernels before it");
}
TEST_CASE("a wait for an unknown kernel is reported") {
  ClusterBench bench;
  add_kernels(bench, {1, 2});
  const_cast<KernelInfo&>(bench.source.kernels()[1]).after = {9};
  bench.run();
  CHECK(failure_of(bench) ==
        "kernel 1 'kernel1' waits for kernel 9, which is not there: the last one is kernel 1");
}

TEST_CASE("CTAs of a higher priority go first") {
  SmClusterParams sm;
  sm.ctas = 1;
  ClusterBench bench(sm);
  add_kernels(bench, {1, 2}, 3);
  const_cast<KernelInfo&>(bench.source.kernels()[1]).priority = 5;
  bench.run();
  CHECK(bench.broken.empty());
  CHECK(kernels_in_order(bench) == std::vector<std::uint32_t>{1, 1, 1, 0, 0, 0});
}

TEST_CASE("of kernels that wait for a place the one of the highest priority begins") {
  CtaDispatcherParams params = without_flush();
  params.max_concurrent_kernels = 1;
  ClusterBench bench({}, params);
  add_kernels(bench, {1, 2, 3, 4});
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{3}})
    const_cast<KernelInfo&>(bench.source.kernels()[k]).after = {0};
  const_cast<KernelInfo&>(bench.source.kernels()[2]).priority = 5;
  bench.run();
  CHECK(bench.broken.empty());
  CHECK(times(bench) == Times{{0, 14}, {29, 44}, {14, 29}, {44, 59}});
}

TEST_CASE("a kernel of a higher priority takes what becomes free") {
  SmClusterParams sm;
  sm.ctas = 1;
  ClusterBench bench(sm);
  add_kernels(bench, {1, 2, 2}, 3);
  const_cast<KernelInfo&>(bench.source.kernels()[2]).priority = 5;
  bench.run();
  CHECK(bench.broken.empty());
  // Kernels 0 and 1 in the order of their launch; kernel 2 begins when 1 has ended.
  CHECK(kernels_in_order(bench) == std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1, 2, 2, 2});
}

namespace {

// Kernel 0: three CTAs, of which one fits (40 of 64 KiB of shared memory); kernel 1: two small ones.
std::vector<std::uint32_t> beside_a_large_kernel(NextKernel next) {
  CtaDispatcherParams params = without_flush();
  params.next_kernel = next;
  ClusterBench bench({}, params);
  bench.source.add_kernel(3, 1).shared_bytes = 40 << 10;
  bench.source.add_kernel(2, 1);
  add_kernels(bench, {});
  const_cast<KernelInfo&>(bench.source.kernels()[0]).stream = 1;
  const_cast<KernelInfo&>(bench.source.kernels()[1]).stream = 2;
  bench.run();
  CHECK(bench.broken.empty());
  return kernels_in_order(bench);
}

}  // namespace

TEST_CASE("room that CTAs of the first kernel cannot use goes to the next") {
  CHECK(beside_a_large_kernel(NextKernel::room) == std::vector<std::uint32_t>{0, 1, 1, 0, 0});
}
TEST_CASE("next_kernel: launched holds the next kernel back until all CTAs of the first are launched") {
  CHECK(beside_a_large_kernel(NextKernel::launched) == std::vector<std::uint32_t>{0, 0, 0, 1, 1});
}

TEST_CASE("kernels that each need the whole SM gain nothing") {
  ClusterBench bench({}, without_flush());
  add_kernels(bench, {1, 2});
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
    const_cast<KernelInfo&>(bench.source.kernels()[k]).shared_bytes = 40 << 10;
  bench.run();
  CHECK(bench.broken.empty());
  // The second is launched in 14, with the end of the first one's CTA: a cycle before it would be in its
  // stream.
  CHECK(times(bench) == Times{{0, 14}, {0, 28}});
}

TEST_CASE("a kernel ends beside others when its own stores are acknowledged") {
  ClusterBench bench({}, without_flush());
  bench.target->hits = [](const Access& access) { return access.access_class != AccessClass::store; };
  bench.source.add_kernel(1, 1).stream = 1;
  bench.source.add_kernel(1, 1).stream = 2;
  bench.source.warps = [](std::uint32_t kernel, std::uint64_t) -> std::vector<Program> {
    if (kernel == 0) return {{store(128)}};
    Program loads;
    for (unsigned n = 0; n < 10; ++n) {
      loads.push_back(load(128 * (n + 2), 1));
      loads.push_back(alu(1, 1));
      loads.push_back(store(128 * (n + 100)));
    }
    return {loads};
  };
  bench.run();
  CHECK(bench.broken.empty());
  // The store of kernel 0 issues in 1, leaves in 2 and is answered in 52; that counts from 53 on and the
  // dispatcher sees it in 54, while kernel 1 has stores in flight all the time.
  CHECK(times(bench)[0] == std::pair<Cycle, Cycle>{0, 54});
  CHECK(times(bench)[1].second > 110);
}

TEST_CASE("the L1s are flushed before a kernel begins beside others when one has ended, and at the end") {
  ClusterBench bench;
  bench.source.add_kernel(1, 1).stream = 1;
  bench.source.add_kernel(1, 1).stream = 2;
  bench.source.add_kernel(1, 1).stream = 1;
  bench.source.warps = [](std::uint32_t kernel, std::uint64_t) -> std::vector<Program> {
    Program loads;
    for (unsigned n = 0; n < (kernel == 1 ? 10U : 1U); ++n) {
      loads.push_back(load(128 * (n + 2), 1));
      loads.push_back(alu(1, 1));
    }
    return {loads};
  };
  bench.run();
  CHECK(bench.broken.empty());
  // Kernel 0 ends in 14, without a flush; kernel 2 asks for one in 15, which begins in 16 and is done in 18;
  // the dispatcher sees it in 19, launches, and the kernel ends in 33. Kernel 1: each load and alu take 12
  // cycles.
  REQUIRE(bench.target->flushes.size() == 2);
  CHECK(bench.target->flushes[0] == 16);
  CHECK(times(bench)[0] == std::pair<Cycle, Cycle>{0, 14});
  CHECK(times(bench)[2] == std::pair<Cycle, Cycle>{14, 33});
  CHECK(times(bench)[1].second == bench.target->flushes[1] + 3);
}

TEST_CASE(
    "what shares its memory with an L1 gets more while kernels run side by side, and less when the SM was "
    "empty") {
  SmClusterParams sm;
  sm.ctas = 32;
  ClusterBench bench(sm, without_flush());
  add_kernels(bench, {1, 2, 1, 2});
  const std::uint32_t bytes[] = {1 << 10, 40 << 10, 1 << 10, 2 << 10};
  for (std::size_t k = 0; k < 4; ++k)
    const_cast<KernelInfo&>(bench.source.kernels()[k]).shared_bytes = bytes[k];
  const_cast<KernelInfo&>(bench.source.kernels()[3]).after = {2};
  bench.run();
  CHECK(bench.broken.empty());
  // Kernel 0: 32 CTAs of 1 KiB. Kernel 1 beside it: one of 40 KiB and what is taken. Kernel 2 begins when
  // nothing is left of both: 32 KiB again. Kernel 3 behind it: 32 CTAs of 2 KiB.
  CHECK(bench.target->shared_bytes == std::vector<std::uint64_t>{32 << 10, 41 << 10, 32 << 10, 64 << 10});
}

namespace {

// Wants kernels apart, and logs what it is told.
struct Apart final : sc_core::sc_module, KernelBoundaryIf {
  explicit Apart(sc_core::sc_module_name name) : sc_module(name) {}
  void kernel_began(std::uint32_t, Cycle now) override { log.emplace_back('b', now); }
  void kernel_ended(std::uint32_t, KernelBoundaryDoneIf& done, Cycle now) override {
    log.emplace_back('e', now);
    done.kernel_boundary_done(now + 5);
  }
  bool separates_kernels(std::uint32_t) const override { return apart; }
  bool apart = true;
  std::vector<std::pair<char, Cycle>> log;
};

}  // namespace

TEST_CASE("where the boundary wants it, a kernel behind an ended one begins with the next group") {
  ClusterBench bench({}, without_flush());
  Apart apart("apart");
  bench.dispatcher->boundary.bind(apart);
  add_kernels(bench, {1, 2, 1}, 1);
  bench.run();
  CHECK(bench.broken.empty());
  // Kernel 1's CTA ends in 15: the boundary of both. Kernel 2, which could have begun in 15, begins behind
  // it, is launched in 21, and its boundary lasts from 35 to 40.
  CHECK(apart.log == std::vector<std::pair<char, Cycle>>{{'b', 0}, {'e', 15}, {'b', 21}, {'e', 35}});
  CHECK(times(bench) == Times{{0, 14}, {0, 20}, {14, 40}});
}

TEST_CASE("a boundary that keeps nothing sees kernels side by side as one") {
  ClusterBench bench({}, without_flush());
  Apart apart("apart");
  apart.apart = false;
  bench.dispatcher->boundary.bind(apart);
  add_kernels(bench, {1, 2, 1}, 1);
  bench.source.warps = [](std::uint32_t kernel, std::uint64_t cta) {
    std::vector<Program> warps = load_and_use(kernel, cta);
    if (kernel == 1)
      for (int n = 0; n < 3; ++n) warps[0].insert(warps[0].end(), {load(128 * 999, 1), alu(2, 1)});
    return warps;
  };
  bench.run();
  CHECK(bench.broken.empty());
  REQUIRE(apart.log.size() == 2);
  CHECK(apart.log[0] == std::pair<char, Cycle>{'b', 0});
  // Kernel 2 is launched in 15.
  CHECK(times(bench)[2] == std::pair<Cycle, Cycle>{14, 29});
  CHECK(times(bench)[1].second == apart.log[1].second + 5);
}

TEST_CASE("all running kernels are named with what they wait for") {
  ClusterBench bench({}, without_flush());
  bench.target->hits = [](const Access&) { return false; };
  bench.target->miss_latency = 1000;
  add_kernels(bench, {1, 2, 3});
  const_cast<KernelInfo&>(bench.source.kernels()[2]).after = {1};
  sc_core::sc_start(bench.clock.delay_to(100));
  std::vector<std::string> what;
  for (const WaitNote& note : bench.dispatcher->waits()) what.push_back(note.what);
  CHECK(what == std::vector<std::string>{"kernel 0 'kernel0' waits for ends of CTAs",
                                         "kernel 1 'kernel1' waits for ends of CTAs",
                                         "kernel 2 'kernel2' waits for the end of kernel 1 'kernel1'"});
  CHECK(bench.dispatcher->progress(0).running.size() == 2);
}

TEST_CASE("the launch latency runs for each kernel") {
  CtaDispatcherParams params = without_flush();
  params.kernel_launch_latency = 100;
  ClusterBench bench({}, params);
  add_kernels(bench, {1, 2, 1});
  bench.run();
  CHECK(bench.broken.empty());
  // Launched in 100 and 101; the third, ready in 114, in 214.
  CHECK(times(bench) == Times{{0, 114}, {0, 115}, {114, 228}});
}

TEST_CASE("cold launches of two streams follow each other, each when all is cold") {
  CtaDispatcherParams params = without_flush();
  params.launches = LaunchState::cold;
  ClusterBench bench({}, params);
  add_kernels(bench, {7, 8, 7});
  std::vector<Cycle> asked;
  bench.dispatcher->set_cold_at([&](Cycle now) {
    asked.push_back(now);
    return asked.size() == 1 ? now + 5 : now;  // the first kernel leaves stores in flight
  });
  bench.run();
  CHECK(bench.broken.empty());
  const Times all = times(bench);
  REQUIRE(asked.size() == 3);  // not behind the last kernel
  CHECK(asked[1] == asked[0] + 5);
  // A kernel ends in the cycle of the first question; the next begins with the answer, and its CTA starts at
  // once: each takes as long as the first.
  CHECK(all[0].second == asked[0]);
  CHECK(all[1].first == asked[1]);
  CHECK(all[1].second == asked[2]);
  CHECK(all[2].first == asked[2]);
  for (const auto& [began, ended] : all) CHECK(ended - began == all[0].second);
  CHECK(all[0].second >= 14);
  CHECK(bench.dispatcher->counters().overlap_cycles == 0);
}
