// Random programs of several streams, with priorities and waits, against the rules written down naively: who
// waits for whom is found by looking at all pairs. All CTAs run once, and what is known of the kernels sums
// up to the whole.
#include <algorithm>
#include <random>

#include "models/common/streams.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

bool waits_for(const KernelInfo& later, const KernelInfo& earlier) {
  const bool both_block = is_blocking(later.stream) && is_blocking(earlier.stream);
  const bool one_is_default = later.stream == default_stream || earlier.stream == default_stream;
  return later.stream == earlier.stream || (both_block && one_is_default) ||
         std::find(later.after.begin(), later.after.end(), earlier.id) != later.after.end();
}

/// One program on a machine of its own, beside others in one simulation.
class Trial final : public sc_core::sc_module {
 public:
  Trial(sc_core::sc_module_name name, unsigned seed)
      : sc_module(name), random_(seed), bench_(draw_sm(), draw_dispatch()) {
    bench_.target->hits = [](const Access& access) { return access.line / 128 % 3 != 0; };
    bench_.target->flush_time = below(2) * 30;
    const unsigned streams = 1 + below(5);
    const unsigned kernels = 1 + below(14);
    for (unsigned k = 0; k < kernels; ++k) {
      KernelInfo& kernel = bench_.source.add_kernel(1 + below(12), 1 + below(2));
      kernel.stream = below(8) == 0 ? default_stream : 1 + below(streams);
      if (kernel.stream == 3) kernel.stream |= non_blocking_stream;
      kernel.priority = static_cast<int>(below(3)) - 1;
      kernel.shared_bytes = below(3) * 20000;
      for (unsigned other = 0; other < k; ++other)
        if (below(12) == 0) kernel.after.push_back(other);
    }
    bench_.source.warps = [this](std::uint32_t kernel, std::uint64_t cta) {
      std::vector<Program> warps(bench_.source.kernels()[kernel].warps_per_cta());
      for (std::size_t w = 0; w < warps.size(); ++w)
        for (std::uint64_t n = 0; n < 1 + (kernel + cta + w) % 4; ++n) {
          warps[w].push_back(load(128 * (kernel * 1000 + cta * 10 + n), 1));
          warps[w].push_back(alu(2, 1));
          warps[w].push_back(store(128 * (kernel * 1000 + cta * 10 + n + 5)));
        }
      return warps;
    };
  }
  bool has_overlap() const { return bench_.dispatcher->counters().overlap_cycles != 0; }
  void check();

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_()) % n; }
  SmClusterParams draw_sm() {
    SmClusterParams sm;
    sm.sms = 2;
    sm.ctas = 1 + static_cast<int>(below(4));
    return sm;
  }
  CtaDispatcherParams draw_dispatch() {
    CtaDispatcherParams& dispatch = dispatch_;
    dispatch.clusters = 2;
    dispatch.scheduler = static_cast<CtaPolicy>(below(3));
    dispatch.ctas_per_cycle = 1 + static_cast<int>(below(2));
    dispatch.kernel_launch_latency = static_cast<int>(below(3) * 20);
    dispatch.launch_jitter = static_cast<int>(below(2) * 3);
    dispatch.max_concurrent_kernels = below(4) == 0 ? 1 : 2 + static_cast<int>(below(6));
    dispatch.next_kernel = below(2) == 0 ? NextKernel::room : NextKernel::launched;
    dispatch.flush_l1 = below(2) == 0;
    return dispatch;
  }

  std::mt19937 random_;
  CtaDispatcherParams dispatch_;
  ClusterBench bench_;
};

void Trial::check() {
  bench_.run(200'000);
  CHECK(bench_.broken.empty());
  REQUIRE(bench_.dispatcher->finished());
  const std::vector<KernelInfo>& all = bench_.source.kernels();
  std::vector<KernelSpan> spans(all.size());
  std::vector<int> seen(all.size());
  for (const KernelSpan& span : bench_.dispatcher->kernel_spans(0)) {
    spans[span.kernel] = span;
    ++seen[span.kernel];
  }
  std::uint64_t ctas = 0, instructions = 0, total_ctas = 0;
  bool several = false;
  for (std::size_t k = 0; k < all.size(); ++k) {
    CHECK(seen[k] == 1);
    CHECK(spans[k].ended != never);
    for (std::size_t before = 0; before < k; ++before)
      if (waits_for(all[k], all[before])) CHECK(spans[k].began >= spans[before].ended);
    several = several || all[k].stream != all[0].stream;
    ctas += spans[k].ctas;
    total_ctas += all[k].ctas();
    instructions += spans[k].warp_instructions;
    int beside = 0;  // that run when this one begins
    for (const KernelSpan& other : spans)
      beside += other.began <= spans[k].began && spans[k].began < other.ended ? 1 : 0;
    CHECK(beside <= dispatch_.max_concurrent_kernels);
  }
  std::uint64_t issued = 0;
  for (const auto& cluster : bench_.clusters) issued += cluster->counters().warp_instructions;
  CHECK(bench_.dispatcher->counters().ctas_done == total_ctas);
  if (several) {
    CHECK(ctas == total_ctas);
    CHECK(instructions == issued);
  }
  // Every access of a kernel lies within its time, stores until their answer.
  for (const RequestLog& entry : bench_.target->log) {
    const KernelSpan& span = spans[entry.access.kernel];
    CHECK(entry.at > span.began);
    CHECK(entry.at < span.ended);
  }
}

}  // namespace

TEST_CASE("random programs of several streams keep their order, and their kernels sum up to the whole") {
  std::vector<std::unique_ptr<Trial>> trials;
  for (unsigned seed = 0; seed < 60; ++seed)
    trials.push_back(std::make_unique<Trial>(("trial_" + std::to_string(seed)).c_str(), seed));
  int overlapping = 0;
  for (std::size_t seed = 0; seed < trials.size(); ++seed) {
    INFO("seed " << seed);
    trials[seed]->check();
    overlapping += trials[seed]->has_overlap() ? 1 : 0;
  }
  CHECK(overlapping > 20);
}
