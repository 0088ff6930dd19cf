#include "models/cta_dispatcher/cta_dispatcher_stats.h"

namespace strata {

void CtaDispatcherStats::for_each_stat(StatVisitor& v) const {
  v.counter({"kernels_launched", "kernels", "Kernels begun"}, kernels_launched);
  v.counter({"kernels_done", "kernels", "Kernels ended, their boundary work included"}, kernels_done);
  v.counter({"kernels_running", "kernels", "Kernels not ended at the time of the report"}, kernels_running);
  v.law("kernels_launched = kernels_done + kernels_running");
  v.counter({"ctas_launched", "CTAs", "CTAs given to SMs"}, ctas_launched);
  v.counter({"ctas_done", "CTAs", "CTAs that ended"}, ctas_done);
  v.counter({"ctas_running", "CTAs", "CTAs on SMs at the time of the report"}, ctas_running);
  v.law("ctas_launched = ctas_done + ctas_running");
  v.counter({"full_cycles", "cycles", "Cycles in which CTAs waited because no SM had room"}, full_cycles);
  v.counter({"overlap_cycles", "cycles", "Several kernels of an application ran side by side", true},
            overlap_cycles);
  v.counter({"most_kernels", "kernels", "Most kernels of an application that ran side by side", true},
            most_kernels);
  static constexpr StatInfo info[] = {
      {"launch_cycles", "cycles", "Kernel launch latency"},
      {"run_cycles", "cycles", "CTAs were running"},
      {"drain_cycles", "cycles", "All CTAs had ended, stores were not all acknowledged"},
      {"flush_cycles", "cycles", "The L1s were being flushed"},
      {"boundary_cycles", "cycles", "The module bound to `boundary` worked between kernels"},
      {"finished_cycles", "cycles", "All kernels had ended"},
  };
  for (std::size_t i = 0; i < phase_cycles.size(); ++i) v.counter(info[i], phase_cycles[i]);
}

}  // namespace strata
