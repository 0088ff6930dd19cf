#include "models/cta_dispatcher/cta_dispatcher_params.h"

#include "models/cta_dispatcher/cta_placement.h"

namespace strata {

void CtaDispatcherParams::for_each_param(ParamVisitor& v) {
  CtaPlacementRow::table().param(v,
                                 {"scheduler", "",
                                  "Which SM gets the next CTA: clusters then SMs in turn, adjacent CTAs to "
                                  "one SM (bcs), or a contiguous "
                                  "range of CTAs per cluster (dcs)"},
                                 scheduler);
  v.integer({"clusters", "clusters", "SM clusters that it launches on: the sockets of group `cluster`"},
            clusters, {1, 256});
  v.integer({"bcs_block", "CTAs", "Adjacent CTAs that `bcs` sends to one SM"}, bcs_block, {1, 32});
  v.integer({"ctas_per_cycle", "CTAs", "Most CTAs launched in a cycle"}, ctas_per_cycle, {1, 256});
  v.integer({"kernel_launch_latency", "cycles", "From the end of a kernel's predecessor to its first CTA"},
            kernel_launch_latency, {0, 1 << 24});
  v.integer({"max_concurrent_kernels", "kernels",
             "Kernels of different streams of an application that run side by side; 1: one after the other"},
            max_concurrent_kernels, {1, 1024});
  v.choice(
      {"next_kernel", "",
       "Kernels side by side: CTAs of a later one start where those before it have no room or no CTAs left "
       "(room), or when all of these have been launched (launched)"},
      next_kernel, {{NextKernel::room, "room"}, {NextKernel::launched, "launched"}});
  v.integer(
      {"launch_jitter", "cycles",
       "After each CTA the dispatcher pauses for a random time from 0 to this; drawn from the run's seed"},
      launch_jitter, {0, 1 << 20});
  v.choice({"copies", "",
            "What copies from the host before a kernel leave in the LLC: nothing (cold), or their lines, "
            "clean (warm)"},
           copies, {{CopyPolicy::cold, "cold"}, {CopyPolicy::warm, "warm"}});
  v.choice(
      {"launches", "",
       "What a kernel finds of those before it: their lines in the LLC and their open rows (warm), or empty "
       "caches and closed rows, as a profiler makes them (cold); cold ones run one after the other, and "
       "flush the L1s even without `flush_l1`"},
      launches, {{LaunchState::warm, "warm"}, {LaunchState::cold, "cold"}});
  v.flag({"flush_l1", "", "Flush the L1s at the end of each kernel"}, flush_l1);
}

}  // namespace strata
