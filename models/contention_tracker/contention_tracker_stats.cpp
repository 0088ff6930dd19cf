#include "models/contention_tracker/contention_tracker_stats.h"

namespace strata {

void ContentionTrackerStats::for_each_stat(StatVisitor& v) const {
  v.counter({"misses", "requests", "misses of the slices, of kernels that have counters"}, misses);
  v.counter({"other_misses", "requests", "misses of kernels that have no counters"}, other_misses);
  v.counter({"demotions", "lines", "steps of lines towards the end of their stack, or out of it"}, demotions);
  v.counter({"self_demotions", "lines", "of these: by accesses of the kernel that owns the line"},
            self_demotions);
  v.counter({"evictions", "lines", "lines replaced by others"}, evictions);
  v.counter({"self_evictions", "lines", "of these: by the kernel that owns the line"}, self_evictions);
  v.counter({"lines", "lines", "lines of the slices that are watched"}, lines);
  v.counter({"owner_bits", "bits", "storage of the owners of lines, which both trackers need"}, owner_bits);
  v.counter({"plob_bits", "bits", "storage of the counters of evictions and of misses"}, plob_bits);
  v.counter({"gdc_bits", "bits", "storage of the counters of demotions"}, gdc_bits);
  v.counter({"counter_resets", "events", "times that a host has set all counters to zero"}, counter_resets);
  v.counter({"register_reads", "accesses", "reads of the register window"}, register_reads);
  v.counter({"register_writes", "accesses", "writes to the register window"}, register_writes);
  v.counter({"register_errors", "accesses", "accesses to the register window with an error response"},
            register_errors);
  v.law("demotions >= self_demotions");
  v.law("evictions >= self_evictions");
  v.law("demotions >= evictions");
}

}  // namespace strata
